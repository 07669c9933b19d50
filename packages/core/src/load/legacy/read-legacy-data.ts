import { functionMark } from '../../format/legacy/legacy-data.ts';
import { parseModule } from '../parse-module.ts';
import { findNotData, readTarget } from '../read-export.ts';
import { createLiteralReader, type JsonLike, type LiteralValue, NotData, setOwn } from '../read-literal.ts';
import { readSyntax } from '../read-syntax.ts';
import { isFunction } from '../syntax-children.ts';

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
  const syntax = readSyntax(parsed.program, new Set());
  if (!syntax.moduleScope.bindings?.has('schema')) {
    return { status: 'needs-evaluation', reason: 'schema comes from another module' };
  }
  const target = { kind: 'name', local: 'schema', node: parsed.program } as const;
  const read = readTarget('schema', target, { syntax, reader: createLiteralReader(syntax) });
  if (!read.ok) return { status: 'needs-evaluation', reason: read.reason };
  const value = withMarks(read.value, new Map());
  const refused = findNotData(value);
  if (refused !== undefined) return { status: 'invalid', reason: `it holds ${refused.what}` };
  return { status: 'read', value: value as JsonLike };
}

/** Puts marks for functions, and leaves out what is neither a function nor data. Shared parts stay shared. */
function withMarks(value: LiteralValue, known: Map<object, LiteralValue>): LiteralValue {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof NotData) return isFunction(value.node) ? functionMark : undefined;
  const earlier = known.get(value);
  if (earlier !== undefined) return earlier;
  const marked: LiteralValue = Array.isArray(value) ? value.map((item) => withMarks(item, known)) : {};
  known.set(value, marked);
  if (!Array.isArray(value)) {
    for (const [key, part] of Object.entries(value)) {
      const data = withMarks(part, known);
      if (data !== undefined) setOwn(marked as Record<string, unknown>, key, data);
    }
  }
  return marked;
}
