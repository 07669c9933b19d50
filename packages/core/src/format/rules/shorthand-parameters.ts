import type { Report } from '../finding.ts';
import { schemaFinding } from '../finding-codes.ts';
import { isObject } from '../json.ts';

/**
 * The array of parameters. The shorthand object form (name to `{ type, required, description }`, specification 2.2) is
 * converted: names that stand in the path are inserted there, others go to the query, or to the body where there is one.
 */
export function parameterArray(
  value: unknown,
  { path, method, route, report }: { path: string; method: string; route: unknown; report: Report },
): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const place = `${path}.parameters`;
  if (!isObject(value)) {
    const message = value === undefined ? `parameters is required (${path})` : `parameters must be an array (${path})`;
    report(schemaFinding('VAL035', place, message, { hint: 'Write [] when the tool takes none.' }));
    return [];
  }
  report(
    schemaFinding('VAL053', place, `parameters is the shorthand object (${path})`, {
      hint: 'It is converted. The array form says where each value goes.',
    }),
  );
  return Object.entries(value).map(([key, field]) =>
    toParameter(key, isObject(field) ? field : {}, { method, route: typeof route === 'string' ? route : '' }),
  );
}

const primitives: Record<string, string> = {
  string: 'string()',
  number: 'number()',
  integer: 'number()',
  boolean: 'boolean()',
  array: 'array()',
  object: 'object()',
};

function toParameter(
  key: string,
  field: Record<string, unknown>,
  { method, route }: { method: string; route: string },
) {
  const inPath = route.includes(`{{${key}}}`) || route.split(/[/.?&=]/).includes(`:${key}`);
  const carriesBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const location = inPath ? 'insert' : carriesBody ? 'body' : 'query';
  const values = Array.isArray(field.enum) ? field.enum.filter((item) => typeof item !== 'object') : undefined;
  const primitive = values
    ? `enum(${JSON.stringify(values.map(String))})`
    : ((typeof field.type === 'string' ? primitives[field.type] : undefined) ?? 'string()');
  const options = [
    ...(field.default !== undefined ? [`default(${JSON.stringify(field.default)})`] : []),
    ...(field.required === true || field.default !== undefined ? [] : ['optional()']),
  ];
  return {
    position: { key, value: '{{USER_PARAM}}', location },
    z: { primitive, options },
    ...(typeof field.description === 'string' && { description: field.description }),
  };
}
