import { createJsonSchemaChecker, type JsonSchemaChecker } from '@schemakit/core/internal';
import { distinct, field, isPlainObject, type PlainObject, texts } from '../findings/plain-object.ts';

export interface Arguments {
  value: PlainObject;
  /** False if the input schema may not allow them; then they are a best guess. */
  isValid: boolean;
}

/** Schemas are untrusted: limits for nesting, for schemas of one value, for items and properties, and for characters. */
const MAX_DEPTH = 8;
const MAX_PARTS = 100;
const MAX_ITEMS = 100;
const MAX_LENGTH = 10_000;
/** Values that are generated for all arguments together. */
const MAX_VALUES = 500;
/** Steps for checking all of them. */
const MAX_STEPS = 40_000;

/** Plain texts of formats (JSON Schema validation 7.3, and some others that servers use). */
const FORMATS: Readonly<Record<string, string>> = {
  date: '2024-01-01',
  'date-time': '2024-01-01T00:00:00Z',
  time: '00:00:00Z',
  duration: 'P1D',
  email: 'test@example.com',
  'idn-email': 'test@example.com',
  hostname: 'example.com',
  ip: '192.0.2.1',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  iri: 'https://example.com/',
  'uri-reference': '/',
  'uri-template': '/{id}',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  'json-pointer': '/a',
  'relative-json-pointer': '0',
  regex: 'a',
  byte: 'dGVzdA==',
  jwt: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
  'iso-time': '00:00:00Z',
  'iso-date-time': '2024-01-01T00:00:00Z',
};

/** Tried if a pattern does not match the plain text: most patterns describe a format, a number, a word or an address. */
const GUESSES = ['1', '123', '2024', 'TEST', 'USD', 'Test', 'a1', `0x${'0'.repeat(39)}1`, ...Object.values(FORMATS)];

/** Makes few arguments that an input schema allows: servers check them before they ask for payment. The same schema gives the same. */
export function sampleArguments(inputSchema: PlainObject): Arguments {
  const checker = createJsonSchemaChecker(inputSchema, { maxSteps: MAX_STEPS });
  const sampled = sampleValue(
    { type: 'object', allOf: [inputSchema] },
    { checker, depth: 0, room: { left: MAX_VALUES } },
  );
  const value = isPlainObject(sampled) ? sampled : {};
  return { value, isValid: checker.check(value) === 'fits' };
}

interface Sampling {
  checker: JsonSchemaChecker;
  depth: number;
  /** Remaining number of values. */
  room: { left: number };
}

/** The first candidate that the schema allows, else the first. */
function sampleValue(schema: unknown, sampling: Sampling): unknown {
  if (sampling.depth > MAX_DEPTH || --sampling.room.left < 0) return null;
  const parts = partsOf(schema, sampling.checker);
  const inner = { ...sampling, depth: sampling.depth + 1 };
  let first: unknown;
  for (const candidate of candidates(parts, inner)) {
    if (sampling.checker.check(candidate, schema) === 'fits') return candidate;
    first ??= candidate;
  }
  return first ?? null;
}

/** All schemas that apply to a value: follows references and `allOf`, and the first branch of each choice. */
function partsOf(schema: unknown, { referred }: JsonSchemaChecker): PlainObject[] {
  const parts = new Set<PlainObject>();
  const open = [schema];
  while (open.length > 0 && parts.size < MAX_PARTS) {
    const next = open.shift();
    if (!isPlainObject(next) || parts.has(next)) continue;
    parts.add(next);
    open.push(...referred(next), ...list(next, 'allOf').slice(0, MAX_PARTS));
    for (const keyword of ['anyOf', 'oneOf']) {
      const branches = list(next, keyword);
      // Other branches are better samples than `null`.
      open.push(branches.find((branch) => field(branch, 'type') !== 'null') ?? branches[0]);
    }
  }
  return [...parts];
}

function* candidates(parts: readonly PlainObject[], sampling: Sampling): Generator<unknown> {
  for (const keyword of ['const', 'default'])
    for (const part of parts) if (Object.hasOwn(part, keyword)) yield part[keyword];
  for (const keyword of ['examples', 'enum']) for (const part of parts) yield* list(part, keyword).slice(0, MAX_ITEMS);
  const types = typesOf(parts);
  if (types.includes('object')) yield sampleObject(parts, sampling);
  else if (types.includes('array')) yield sampleArray(parts, sampling);
  else if (types.includes('string')) yield* sampleTexts(parts);
  else if (types.includes('integer') || types.includes('number')) yield* sampleNumbers(parts);
  else if (types.includes('boolean')) yield* [false, true];
  else if (!types.includes('null')) yield* ['test', 1, false, {}, []];
  yield null;
}

/** The stated types; without any, the type that the keywords imply. */
function typesOf(parts: readonly PlainObject[]): readonly string[] {
  const stated = parts.flatMap((part) => (typeof part.type === 'string' ? [part.type] : texts(field(part, 'type'))));
  const has = (...keywords: string[]): boolean =>
    parts.some((part) => keywords.some((name) => Object.hasOwn(part, name)));
  if (stated.length > 0) return stated;
  if (has('properties', 'required', 'minProperties', 'additionalProperties')) return ['object'];
  if (has('items', 'prefixItems', 'minItems', 'contains')) return ['array'];
  if (has('pattern', 'format', 'minLength', 'maxLength')) return ['string'];
  return has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf') ? ['number'] : [];
}

function sampleObject(parts: readonly PlainObject[], sampling: Sampling): PlainObject {
  const required = parts.flatMap((part) => texts(field(part, 'required')));
  const declared = parts.flatMap((part) => Object.keys(isPlainObject(part.properties) ? part.properties : {}));
  const least = Math.max(required.length, largest(parts, 'minProperties', 0));
  const names = distinct([...required, ...declared]).slice(0, Math.min(least, MAX_ITEMS));
  const entries = names.map((name) => {
    const schemas = parts.map((part) => field(field(part, 'properties'), name) ?? field(part, 'additionalProperties'));
    return [name, sampleValue({ allOf: schemas.filter((schema) => schema !== undefined) }, sampling)];
  });
  // Built from entries: a property may be called `__proto__`.
  return Object.fromEntries(entries);
}

function sampleArray(parts: readonly PlainObject[], sampling: Sampling): unknown[] {
  const contained = parts.filter((part) => Object.hasOwn(part, 'contains')).map((part) => part.contains);
  const length = Math.min(MAX_ITEMS, Math.max(contained.length > 0 ? 1 : 0, largest(parts, 'minItems', 0)));
  return Array.from({ length }, (_, index) => {
    const stated = parts.map((part) => list(part, 'prefixItems')[index] ?? list(part, 'items')[index] ?? part.items);
    const allOf = [...stated, ...(index === 0 ? contained : [])].filter((schema) => schema !== undefined);
    return sampleValue({ allOf }, sampling);
  });
}

function* sampleTexts(parts: readonly PlainObject[]): Generator<string> {
  const least = Math.min(largest(parts, 'minLength', 0), MAX_LENGTH);
  const most = Math.min(...numbers(parts, 'maxLength'), MAX_LENGTH);
  const formats = texts(parts.map((part) => field(part, 'format'))).flatMap((format) =>
    Object.hasOwn(FORMATS, format) ? (FORMATS[format] ?? []) : [],
  );
  for (const text of [...formats, 'test'.padEnd(least, 'a')]) yield text.slice(0, most);
  if (!parts.some((part) => Object.hasOwn(part, 'pattern'))) return;
  for (const text of GUESSES) yield text.padEnd(least, text.at(-1)).slice(0, most);
}

function* sampleNumbers(parts: readonly PlainObject[]): Generator<number> {
  const step = largest(parts, 'multipleOf', 0);
  const low = Math.max(...['minimum', 'exclusiveMinimum'].flatMap((keyword) => numbers(parts, keyword)));
  const high = Math.min(...['maximum', 'exclusiveMaximum'].flatMap((keyword) => numbers(parts, keyword)));
  const multiple = Math.ceil(low / step) * step;
  const made = [1, 0, low, Math.ceil(low), Math.floor(low) + 1, step, multiple, multiple + step, (low + high) / 2];
  yield* [...made, high, Math.floor(high), Math.ceil(high) - 1, Math.floor(high / step) * step].filter(Number.isFinite);
}

function numbers(parts: readonly PlainObject[], keyword: string): number[] {
  return parts.map((part) => field(part, keyword)).filter((value) => typeof value === 'number');
}

function largest(parts: readonly PlainObject[], keyword: string, otherwise: number): number {
  return Math.max(otherwise, ...numbers(parts, keyword));
}

function list(schema: PlainObject, keyword: string): readonly unknown[] {
  const value = field(schema, keyword);
  return Array.isArray(value) ? value : [];
}
