import { type ParsedSchema, type Placement, splitPlaceholders, type Template } from '@schemakit/core/internal';
import { exampleOf, type RequestContext, schemaOfValue, sentValue, writing } from './request-parts.ts';
import type { JsonObject } from './wire-schema.ts';

export interface PlannedPath {
  server: { url: string; variables?: JsonObject };
  /** With `{name}` for each parameter, without a query. */
  path: string;
  parameters: JsonObject[];
}

/** The server and the path of a tool. A query in its path becomes parameters. Undefined if the root is no http(s) address. */
export function planPath({ root }: ParsedSchema, context: RequestContext): PlannedPath | undefined {
  const { tool, omit } = context;
  if (!/^https?:\/\//i.test(root)) {
    omit('EXP013', `the root ${JSON.stringify(root)} is no http(s) address`, 'Export the tools of other schemas.');
    return undefined;
  }
  const rootParts = splitPlaceholders(root).length;
  const { base, query } = cutAtQuery(tool.url.slice(rootParts));
  const parameters = new Map<string, JsonObject>();
  const path = base.map((part) => pathText(part, parameters, context)).join('');
  if (path === '') omit('EXP024', 'the path is empty', 'The document has "/", which OpenAPI requires.');
  return {
    server: serverOf(tool.url.slice(0, rootParts), context),
    path: path.startsWith('/') ? path : `/${path}`,
    parameters: [...parameters.values(), ...queryParameters(query, context)],
  };
}

function serverOf(parts: Template, { omit }: RequestContext): PlannedPath['server'] {
  const names = parts.flatMap((part) => (part.kind === 'secret' ? part.name : []));
  const url = parts.map((part) => (part.kind === 'text' ? part.text : 'name' in part ? `{${part.name}}` : '')).join('');
  if (names.length === 0) return { url };
  const message = `the server parameter ${names.join(', ')} is a part of the address`;
  omit('EXP023', message, 'Clients fill in the variable of the server.');
  const variables = names.map((name) => [name, { default: name, description: `The server parameter ${name}.` }]);
  return { url, variables: Object.fromEntries(variables) };
}

function cutAtQuery(template: Template): { base: Template; query: Template } {
  const index = template.findIndex((part) => part.kind === 'text' && part.text.includes('?'));
  const part = template[index];
  if (part?.kind !== 'text') return { base: template, query: [] };
  const cut = part.text.indexOf('?');
  return {
    base: [...template.slice(0, index), { kind: 'text', text: part.text.slice(0, cut) }],
    query: [{ kind: 'text', text: part.text.slice(cut + 1) }, ...template.slice(index + 1)],
  };
}

/** Braces that an author wrote would be read as a parameter. */
function fixedText(text: string): string {
  return text.replaceAll('{', '%7B').replaceAll('}', '%7D').replaceAll('#', '%23');
}

function pathText(part: Template[number], parameters: Map<string, JsonObject>, context: RequestContext): string {
  const { tool } = context;
  if (part.kind === 'text') return fixedText(part.text);
  if (part.kind === 'secret') return secretParameter(part.name, parameters, context);
  const placement = part.kind === 'insert' ? insertOf(tool.placements, part.key) : undefined;
  if (placement === undefined) {
    const name = 'name' in part ? part.name : part.key;
    return addParameter(
      { key: name, location: 'insert', value: [{ kind: 'input', name }], optional: false },
      parameters,
      context,
    );
  }
  const [first, ...others] = placement.value;
  if (others.length === 0 && first?.kind === 'input') return addParameter(placement, parameters, context);
  return placement.value
    .map((each) => (each.kind === 'text' ? encodeURIComponent(each.text) : pathText(each, parameters, context)))
    .join('');
}

function insertOf(placements: readonly Placement[], key: string): Placement | undefined {
  return placements.findLast((placement) => placement.location === 'insert' && placement.key === key);
}

function addParameter(placement: Placement, parameters: Map<string, JsonObject>, context: RequestContext): string {
  const { key } = placement;
  const value = sentValue(placement.value, context);
  const { description, ...schema } = schemaOfValue(value, `${key} in the path`, context);
  if (value.kind === 'input' && value.input.z.optional && value.input.z.default === undefined) {
    const message = `${key} in the path may be missing, and its segment with it`;
    context.omit('EXP024', message, 'The document requires it. Describe the other request as a tool of its own.');
  }
  parameters.set(key, {
    ...{ name: key, in: 'path', required: true },
    ...(description !== undefined && { description }),
    ...writing(placement, { value, schema, context }),
    // OpenAPI 3.2 has it without the prefix, 3.1 not for paths.
    ...(placement.style === undefined && canHaveSlash(schema) && { 'x-allowReserved': true }),
    ...exampleOf(value, context),
  });
  return `{${key}}`;
}

/** Without a style, slashes of a value stay slashes. */
function canHaveSlash({ type, enum: values }: JsonObject): boolean {
  if (Array.isArray(values)) return values.some((value) => String(value).includes('/'));
  return !['integer', 'number', 'boolean'].includes(String(type));
}

function secretParameter(name: string, parameters: Map<string, JsonObject>, { omit }: RequestContext): string {
  omit('EXP023', `the server parameter ${name} is a part of the path`, 'Clients pass it as a parameter.');
  const description = `The server parameter ${name}.`;
  parameters.set(name, { name, in: 'path', required: true, description, schema: { type: 'string' } });
  return `{${name}}`;
}

/** The pairs of a query that stands in the path, such as `format=json&q={{q}}`. */
function queryParameters(query: Template, context: RequestContext): JsonObject[] {
  const pairs: Template[] = [[]];
  for (const part of query) {
    if (part.kind !== 'text') pairs.push([...(pairs.pop() ?? []), part]);
    else {
      const [first = '', ...others] = part.text.split('&');
      pairs.push([...(pairs.pop() ?? []), { kind: 'text', text: first }]);
      for (const text of others) pairs.push([{ kind: 'text', text }]);
    }
  }
  return pairs.flatMap((pair): JsonObject[] => {
    const [first, ...rest] = pair.filter((part) => part.kind !== 'text' || part.text !== '');
    if (first === undefined) return [];
    const [name = '', start = ''] = first.kind === 'text' ? splitPair(first.text) : [];
    if (name === '') {
      context.omit('EXP024', 'a caller chooses the name of a parameter of the query', 'Add it to the document.');
      return [];
    }
    const decoded: Template = [...(start === '' ? [] : [{ kind: 'text' as const, text: decode(start) }]), ...rest];
    const value = sentValue(decoded.length === 0 ? [{ kind: 'text', text: '' }] : decoded, context);
    const { description, ...schema } = schemaOfValue(value, `${name} in the query`, context);
    const text = description === undefined ? {} : { description };
    return [{ name: decode(name), in: 'query', ...text, required: true, schema, ...exampleOf(value, context) }];
  });
}

function splitPair(text: string): [name: string, value: string] {
  const cut = text.indexOf('=');
  return cut === -1 ? [text, ''] : [text.slice(0, cut), text.slice(cut + 1)];
}

function decode(text: string): string {
  return new URLSearchParams(`x=${text}`).get('x') ?? text;
}
