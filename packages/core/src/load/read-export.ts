import { schemaFinding } from '../format/finding-codes.ts';
import type { Finding } from '../format/finding.ts';
import { childPath } from '../format/finding.ts';
import type { Folder } from './fold.ts';
import { type Folded, isFoldedFunction, type JsonLike, measure } from './folded-value.ts';
import { findEffect } from './load-effects.ts';
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
export function readExport(name: string, target: ExportTarget, { syntax, folder, file, position }: ExportContext): ExportReading {
  const invalid = (path: string, reason: string, offset: number): ExportReading => {
    const finding = schemaFinding('VAL006', path, `${name} must be plain data: ${reason}`, {
      hint: 'Write it as literals, constants and templates; code belongs to handlers.',
    });
    return { status: 'invalid', findings: [{ ...finding, file, ...position(offset) }] };
  };
  if (target.kind === 'foreign') {
    return { status: 'needs-evaluation', reason: `${name} comes from another module`, ...position(target.node.start) };
  }
  try {
    const value = foldTarget(target, syntax, folder);
    if (isFoldedFunction(value)) return { status: 'function' };
    const measured = measure(value);
    if (measured.status === 'not-data') {
      const path = measured.path.reduce<string>(childPath, name);
      return invalid(path, `it holds ${measured.what}`, measured.found?.node.start ?? target.node.start);
    }
    const effect = findEffect(syntax, folder);
    if (effect !== undefined) {
      return { status: 'needs-evaluation', reason: `code of the module may change ${effect.name}`, ...position(effect.node.start) };
    }
    return { status: 'read', value: value as JsonLike };
  } catch (error) {
    if (!(error instanceof NotFoldable)) {
      // Trees are limited in depth, so that a full stack is not expected; the host of handlers may still have room.
      return { status: 'needs-evaluation', reason: 'it is too deeply nested to be read', ...position(target.node.start) };
    }
    if (error.outcome === 'invalid') return invalid(name, error.message, error.offset);
    return { status: 'needs-evaluation', reason: error.message, ...position(error.offset) };
  }
}

function foldTarget(target: Exclude<ExportTarget, { kind: 'foreign' }>, syntax: ModuleSyntax, folder: Folder): Folded {
  if (target.kind === 'value') return folder.foldAt(target.node, target.node.start);
  const binding = syntax.moduleScope.bindings?.get(target.local);
  return binding === undefined ? undefined : folder.foldBinding(binding);
}
