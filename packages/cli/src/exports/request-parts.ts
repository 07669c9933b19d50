import type { Input, ParsedTool, Placement, Template } from '@schemakit/core/internal';
import type { NoteOmission } from './export-codes.ts';
import { type JsonObject, structureOf, wireSchema } from './wire-schema.ts';

/** A test of a tool: arguments by input. */
export type Example = JsonObject & { _description?: unknown };

export interface RequestContext {
  tool: ParsedTool;
  examples: readonly Example[];
  omit: NoteOmission;
}

/** The value of a placement: of one input, fixed, or made of several parts, which OpenAPI cannot say. */
export type Value =
  | { kind: 'input'; input: Input }
  | { kind: 'fixed'; value: unknown }
  | { kind: 'made'; inputs: readonly Input[]; text: string };

export function sentValue(template: Template, { tool }: Pick<RequestContext, 'tool'>): Value {
  const [first, ...others] = template;
  const inputOf = (name: string) => tool.inputs.find((input) => input.name === name);
  if (first?.kind === 'input' && others.length === 0) {
    const input = inputOf(first.name);
    if (input !== undefined) return { kind: 'input', input };
  }
  if (first?.kind === 'text' && others.length === 0) {
    return { kind: 'fixed', value: first.json ? literal(first.text) : first.text };
  }
  const inputs = template.flatMap((part) => (part.kind === 'input' ? (inputOf(part.name) ?? []) : []));
  return { kind: 'made', inputs, text: template.map(shownPart).join('') };
}

function shownPart(part: Template[number]): string {
  return part.kind === 'text' ? part.text : `{{${'name' in part ? part.name : part.key}}}`;
}

function literal(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Whether a value is always sent. */
export function isRequired(value: Value): boolean {
  if (value.kind === 'fixed') return true;
  const inputs = value.kind === 'input' ? [value.input] : value.inputs;
  return inputs.every(({ z }) => !z.optional);
}

/** The JSON Schema of what is sent for a value. */
export function schemaOfValue(value: Value, place: string, { omit }: Pick<RequestContext, 'omit'>): JsonObject {
  if (value.kind === 'input') return wireSchema(value.input);
  if (value.kind === 'fixed') return { const: value.value };
  omit('EXP024', `${place} is made of ${value.text}`, 'Clients of the document must write the whole value.');
  return { type: 'string', description: `Written as ${value.text}` };
}

/** The first value that the tests of the tool have for an input. */
export function exampleOf(value: Value, { examples }: Pick<RequestContext, 'examples'>): JsonObject {
  if (value.kind !== 'input') return {};
  const { name } = value.input;
  const found = examples.find((example) => Object.hasOwn(example, name));
  return found === undefined ? {} : { example: found[name] };
}

/** Parameters with these names are ignored (OpenAPI 3.1, "Parameter Object"). */
const ignoredHeaders = /^(accept|content-type|authorization)$/i;

/** The parameters of the query, of headers and of cookies. */
export function planParameters(
  { headers, placements }: Pick<ParsedTool, 'headers' | 'placements'>,
  context: RequestContext,
): JsonObject[] {
  const { tool, omit } = context;
  const parameters = headers.flatMap(({ name, value }): JsonObject[] => {
    const isReplaced = placements.some(
      ({ key, location }) => location === 'header' && key.toLowerCase() === name.toLowerCase(),
    );
    if (ignoredHeaders.test(name) || isReplaced) return [];
    const fixed = value.map(shownPart).join('');
    return [{ name, in: 'header', required: true, schema: { type: 'string', const: fixed } }];
  });
  for (const placement of placements) {
    const { location } = placement;
    if (location === 'query' || location === 'header' || location === 'cookie') {
      parameters.push(...planParameter(placement, location, context));
    }
  }
  const { idempotencyHeader: key } = tool;
  if (key !== undefined) {
    if (!/^idempotency-key$/i.test(key)) {
      omit('EXP026', `the header ${key} has a new key for each call`, 'Tell clients to send a random one.');
    }
    const description = 'A key by which the API recognises a request that is sent again.';
    parameters.push({ name: key, in: 'header', description, schema: { type: 'string' } });
  }
  return withoutRepeated(parameters, omit);
}

function planParameter(placement: Placement, location: string, context: RequestContext): JsonObject[] {
  const { key } = placement;
  const value = sentValue(placement.value, context);
  if (location === 'header' && ignoredHeaders.test(key)) {
    context.omit('EXP024', `callers choose the header ${key}`, 'OpenAPI derives it from types and security.');
    return [];
  }
  const { description, ...schema } = schemaOfValue(value, `${key} in the ${location}`, context);
  return [
    {
      name: key,
      in: location,
      ...(description !== undefined && { description }),
      ...(isRequired(value) && { required: true }),
      ...writing(placement, { value, schema, context }),
      ...exampleOf(value, context),
    },
  ];
}

/** How a value is written: with a `style`, or as JSON, as the format does with objects that have none. */
export function writing(
  { key, location, style }: Placement,
  { value, schema, context }: { value: Value; schema: JsonObject; context: RequestContext },
): JsonObject {
  const structure = value.kind === 'input' ? structureOf(value.input) : 'scalar';
  if (style !== undefined) {
    const isPlain = structure === 'scalar' && style.name !== 'label' && style.name !== 'matrix';
    return isPlain ? { schema } : { style: style.name, explode: style.explode, schema };
  }
  if (structure === 'object') return { content: { 'application/json': { schema } } };
  if (structure === 'mixed') {
    const message = `${key} in the ${location} is text, or JSON if it is an object`;
    context.omit('EXP024', message, 'Clients of the document write objects in the style of OpenAPI.');
    return { schema };
  }
  if (structure === 'scalar') return { schema };
  const isForm = location === 'query' || location === 'cookie';
  return { style: isForm ? 'form' : 'simple', explode: false, schema };
}

function withoutRepeated(parameters: readonly JsonObject[], omit: NoteOmission): JsonObject[] {
  const kept = new Map<string, JsonObject>();
  for (const parameter of parameters) {
    const place = `${parameter.in} ${String(parameter.name)}`;
    if (!kept.has(place)) kept.set(place, parameter);
    else omit('EXP024', `${parameter.name} is sent twice in the ${parameter.in}`, 'The document has the first.');
  }
  return [...kept.values()];
}
