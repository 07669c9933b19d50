import { childPath, type Finding } from '../format/finding.ts';
import { schemaFinding } from '../format/finding-codes.ts';
import type { Folder } from './fold.ts';
import { type Folded, isNotData, type JsonLike } from './folded-value.ts';
import { findEffect } from './load-effects.ts';
import { measure } from './measure.ts';
import type { ExportTarget } from './module-exports.ts';
import type { ModuleSyntax } from './module-syntax.ts';
import { NotFoldable } from './not-foldable.ts';
import type { LocateOffset } from './text-position.ts';

/** What can be said of an exported value without running the module. */
export type ExportReading =
  | { status: 'read'; value: JsonLike }
  | { status: 'absent' }
  | { status: 'function' }
  /** Only running the module can tell; `reason` says why. Line and column are 1-based. */
  | { status: 'needs-evaluation'; reason: string; line: number; column: number }
  /** Running the module would not give plain data either. */
  | { status: 'invalid'; findings: Finding[] };

export interface ReadExportOptions {
  /**
   * Keys of the value to leave out, such as the `handlers` of format 1, which are code. They are neither read nor looked at.
   * Only for values that are written as an object literal. Default none.
   */
  without?: readonly string[];
}

export interface ExportContext extends ReadExportOptions {
  syntax: ModuleSyntax;
  folder: Folder;
  file: string;
  position: LocateOffset;
}

/** Reads an exported value from the syntax tree. */
export function readExport(
  name: string,
  target: ExportTarget,
  { file, position, ...source }: ExportContext,
): ExportReading {
  const outcome = certainOutcome(name, target, source);
  if (outcome.kind === 'value') return outcome.value;
  if (outcome.kind === 'needs-evaluation') {
    return { status: 'needs-evaluation', reason: outcome.reason, ...position(outcome.offset) };
  }
  const finding = schemaFinding('VAL006', outcome.path, `${name} must be plain data: ${outcome.reason}`, {
    hint: 'Write it as literals, constants and templates; code belongs to handlers.',
  });
  return { status: 'invalid', findings: [{ ...finding, file, ...position(outcome.offset) }] };
}

type Outcome =
  | { kind: 'value'; value: ExportReading }
  | { kind: 'needs-evaluation'; reason: string; offset: number }
  | { kind: 'invalid'; reason: string; offset: number; path: string };

type Source = Omit<ExportContext, 'file' | 'position'>;

function certainOutcome(name: string, target: ExportTarget, source: Source): Outcome {
  const outcome = outcomeOf(name, target, source);
  if (outcome.kind === 'needs-evaluation') return outcome;
  // Not even a fault is certain where other code may have changed what was read.
  const effect = findEffect(source.syntax, source.folder);
  if (effect === undefined) return outcome;
  return {
    kind: 'needs-evaluation',
    reason: `code of the module may change ${effect.name}`,
    offset: effect.node.start,
  };
}

function outcomeOf(name: string, target: ExportTarget, source: Source): Outcome {
  const offset = target.node.start;
  if (target.kind === 'foreign')
    return { kind: 'needs-evaluation', reason: `${name} comes from another module`, offset };
  try {
    const value = targetValue(target, source);
    if (isNotData(value) && value.kind !== 'opaque') return { kind: 'value', value: { status: 'function' } };
    if (isPlainData(value, target, source))
      return { kind: 'value', value: { status: 'read', value: value as JsonLike } };
    const measured = measure(value);
    if (measured.status === 'data') return { kind: 'value', value: { status: 'read', value: value as JsonLike } };
    const path = measured.path.reduce<string>(childPath, name);
    return { kind: 'invalid', reason: `it holds ${measured.what}`, offset: measured.found?.node.start ?? offset, path };
  } catch (error) {
    if (!(error instanceof NotFoldable)) {
      // Trees are limited in depth, so a full stack is not expected. Where values are evaluated there is more room.
      return { kind: 'needs-evaluation', reason: 'it is too deeply nested to be read', offset };
    }
    const { outcome, message, offset: place } = error;
    return { kind: outcome, reason: message, offset: place, path: name };
  }
}

/** Whether a literal without names was read as data, which then is what `measure` would ask for. */
function isPlainData(value: Folded, target: ExportTarget, { syntax }: Source): boolean {
  const declaration = target.kind === 'name' ? syntax.moduleScope.bindings?.get(target.local)?.declaration : undefined;
  const init = declaration?.type === 'VariableDeclarator' ? declaration.init : undefined;
  const literal = init ? syntax.literals.get(init) : undefined;
  return literal?.value === value && literal?.names.length === 0;
}

function targetValue(target: Exclude<ExportTarget, { kind: 'foreign' }>, { syntax, folder, without }: Source): Folded {
  if (target.kind === 'value') return folder.foldExpression(target.node);
  const binding = syntax.moduleScope.bindings?.get(target.local);
  return binding && folder.foldBinding(binding, without);
}
