import type { Random } from './random.ts';
import { capitalized, describeField, describeTool, fields } from './words.ts';

/** A tool of a made-up schema, with what its handlers must fit. */
export interface MadeUpTool {
  name: string;
  definition: object;
}

const verbs = ['get', 'list', 'search', 'fetch', 'count', 'compare', 'rank', 'track'] as const;

/** Makes up a tool as real ones are: mostly GET, two or three parameters, an answer of about twenty fields, one or two tests. */
export function makeUpTool(
  random: Random,
  { thing, index, list }: { thing: string; index: number; list?: string | undefined },
): MadeUpTool {
  const method = random.chance(0.06) ? 'POST' : 'GET';
  const parameters = makeUpParameters(random, { method, list });
  const insert = random.chance(0.3);
  const path = `/v${random.whole(1, 3)}/${thing}s${insert ? '/:id' : ''}/${random.pick(fields).toLowerCase()}`;
  const all = insert ? [parameter('id', 'insert', 'string()', ['min(1)'], `${thing}-1`), ...parameters] : parameters;
  return {
    name: `${verbs[index % verbs.length]}${capitalized(thing)}${random.pick(['Data', 'Entries', 'History', 'Summary'])}`,
    definition: {
      method,
      path,
      description: describeTool(random, thing),
      parameters: all.map(({ definition }) => definition),
      tests: makeUpTests(random, thing, all),
      ...(random.chance(0.74) && { output: { mimeType: 'application/json', schema: makeUpAnswer(random) } }),
    },
  };
}

interface Parameter {
  key: string;
  definition: object;
  /** A value for tests; undefined where callers pass none. */
  example: string | number | boolean | undefined;
  optional: boolean;
}

function parameter(
  key: string,
  location: string,
  primitive: string,
  options: readonly string[],
  example: Parameter['example'],
  value = '{{USER_PARAM}}',
): Parameter {
  const optional = options.some((option) => option === 'optional()' || option.startsWith('default('));
  return { key, example, optional, definition: { position: { key, value, location }, z: { primitive, options } } };
}

function makeUpParameters(random: Random, { method, list }: { method: string; list: string | undefined }): Parameter[] {
  const location = method === 'POST' ? 'body' : 'query';
  const kinds: Parameter[] = [
    parameter('q', location, 'string()', ['min(1)'], 'basil'),
    parameter('interval', location, 'enum(hour,day,week,month,year)', ['optional()', 'default(day)'], 'week'),
    parameter('limit', location, 'number()', ['optional()', 'default(20)', 'min(1)', 'max(100)'], 5),
    parameter('offset', location, 'number()', ['min(0)', 'optional()'], 0),
    parameter('currency', location, 'enum(usd,eur,gbp,jpy,btc,eth)', ['default(usd)'], 'eur'),
    parameter('includeHistory', location, 'boolean()', ['optional()'], true),
    parameter('address', location, 'string()', ['regex(^0x[a-fA-F0-9]{40}$)', 'optional()'], undefined),
    parameter('format', location, 'string()', [], undefined, 'json'),
    parameter('from_date', location, 'string()', ['length(10)', 'optional()'], '2026-01-31'),
  ];
  const chosen = random.sample(kinds, random.weighted([13, 24, 19, 14, 11, 8, 5]));
  const ofList = list === undefined ? [] : [parameter('country', location, `enum({{${list}:code}})`, [], 'DE')];
  return [...ofList, ...chosen];
}

function makeUpTests(random: Random, thing: string, parameters: readonly Parameter[]): object[] {
  return Array.from({ length: 1 + random.weighted([55, 33, 12]) }, (_, index) => {
    const used = parameters.filter(
      ({ example, optional }) => example !== undefined && (!optional || random.chance(0.6)),
    );
    const values = Object.fromEntries(used.map(({ key, example }) => [key, example]));
    return { _description: `Test ${index + 1}: ${describeTool(random, thing)}`, ...values };
  });
}

function makeUpAnswer(random: Random): object {
  const entry = { type: 'object', properties: makeUpFields(random, random.whole(8, 20)) };
  if (random.chance(0.13)) return { type: 'array', items: entry };
  const properties = makeUpFields(random, random.whole(1, 6));
  return {
    type: 'object',
    properties: { ...properties, data: random.chance(0.7) ? { type: 'array', items: entry } : entry },
  };
}

function makeUpFields(random: Random, count: number): Record<string, object> {
  const entries = random.sample(fields, count).map((field): [string, object] => {
    const type = ['string', 'number', 'boolean', 'integer'][random.weighted([52, 42, 5, 1])];
    const description = random.chance(0.1) && { description: describeField(random, field) };
    return [field, { type, ...description, ...(random.chance(0.06) && { nullable: true }) }];
  });
  return Object.fromEntries(entries);
}
