import type { ExposedTool } from '@schemakit/core';
import { isRecord, type ParsedJson, parseJson } from '../../settings/parse-json.ts';
import type { Pair } from './read-input.ts';

type Inputs = ExposedTool['inputs'];

export type TypedPairs = { ok: true; value: Record<string, unknown> } | { ok: false; problem: string; fix: string };

/**
 * Makes an input of `key=value` pairs. `key:=<json>` is JSON, and `lines[0].isbn=1` a part of an array or object. Input validation
 * converts the other texts to the types of the parameters, and rejects unknown keys. Pairs replace the same inputs of `base`.
 */
export function typedPairs(
  pairs: readonly Pair[],
  { inputs, base = {} }: { inputs: Inputs; base?: Readonly<Record<string, unknown>> },
): TypedPairs {
  const values = new Map<string, unknown>();
  for (const { key: written, text, file } of pairs) {
    const isJson = written.endsWith(':') && inputOf(written, inputs) === undefined;
    const key = isJson ? written.slice(0, -1) : written;
    const problem = (isJson ? setJson : setPlain)(values, { key, text, file, inputs });
    if (problem !== undefined) return { ok: false, ...problem };
  }
  const given = new Set([...values.keys()].map((key) => inputOf(key, inputs)?.name ?? key));
  const kept = Object.entries(base).filter(([key]) => !given.has(inputOf(key, inputs)?.name ?? key));
  return { ok: true, value: Object.fromEntries([...kept, ...values]) };
}

interface Assignment {
  key: string;
  text: string;
  file: string | undefined;
  inputs: Inputs;
}

type Problem = { problem: string; fix: string } | undefined;

function setJson(values: Map<string, unknown>, { key, text, file, inputs }: Assignment): Problem {
  const reading = parseJson(text);
  if (!reading.ok) return notJson({ key, text, file }, reading);
  return setValue(values, { key, value: reading.value, inputs });
}

function setPlain(values: Map<string, unknown>, assignment: Assignment): Problem {
  const { key, text, file, inputs } = assignment;
  const input = inputOf(key, inputs);
  const primitive = input?.z.primitive;
  const isText = primitive === undefined || primitive === 'string' || primitive === 'enum';
  if (file !== undefined && !isText) return setJson(values, assignment);
  const isPart = input === undefined && partsOf(key, inputs) !== undefined;
  if (isPart) return setValue(values, { key, value: guessed(text), inputs });
  if (primitive !== 'array' && primitive !== 'object') return setValue(values, { key, value: text, inputs });
  const looksLikeJson = /^\s*[[{]/.test(text);
  const reading = looksLikeJson ? parseJson(text) : undefined;
  if (reading?.ok === false) return notOfType(key, text, primitive);
  if (primitive === 'object') {
    if (reading !== undefined) return setValue(values, { key, value: reading.value, inputs });
    return notOfType(key, text, primitive);
  }
  const items = reading === undefined ? [text] : Array.isArray(reading.value) ? reading.value : [reading.value];
  const known = values.get(key);
  values.set(key, [...(Array.isArray(known) ? known : []), ...items]);
  return undefined;
}

function setValue(
  values: Map<string, unknown>,
  { key, value, inputs }: { key: string; value: unknown; inputs: Inputs },
): Problem {
  const parts = inputOf(key, inputs) === undefined ? partsOf(key, inputs) : undefined;
  if (parts === undefined) {
    if (values.has(key)) return { problem: `${key} is given twice.`, fix: `Write ${key}=<value> once.` };
    values.set(key, value);
    return undefined;
  }
  const { name, path } = parts;
  const changed = withPart(values.get(name), path, { key, value });
  if ('problem' in changed) return changed;
  values.set(name, changed.value);
  return undefined;
}

function inputOf(key: string, inputs: Inputs): Inputs[number] | undefined {
  return inputs.find(({ name, aliases }) => name === key || aliases.includes(key));
}

/** Splits `lines[0].isbn` into the input and the path in it. `[]` appends an item. Undefined for another key. */
function partsOf(key: string, inputs: Inputs): { name: string; path: readonly string[] } | undefined {
  const names = inputs.flatMap(({ name, aliases }) => [name, ...aliases]);
  const own = names.filter((name) => key.startsWith(`${name}[`) || key.startsWith(`${name}.`));
  const name = own.sort((left, right) => right.length - left.length)[0];
  const rest = name === undefined ? '' : key.slice(name.length);
  if (name === undefined || !/^(\[[^[\]]*\]|\.[^[\].]+)+$/.test(rest)) return undefined;
  const path = [...rest.matchAll(/\[([^[\]]*)\]|\.([^[\].]+)/g)].map(([, index, field]) => index ?? field ?? '');
  return { name, path };
}

/** Sets a part of a value, and creates the arrays and objects around it. */
function withPart(
  whole: unknown,
  [step, ...deeper]: readonly string[],
  part: { key: string; value: unknown },
): { value: unknown } | { problem: string; fix: string } {
  const { key, value } = part;
  if (step === undefined) {
    if (whole === undefined) return { value };
    return { problem: `${key} is given twice.`, fix: `Write ${key}=<value> once.` };
  }
  if (step === '' || /^\d+$/.test(step)) {
    const items = whole === undefined ? [] : whole;
    if (!Array.isArray(items)) return mixed(key);
    const index = step === '' ? items.length : Number(step);
    if (index > items.length) {
      return { problem: `${key}: item ${items.length} is missing.`, fix: 'Number the items from 0, without gaps.' };
    }
    const item = withPart(items[index], deeper, part);
    return 'problem' in item ? item : { value: items.toSpliced(index, 1, item.value) };
  }
  const fields = whole === undefined ? {} : whole;
  if (!isRecord(fields)) return mixed(key);
  const field = withPart(Object.hasOwn(fields, step) ? fields[step] : undefined, deeper, part);
  return 'problem' in field ? field : { value: Object.fromEntries([...Object.entries(fields), [step, field.value]]) };
}

function mixed(key: string): { problem: string; fix: string } {
  return { problem: `${key}: the value around it is of another type.`, fix: 'Use either [0] or .name at one place.' };
}

/** Numbers, true, false, null, and quoted or nested JSON; anything else is text. */
function guessed(text: string): unknown {
  const isNumber = text !== '' && String(Number(text)) === text && Number.isFinite(Number(text));
  if (!isNumber && !/^(true|false|null|["[{].*)$/s.test(text)) return text;
  const reading = parseJson(text);
  return reading.ok ? reading.value : text;
}

function notOfType(key: string, text: string, primitive: 'array' | 'object'): { problem: string; fix: string } {
  const example =
    primitive === 'array'
      ? `${key}='["a","b"]', or ${key}=a ${key}=b`
      : `${key}='{"name":"value"}', or ${key}.name=value`;
  return { problem: `${key}: ${shown(text)} is not a JSON ${primitive}.`, fix: `Write ${example}.` };
}

function shown(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

function notJson(
  { key, text, file }: Pick<Assignment, 'key' | 'text' | 'file'>,
  { problem, position: { line, column } }: Extract<ParsedJson, { ok: false }>,
): { problem: string; fix: string } {
  if (file !== undefined) {
    const place = `line ${line}, character ${column}`;
    return { problem: `${key}: ${file} is not JSON: ${problem} (${place}).`, fix: 'Write valid JSON into the file.' };
  }
  return {
    problem: `${key}: ${shown(text)} is not JSON: ${problem}.`,
    fix: `Write ${key}='[…]' or ${key}='{…}' with valid JSON.`,
  };
}
