import type { ParsedTool, Placement } from '@schemakit/core/internal';
import { type Example, isRequired, type RequestContext, schemaOfValue, sentValue } from './request-parts.ts';
import type { JsonObject } from './wire-schema.ts';

const methodsWithBody = new Set(['POST', 'PUT', 'PATCH']);

/** The request body of a tool, by its encoding. Undefined for a request without one. */
export function planBody(headers: ParsedTool['headers'], context: RequestContext): JsonObject | undefined {
  const { tool, omit } = context;
  const fields = tool.placements.filter(({ location }) => location === 'body');
  if (tool.method === 'GET' || tool.method === 'HEAD') {
    for (const { key } of fields) omit('EXP025', `${key} in the body of a ${tool.method}`, 'It is not sent.');
    return undefined;
  }
  if (fields.length === 0 && !methodsWithBody.has(tool.method)) return undefined;
  const encoding = encodingOf(headers, fields, tool);
  const types = mediaTypes(encoding, headers, fields, tool);
  const [only] = fields;
  const isAlone = encoding === 'text' || encoding === 'binary' || only?.whole === true;
  if (isAlone && only === undefined) return undefined;
  const media = isAlone && only ? loneMedia(only, encoding, context) : objectMedia(fields, encoding, context);
  const required = !(isAlone && only) || isRequired(sentValue(only.value, context));
  return { ...(required && { required }), content: Object.fromEntries(types.map((type) => [type, media])) };
}

type Encoding = NonNullable<ParsedTool['encoding']>;

/** As docs/format.md, "Body": without `encoding`, the content type decides. */
function encodingOf(
  headers: ParsedTool['headers'],
  fields: readonly Placement[],
  { encoding, inputs }: ParsedTool,
): Encoding {
  if (encoding !== undefined) return encoding;
  const type = contentType(headers) ?? '';
  if (/^application\/x-www-form-urlencoded/i.test(type)) return 'form';
  const [only, ...others] = fields;
  const [part] = only?.value ?? [];
  const input = part?.kind === 'input' ? inputs.find(({ name }) => name === part.name) : undefined;
  return /^text\//i.test(type) && input?.z.primitive === 'string' && others.length === 0 ? 'text' : 'json';
}

function contentType(headers: ParsedTool['headers']): string | undefined {
  const found = headers.find(({ name }) => name.toLowerCase() === 'content-type');
  return found?.value.map((part) => (part.kind === 'text' ? part.text : '')).join('');
}

function mediaTypes(
  encoding: Encoding,
  headers: ParsedTool['headers'],
  [field]: readonly Placement[],
  { inputs }: ParsedTool,
): readonly string[] {
  if (encoding === 'form') return ['application/x-www-form-urlencoded'];
  if (encoding === 'multipart') return ['multipart/form-data'];
  const own = contentType(headers);
  if (own !== undefined && own !== '') return [own];
  if (encoding !== 'binary') return [encoding === 'text' ? 'text/plain' : 'application/json'];
  const [part] = field?.value ?? [];
  const input = part?.kind === 'input' ? inputs.find(({ name }) => name === part.name) : undefined;
  return input?.z.types ?? ['application/octet-stream'];
}

/** A body that is one value. */
function loneMedia(field: Placement, encoding: Encoding, context: RequestContext): JsonObject {
  // The bytes of a file have no schema (OpenAPI 3.1, "Considerations for File Uploads").
  if (encoding === 'binary') return {};
  const value = sentValue(field.value, context);
  const schema = schemaOfValue(value, 'the body', context);
  const named = value.kind === 'input' ? value.input.name : undefined;
  return { schema, ...mediaExamples(context, (example) => (named === undefined ? undefined : example[named])) };
}

function objectMedia(fields: readonly Placement[], encoding: Encoding, context: RequestContext): JsonObject {
  const members = fields.map((field) => ({ ...field, from: sentValue(field.value, context) }));
  const required = members.flatMap(({ key, from }) => (isRequired(from) ? key : []));
  const schema = {
    type: 'object',
    properties: Object.fromEntries(members.map((field) => [field.key, memberSchema(field, encoding, context)])),
    ...(required.length > 0 && { required }),
    ...(fields.length === 0 && { additionalProperties: false }),
  };
  const styles = members.flatMap(({ key, style }) =>
    encoding === 'form' && style !== undefined ? [[key, { style: style.name, explode: style.explode }]] : [],
  );
  const valuesOf = (example: Example) => {
    const entries = members.flatMap(({ key, from }) => {
      if (from.kind === 'fixed') return [[key, from.value]];
      return from.kind === 'input' && Object.hasOwn(example, from.input.name) ? [[key, example[from.input.name]]] : [];
    });
    return fields.length === 0 ? undefined : Object.fromEntries(entries);
  };
  return {
    schema,
    ...(styles.length > 0 && { encoding: Object.fromEntries(styles) }),
    ...mediaExamples(context, valuesOf),
  };
}

function memberSchema(
  field: Placement & { from: ReturnType<typeof sentValue> },
  encoding: Encoding,
  context: RequestContext,
): JsonObject {
  const { key, from, value, isFile } = field;
  const secrets = value.flatMap((part) => (part.kind === 'secret' ? part.name : []));
  if (secrets.length > 0) {
    const message = `the server parameter ${secrets.join(', ')} is ${key} in the body`;
    context.omit('EXP023', message, 'Clients pass it as a value.');
    return { type: 'string', description: `The server parameter ${secrets.join(', ')}.` };
  }
  if (encoding !== 'multipart' || !isFile || from.kind !== 'input')
    return schemaOfValue(from, `${key} in the body`, context);
  const { z } = from.input;
  const types = (z.primitive === 'array' ? z.items?.types : z.types) ?? ['application/octet-stream'];
  const text = from.input.description ?? z.description;
  const file = { type: 'string', contentMediaType: types.join(', ') };
  const description = text === undefined ? {} : { description: text };
  return z.primitive === 'array' ? { type: 'array', items: file, ...description } : { ...file, ...description };
}

/** The tests of a tool as examples of its body. */
function mediaExamples({ examples }: RequestContext, valueOfTest: (example: Example) => unknown): JsonObject {
  const named = examples.flatMap((example, index): [string, JsonObject][] => {
    const value = valueOfTest(example);
    if (value === undefined) return [];
    const { _description: summary } = example;
    return [[`test${index + 1}`, { ...(typeof summary === 'string' && { summary }), value }]];
  });
  return named.length === 0 ? {} : { examples: Object.fromEntries(named) };
}
