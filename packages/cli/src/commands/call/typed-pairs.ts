import type { ExposedTool } from '@schemakit/core';
import { type Refused, refused, type Step } from '../../output/command-result.ts';
import { isRecord, type ParsedJson, parseJson } from '../../settings/parse-json.ts';
import { fileArgument } from './file-argument.ts';
import type { Pair } from './read-input.ts';

type Inputs = ExposedTool['inputs'];
type Expression = Inputs[number]['z'];

/**
 * Makes an input of `key=value` pairs. `key:=<json>` is JSON, and `lines[0].isbn=1` a part of an array or object. Input validation
 * converts the other texts to the types of the parameters, and rejects unknown keys. Pairs replace the same inputs of `base`.
 */
export function typedPairs(
  pairs: readonly Pair[],
  { inputs, base = {} }: { inputs: Inputs; base?: Readonly<Record<string, unknown>> },
): Step<{ value: Record<string, unknown> }> {
  const values = new Map<string, unknown>();
  for (const { key: written, text, file } of pairs) {
    const isJson = written.endsWith(':') && inputOf(written, inputs) === undefined;
    const key = isJson ? written.slice(0, -1) : written;
    const problem = (isJson ? setJson : setPlain)(values, { key, text, file, inputs });
    if (problem !== undefined) return problem;
  }
  const given = new Set([...values.keys()].map((key) => inputOf(key, inputs)?.name ?? key));
  const kept = Object.entries(base).filter(([key]) => !given.has(inputOf(key, inputs)?.name ?? key));
  return { ok: true, value: Object.fromEntries([...kept, ...values]) };
}

interface Assignment {
  key: string;
  text: string;
  file: Pair['file'] | undefined;
  inputs: Inputs;
}

function setJson(values: Map<string, unknown>, { key, text, file, inputs }: Assignment): Refused | undefined {
  const reading = parseJson(text);
  if (!reading.ok) return notJson({ key, text, file }, reading);
  return setValue(values, { key, value: reading.value, inputs });
}

function setPlain(values: Map<string, unknown>, assignment: Assignment): Refused | undefined {
  const { key, text, file, inputs } = assignment;
  const parts = inputOf(key, inputs) === undefined ? partsOf(key, inputs) : undefined;
  const z = parts === undefined ? inputOf(key, inputs)?.z : expressionAt(inputOf(parts.name, inputs)?.z, parts.path);
  const primitive = z?.primitive;
  if (primitive === 'file' && file !== undefined) {
    const sent = fileArgument(key, file);
    return sent.ok ? setValue(values, { key, value: sent.value, inputs }) : sent;
  }
  const isText = primitive === undefined || ['string', 'enum', 'union', 'file'].includes(primitive);
  if (file !== undefined && !isText) return setJson(values, assignment);
  if (primitive === undefined && parts !== undefined) return setValue(values, { key, value: guessed(text), inputs });
  const looksLikeJson = /^\s*[[{]/.test(text);
  if (primitive === 'union')
    return setValue(values, { key, value: looksLikeJson ? guessed(text.trim()) : text, inputs });
  const isObject = primitive === 'object' || primitive === 'record';
  if (primitive !== 'array' && !isObject) return setValue(values, { key, value: text, inputs });
  const reading = looksLikeJson ? parseJson(text) : undefined;
  if (reading?.ok === false) return notOfType(key, text, isObject ? 'object' : 'array');
  if (isObject) {
    if (reading !== undefined) return setValue(values, { key, value: reading.value, inputs });
    return notOfType(key, text, 'object');
  }
  const items = reading === undefined ? [text] : Array.isArray(reading.value) ? reading.value : [reading.value];
  if (parts !== undefined) return setValue(values, { key, value: items, inputs });
  const known = values.get(key);
  values.set(key, [...(Array.isArray(known) ? known : []), ...items]);
  return undefined;
}

/** What a part of an input is; undefined where its shape does not say it. */
function expressionAt(z: Expression | undefined, [step, ...deeper]: readonly string[]): Expression | undefined {
  if (z === undefined || step === undefined) return z;
  const { items, values, properties = {} } = z;
  return expressionAt(items ?? values ?? (Object.hasOwn(properties, step) ? properties[step] : undefined), deeper);
}

function setValue(
  values: Map<string, unknown>,
  { key, value, inputs }: { key: string; value: unknown; inputs: Inputs },
): Refused | undefined {
  const parts = inputOf(key, inputs) === undefined ? partsOf(key, inputs) : undefined;
  if (parts === undefined) {
    if (values.has(key)) return givenTwice(key);
    values.set(key, value);
    return undefined;
  }
  const { name, path } = parts;
  const changed = withPart(values.get(name), path, { key, value, z: inputOf(name, inputs)?.z });
  if ('result' in changed) return changed;
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
  part: { key: string; value: unknown; z: Expression | undefined },
): { value: unknown } | Refused {
  const { key, value, z } = part;
  if (step === undefined) {
    return whole === undefined ? { value } : givenTwice(key, z?.primitive === 'array');
  }
  const inner = { ...part, z: expressionAt(z, [step]) };
  const hasNames = z?.properties !== undefined || z?.values !== undefined;
  if (step === '' || (/^\d+$/.test(step) && !hasNames)) {
    const items = whole === undefined ? [] : whole;
    if (!Array.isArray(items)) return mixed(key);
    const index = step === '' ? items.length : Number(step);
    if (index > items.length) {
      return refused(`${key}: item ${items.length} is missing.`, 'Number the items from 0, without gaps.');
    }
    const item = withPart(items[index], deeper, inner);
    return 'result' in item ? item : { value: items.toSpliced(index, 1, item.value) };
  }
  const fields = whole === undefined ? {} : whole;
  if (!isRecord(fields)) return mixed(key);
  const field = withPart(Object.hasOwn(fields, step) ? fields[step] : undefined, deeper, inner);
  return 'result' in field ? field : { value: Object.fromEntries([...Object.entries(fields), [step, field.value]]) };
}

function givenTwice(key: string, isList: boolean = false): Refused {
  const fix = isList ? `Write ${key}[]=<value> for each item.` : `Write ${key}=<value> once.`;
  return refused(`${key} is given twice.`, fix);
}

function mixed(key: string): Refused {
  return refused(`${key}: the value around it is of another type.`, 'Use either [0] or .name at one place.');
}

/** Numbers, true, false, null, and quoted or nested JSON; anything else is text. */
function guessed(text: string): unknown {
  const isNumber = text !== '' && String(Number(text)) === text && Number.isFinite(Number(text));
  if (!isNumber && !/^(true|false|null|["[{].*)$/s.test(text)) return text;
  const reading = parseJson(text);
  return reading.ok ? reading.value : text;
}

function notOfType(key: string, text: string, primitive: 'array' | 'object'): Refused {
  const example =
    primitive === 'array'
      ? `${key}='["a","b"]', or ${key}=a ${key}=b`
      : `${key}='{"name":"value"}', or ${key}.name=value`;
  return refused(`${key}: ${shown(text)} is not a JSON ${primitive}.`, `Write ${example}.`);
}

function shown(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

function notJson(
  { key, text, file }: Pick<Assignment, 'key' | 'text' | 'file'>,
  { problem, position: { line, column } }: Extract<ParsedJson, { ok: false }>,
): Refused {
  if (file !== undefined) {
    const place = `line ${line}, character ${column}`;
    return refused(`${key}: ${file.path} is not JSON: ${problem} (${place}).`, 'Write valid JSON into the file.');
  }
  const fix = `Write ${key}='[…]' or ${key}='{…}' with valid JSON.`;
  return refused(`${key}: ${shown(text)} is not JSON: ${problem}.`, fix);
}
