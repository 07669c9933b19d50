import type { CallResult, Offer, Redirect, ServedTool } from '../catalog/offer.ts';
import type { SearchDocument, ToolSearch } from './tool-search.ts';

const defaultLimit = 10;
const maxLimit = 50;

/** The tools that stand for all others: one finds them, one describes them, one calls them. */
export interface DiscoveryTools {
  tools: ServedTool[];
  redirects: ReadonlyMap<string, (args: Record<string, unknown>) => Redirect>;
}

/** @param hidden The tools that are found by them, in a fixed order. */
export function discoveryTools(hidden: Pick<Offer['tools'], 'count' | 'all'>): DiscoveryTools {
  // Thousands of names and descriptions take a while: not before somebody asks.
  const byName = once(() => new Map(hidden.all.map((tool) => [tool.listing.name, tool])));
  const openSearch = once(
    async (): Promise<ToolSearch> => (await import('./tool-search.ts')).createToolSearch(hidden.all.map(documentOf)),
  );

  const search = metaTool({
    name: 'search_tools',
    description: `Find tools by what they do. There are ${hidden.count}. Answers the names and descriptions of those that match best; describe_tool tells their parameters, call_tool calls them.`,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'Words on what is wanted, such as "weather forecast"' },
        limit: { type: 'integer', minimum: 1, maximum: maxLimit, default: defaultLimit },
      },
      required: ['query'],
    },
    async call({ query, limit = defaultLimit, ...others }) {
      const [other] = Object.keys(others);
      if (other !== undefined) return problem(`${other}: there is no such argument. They are query and limit.`);
      if (typeof query !== 'string' || query.trim() === '') return problem('query: expected words to search for.');
      if (!Number.isInteger(limit) || (limit as number) < 1 || (limit as number) > maxLimit) {
        return problem(`limit: expected a whole number from 1 to ${maxLimit}.`);
      }
      const found = (await openSearch()).search(query, { some: true });
      const tools = found.slice(0, limit as number).flatMap(({ id }) => hidden.all[Number(id)] ?? []);
      return answer({
        total: found.length,
        tools: tools.map(({ listing: { name, description, inputSchema } }) => ({
          name,
          description,
          parameters: Object.keys(Object(inputSchema.properties)),
          required: inputSchema.required ?? [],
        })),
      });
    },
  });
  const describe = metaTool({
    name: 'describe_tool',
    description: 'Tell all about a tool that search_tools found: its parameters as JSON Schema, and what it answers.',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', description: 'The name as search_tools gives it' } },
      required: ['name'],
    },
    async call({ name }) {
      const tool = find(name);
      return tool === undefined ? unknown(name) : answer(tool.listing);
    },
  });
  const callTool = metaTool({
    name: 'call_tool',
    description: 'Call a tool that search_tools found.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'The name as search_tools gives it' },
        arguments: { type: 'object', description: 'Its arguments, as describe_tool tells them', default: {} },
      },
      required: ['name'],
    },
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    call: async ({ name }) => unknown(name),
  });

  async function unknown(name: unknown): Promise<CallResult> {
    if (typeof name !== 'string') return problem('name: expected the name of a tool.');
    const { nearestWord } = await import('@schemakit/core');
    const meant = nearestWord(name, byName().keys());
    return problem(
      `There is no tool ${name}. ${meant === undefined ? 'Find one with search_tools.' : `Did you mean ${meant}?`}`,
    );
  }

  const tools = [search, describe, callTool];
  const find = (name: unknown) => byName().get(String(name)) ?? tools.find(({ listing }) => listing.name === name);

  const redirect = ({ name, arguments: args = {} }: Record<string, unknown>): Redirect => {
    const tool = find(name);
    // Its own call says what is meant instead.
    if (tool === undefined) return { tool: callTool, args: { name } };
    if (typeof args !== 'object' || args === null || Array.isArray(args)) {
      return { result: problem('arguments: expected an object with the arguments of the tool.') };
    }
    return { tool, args: args as Record<string, unknown> };
  };
  return { tools, redirects: new Map([['call_tool', redirect]]) };
}

function documentOf({ listing, namespace, toolName: name, tags }: ServedTool, id: number): SearchDocument {
  const parameters = Object.keys(Object(listing.inputSchema.properties));
  return { id, namespace, name, tags, description: listing.description, parameters };
}

function metaTool({
  name,
  description,
  inputSchema,
  hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  call,
}: {
  name: string;
  description: string;
  inputSchema: ServedTool['listing']['inputSchema'];
  hints?: Omit<ServedTool['listing']['annotations'], 'title'>;
  call(args: Record<string, unknown>): Promise<CallResult>;
}): ServedTool {
  const title = name.charAt(0).toUpperCase() + name.slice(1).replace('_', ' ');
  return {
    listing: { name, title, description, inputSchema, annotations: { title, ...hints } },
    aliases: [],
    namespace: '',
    tags: [],
    toolName: name,
    requiredServerParams: [],
    call: (args) => call(Object(args)),
  };
}

function answer(value: unknown): CallResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }] };
}

function problem(text: string): CallResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** Makes a value when it is first asked for, and gives the same from then on. */
function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
