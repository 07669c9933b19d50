import { isDeepStrictEqual } from 'node:util';
import { analyzeModule, isObject, type ToolFields, writeToolFields } from '@schemakit/core/internal';
import type { JsonObject } from '../read/read-document.ts';
import { mainOf, type Texts } from './removed-tools.ts';

/** The fields that `new --try` writes. */
const triedFields = ['output', 'tests'];

/**
 * The new files with the corrections that `new --try` made of the last ones. Where the document changed the same part since, the document is
 * right: it is newer.
 */
export function carryCorrections({ base, tried, next }: { base: Texts; tried: Texts; next: Texts }): Texts {
  const carried = Object.entries(tried).flatMap(([file, text]) => {
    const fresh = next[file];
    if (fresh === undefined || base[file] === undefined) return [];
    const [imported, corrected] = [base[file], text].map((one) => toolsIn(one, file));
    const fields = (tools: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(
        Object.keys(tools).map((name) => [
          name,
          carriedFields(objectAt(imported, name), objectAt(corrected, name), objectAt(tools, name)),
        ]),
      ) as ToolFields;
    return [[file, writeToolFields(fresh, { file, fields }).text]];
  });
  return { ...next, ...Object.fromEntries(carried) };
}

function carriedFields(base: JsonObject, tried: JsonObject, next: JsonObject): JsonObject {
  return Object.fromEntries(
    triedFields.flatMap((field) => {
      const value = mergeValues(base[field], tried[field], next[field]);
      return value === undefined ? [] : [[field, value]];
    }),
  );
}

function mergeValues(base: unknown, tried: unknown, next: unknown): unknown {
  if (isDeepStrictEqual(base, next)) return tried;
  if (isDeepStrictEqual(base, tried) || !isObject(tried) || !isObject(next)) return next;
  const before = isObject(base) ? base : {};
  // What the document says of a value fits the type that it says, not another one.
  if (typeof before.type === 'string' && before.type !== tried.type) return next;
  const merged = [...new Set([...Object.keys(next), ...Object.keys(tried)])].flatMap((key) => {
    const value = mergeValues(before[key], tried[key], next[key]);
    return value === undefined ? [] : [[key, value]];
  });
  return Object.fromEntries(merged);
}

function toolsIn(text: string, file: string): unknown {
  return mainOf(analyzeModule(text, { file })).tools;
}

function objectAt(object: unknown, key: string): JsonObject {
  const value = isObject(object) ? object[key] : undefined;
  return isObject(value) ? value : {};
}
