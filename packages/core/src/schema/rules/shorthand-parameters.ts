import { childPath } from '../finding.ts';
import { fieldsOf } from '../format/fields.generated.ts';
import { isObject } from '../json.ts';
import { type Place, ruleReport } from '../rule-report.ts';
import { reportUnknownFields } from './fields.ts';

interface ShorthandContext extends Place {
  method: string;
  /** The tool's path, as written. */
  route: unknown;
}

/** A parameter in the array form, its path, and the report for its findings. */
export interface ParameterItem extends Place {
  item: unknown;
}

const maxParameters = 1000;

/** The parameters with their paths. Findings about a converted one point at the original field. */
export function parameterItems(value: unknown, context: ShorthandContext): readonly ParameterItem[] {
  const { report } = context;
  const place = `${context.path}.parameters`;
  const items = parameterArray(value, context);
  if (items.length > maxParameters) {
    const message = `the tool has ${items.length} parameters; the maximum is ${maxParameters} (${context.path})`;
    report('VAL035', place, message);
    return [];
  }
  const keys: readonly (string | number)[] = isObject(value) ? Object.keys(value) : [...items.keys()];
  return items.map((item, index) => {
    const path = childPath(place, keys[index] ?? index);
    if (!isObject(value)) return { item, path, report };
    return { item, path, report: ruleReport((finding) => report({ ...finding, path })) };
  });
}

/** The array of parameters. In the shorthand object, names in the path become insert parameters; others go to the body or the query. */
function parameterArray(value: unknown, { path, method, route, report }: ShorthandContext): readonly unknown[] {
  // `map` would skip holes.
  if (Array.isArray(value)) return Array.from(value);
  const place = `${path}.parameters`;
  if (!isObject(value)) {
    const message = value === undefined ? `parameters is required (${path})` : `parameters must be an array (${path})`;
    report('VAL035', place, message, 'Write [] if the tool has none.');
    return [];
  }
  const hint = 'It is converted; write the array form to choose where each value goes.';
  report('VAL053', place, `parameters is the shorthand object (${path})`, hint);
  const inserted = insertedNames(route);
  const rest = method === 'POST' || method === 'PUT' || method === 'PATCH' ? 'body' : 'query';
  return Object.entries(value).map(([key, field]) => {
    reportField(field, { path: childPath(place, key), report });
    return toParameter(key, isObject(field) ? field : { type: field }, inserted.has(key) ? 'insert' : rest);
  });
}

/** Anything but `{ type, … }` or the name of a type is treated as text. */
function reportField(field: unknown, { path, report }: Place): void {
  const say = (message: string) =>
    report('VAL053', path, `${message} (${path})`, `Types are ${[...primitives.keys()].join(', ')}.`);
  if (!isObject(field)) {
    const type = primitives.has(field) ? JSON.stringify(field) : '"string"';
    say(`a shorthand parameter must be an object; { type: ${type} } is assumed`);
    return;
  }
  reportUnknownFields(field, fieldsOf.ShorthandParameter, { path, report });
  if (field.type !== undefined && !primitives.has(field.type)) {
    say(`type ${JSON.stringify(field.type) ?? 'undefined'} is not known; "string" is assumed`);
  }
}

/** The names in `{{name}}` and `:name`. */
function insertedNames(route: unknown): ReadonlySet<string> {
  if (typeof route !== 'string') return new Set();
  const braced = [...route.matchAll(/\{\{([^{}]*)\}\}/g)].map(([, name = '']) => name);
  const segments = route.split(/[/.?&=]/).filter((segment) => segment.startsWith(':'));
  return new Set([...braced, ...segments.map((segment) => segment.slice(1))]);
}

const primitives: ReadonlyMap<unknown, string> = new Map([
  ['string', 'string()'],
  ['number', 'number()'],
  ['integer', 'integer()'],
  ['boolean', 'boolean()'],
  ['array', 'array()'],
  ['object', 'object()'],
]);

function toParameter(key: string, field: Record<string, unknown>, location: 'insert' | 'body' | 'query') {
  const values = Array.isArray(field.enum) ? field.enum.filter((item) => typeof item !== 'object') : undefined;
  const primitive = values ? `enum(${JSON.stringify(values.map(String))})` : (primitives.get(field.type) ?? 'string()');
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
