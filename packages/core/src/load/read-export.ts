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

export interface ExportContext {
  syntax: ModuleSyntax;
  folder: Folder;
  file: string;
  position: LocateOffset;
}

/** Reads an exported value from the syntax tree. */
export function readExport(
  name: string,
  target: ExportTarget,
  { syntax, folder, file, position }: ExportContext,
): ExportReading {
  const outcome = foldTarget(name, target, { syntax, folder });
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

function foldTarget(
  name: string,
  target: ExportTarget,
  { syntax, folder }: Pick<ExportContext, 'syntax' | 'folder'>,
): Outcome {
  const outcome = outcomeOf(name, target, { syntax, folder });
  if (outcome.kind === 'needs-evaluation') return outcome;
  // Not even a fault is certain where other code may have changed what was read.
  const effect = findEffect(syntax, folder);
  if (effect === undefined) return outcome;
  return {
    kind: 'needs-evaluation',
    reason: `code of the module may change ${effect.name}`,
    offset: effect.node.start,
  };
}

function outcomeOf(
  name: string,
  target: ExportTarget,
  { syntax, folder }: Pick<ExportContext, 'syntax' | 'folder'>,
): Outcome {
  const offset = target.node.start;
  if (target.kind === 'foreign')
    return { kind: 'needs-evaluation', reason: `${name} comes from another module`, offset };
  try {
    const value = valueOfTarget(target, syntax, folder);
    if (isNotData(value) && value.kind !== 'opaque') return { kind: 'value', value: { status: 'function' } };
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

function valueOfTarget(
  target: Exclude<ExportTarget, { kind: 'foreign' }>,
  syntax: ModuleSyntax,
  folder: Folder,
): Folded {
  if (target.kind === 'value') return folder.foldExpression(target.node);
  const binding = syntax.moduleScope.bindings?.get(target.local);
  return binding === undefined ? undefined : folder.foldBinding(binding);
}
