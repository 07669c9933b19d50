import type { ExposedTool } from '@schemakit/core';
import { isRecord, readJson } from '../../settings/read-json.ts';
import type { Pair } from './read-input.ts';

export type TypedPairs = { ok: true; value: Record<string, unknown> } | { ok: false; problem: string; fix: string };

/**
 * Makes an input out of `key=value` pairs. A list takes JSON, or a pair for each of its items; an object takes JSON. What else
 * there is stays text: the check of the input reads numbers, booleans and choices from it. It also knows which keys are wrong.
 */
export function typedPairs(pairs: readonly Pair[], inputs: ExposedTool['inputs']): TypedPairs {
  const values = new Map<string, unknown>();
  for (const { key, text } of pairs) {
    const input = inputs.find(({ name, aliases }) => name === key || aliases.includes(key));
    const primitive = input?.z.primitive;
    const known = values.get(key);
    if (primitive === 'array') {
      const items = readItems(text);
      if (items === undefined) {
        return wrong(`${key}: ${text} is no JSON list.`, `Write ${key}='["a","b"]', or ${key}=a ${key}=b.`);
      }
      values.set(key, [...(Array.isArray(known) ? known : []), ...items]);
      continue;
    }
    if (values.has(key)) return wrong(`${key} is given twice, and takes one value.`, `Write ${key}=<value> once.`);
    if (primitive === 'object') {
      const reading = readJson(text);
      if (!reading.ok || !isRecord(reading.value)) {
        return wrong(`${key}: ${text} is no JSON object.`, `Write ${key}='{"name":"value"}'.`);
      }
      values.set(key, reading.value);
    } else values.set(key, text);
  }
  return { ok: true, value: Object.fromEntries(values) };
}

/** The items that a text stands for: those of a JSON list, or itself. */
function readItems(text: string): unknown[] | undefined {
  if (!/^\s*\[/.test(text)) return [text];
  const reading = readJson(text);
  return reading.ok && Array.isArray(reading.value) ? reading.value : undefined;
}

function wrong(problem: string, fix: string): TypedPairs {
  return { ok: false, problem, fix };
}
