import type { JsonObject } from '../read/read-document.ts';

/** A schema that each of the values fits. Members that all of them have are required. */
export function sampleSchema(samples: readonly unknown[]): JsonObject {
  const values = samples.filter((value) => value !== null);
  const schema = schemaOf(values);
  const isNullable = values.length < samples.length && typeof schema.type === 'string';
  return isNullable ? { ...schema, type: [schema.type, 'null'] } : schema;
}

function schemaOf(values: readonly unknown[]): JsonObject {
  const types = new Set(values.map(typeOf));
  if (types.has('number')) types.delete('integer');
  const [type] = types;
  if (type === undefined || types.size > 1) return {};
  if (type === 'array') {
    const items = sampleSchema((values as unknown[][]).flat());
    return { type, ...(Object.keys(items).length > 0 && { items }) };
  }
  if (type !== 'object') return { type };
  const objects = values as Record<string, unknown>[];
  const samples = new Map<string, unknown[]>();
  for (const [key, value] of objects.flatMap(Object.entries)) samples.set(key, [...(samples.get(key) ?? []), value]);
  const required = [...samples].filter(([, own]) => own.length === objects.length && !own.includes(null));
  return {
    type,
    required: required.map(([key]) => key),
    properties: Object.fromEntries([...samples].map(([key, own]) => [key, sampleSchema(own)])),
  };
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** The value that a text of a URL or form stands for. */
export function scalarValue(text: string): string | number | boolean {
  if (/^(true|false)$/.test(text)) return text === 'true';
  return /^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Undefined for what is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
