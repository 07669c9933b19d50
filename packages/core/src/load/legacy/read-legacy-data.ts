import { functionMark } from '../../format/legacy/hook-plan.ts';
import { createFolder, type Folder } from '../fold.ts';
import { type Folded, isNotData, isPrimitive, type JsonLike, setOwn } from '../folded-value.ts';
import { findEffect } from '../load-effects.ts';
import { measure } from '../measure.ts';
import type { Binding } from '../module-syntax.ts';
import { NotFoldable } from '../not-foldable.ts';
import { parseModule } from '../parse-module.ts';
import { readSyntax } from '../read-syntax.ts';

/** What the text of a format 1 schema says without being run. */
export type LegacyDataReading =
  | { status: 'read'; value: JsonLike }
  /** Only running it can tell. */
  | { status: 'needs-evaluation'; reason: string }
  | { status: 'invalid'; reason: string };

/**
 * Reads the data of a format 1 schema from the script that binds it, with `functionMark` where functions stand.
 *
 * @param script - Binds `schema` at its top level.
 */
export function readLegacyData(script: string): LegacyDataReading {
  const parsed = parseModule(script);
  if (parsed.status === 'failed') return { status: 'invalid', reason: parsed.message };
  const syntax = readSyntax(parsed, new Set());
  const binding = syntax.moduleScope.bindings?.get('schema');
  if (binding === undefined) return { status: 'needs-evaluation', reason: 'schema comes from another module' };
  const folder = createFolder(syntax);
  const reading = foldSchema(folder, binding);
  if (reading.status === 'needs-evaluation') return reading;
  // Not even a fault is certain where other code may have changed what was read.
  const effect = findEffect(syntax, folder);
  if (effect === undefined) return reading;
  return { status: 'needs-evaluation', reason: `code of the module may change ${effect.name}` };
}

function foldSchema(folder: Folder, binding: Binding): LegacyDataReading {
  try {
    const value = withMarks(folder.foldBinding(binding), new Map());
    const measured = measure(value);
    if (measured.status === 'not-data') return { status: 'invalid', reason: `it holds ${measured.what}` };
    return { status: 'read', value: value as JsonLike };
  } catch (error) {
    if (error instanceof NotFoldable) return { status: error.outcome, reason: error.message };
    return { status: 'needs-evaluation', reason: 'it is too deeply nested to be read' };
  }
}

/** Puts marks for functions, and leaves out what is neither a function nor data. Shared parts stay shared. */
function withMarks(value: Folded, known: Map<object, Folded>): Folded {
  if (isPrimitive(value)) return value;
  if (isNotData(value)) return value.kind === 'opaque' ? undefined : functionMark;
  if (value instanceof Set) return undefined;
  const earlier = known.get(value);
  if (earlier !== undefined) return earlier;
  const marked: Folded = Array.isArray(value) ? value.map((item) => withMarks(item, known)) : {};
  known.set(value, marked);
  if (!Array.isArray(value)) {
    for (const [key, part] of Object.entries(value)) {
      const data = withMarks(part, known);
      if (data !== undefined) setOwn(marked as Record<string, unknown>, key, data);
    }
  }
  return marked;
}
