import {
  type CallResult,
  createToolCatalog,
  type RedirectedCall,
  type ServedTool,
  type ToolCatalog,
} from '../catalog/tool-catalog.ts';
import type { SearchDocument, ToolSearch } from './tool-search.ts';

const defaultLimit = 10;
const maxLimit = 50;

/** A catalog that lists the `pinned` tools, and three that find, describe and call the others. All can still be called by name. */
export function discoveryCatalog(
  catalog: ToolCatalog,
  { pinned = [] }: { pinned?: readonly string[] | undefined } = {},
): ToolCatalog {
  const hidden = catalog.tools;
  const { tools, call } = discoveryTools(hidden);
  const listed = pinned.length === 0 ? [] : hidden.all.filter(({ listing }) => pinned.includes(listing.name));
  const { list, byName } = createToolCatalog(tools).tools;
  return {
    ...catalog,
    tools: {
      count: hidden.count,
      // Lazy: reading thousands of tools takes a while.
      get all() {
        return hidden.all;
      },
      list: [...list, ...listed.map(({ listing }) => listing)],
      byName: { get: (name) => byName.get(name) ?? hidden.byName.get(name) },
      redirects: new Map([['call_tool', call]]),
    },
  };
}

/** @param hidden The tools that these find. */
function discoveryTools(hidden: Pick<ToolCatalog['tools'], 'count' | 'all'>): {
  tools: ServedTool[];
  call: (args: Record<string, unknown>) => RedirectedCall;
} {
  // Lazy, as above.
  const byName = once(() => new Map(hidden.all.map((tool) => [tool.listing.name, tool])));
  const openSearch = once(
    async (): Promise<ToolSearch> => (await import('./tool-search.ts')).createToolSearch(hidden.all.map(documentOf)),
  );
  const name = { type: 'string', description: 'The name from search_tools' };

  const search = metaTool('search_tools', {
    description: `Find tools by what they do. There are ${hidden.count}. Returns the names and descriptions of the best matches; describe_tool gives their parameters, call_tool calls them.`,
    properties: {
      query: { type: 'string', description: 'What the tool should do, such as "weather forecast"' },
      limit: { type: 'integer', minimum: 1, maximum: maxLimit, default: defaultLimit },
    },
    required: 'query',
    async call({ query, limit = defaultLimit, ...others }) {
      const [other] = Object.keys(others);
      if (other !== undefined) return problem(`${other}: unknown argument. Use query and limit.`);
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
  const describe = metaTool('describe_tool', {
    description: 'Describe a tool that search_tools found: its parameters as JSON Schema, and its output.',
    properties: { name },
    required: 'name',
    async call({ name }) {
      const tool = find(name);
      return tool === undefined ? unknown(name) : answer(tool.listing);
    },
  });
  const callTool = metaTool('call_tool', {
    description: 'Call a tool that search_tools found.',
    properties: {
      name,
      arguments: { type: 'object', description: 'Its arguments, as in describe_tool', default: {} },
    },
    required: 'name',
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    call: ({ name }) => unknown(name),
  });
  const tools = [search, describe, callTool];
  const find = (name: unknown) => byName().get(String(name)) ?? tools.find(({ listing }) => listing.name === name);

  async function unknown(name: unknown): Promise<CallResult> {
    if (typeof name !== 'string') return problem('name: expected the name of a tool.');
    const { nearestWord } = await import('@schemakit/core/internal');
    const meant = nearestWord(name, byName().keys());
    const advice = meant === undefined ? 'Find one with search_tools.' : `Did you mean ${meant}?`;
    return problem(`There is no tool ${name}. ${advice}`);
  }

  const call = ({ name, arguments: args = {} }: Record<string, unknown>): RedirectedCall => {
    const tool = find(name);
    // Calling call_tool itself gives the error.
    if (tool === undefined) return { tool: callTool, args: { name } };
    if (typeof args !== 'object' || args === null || Array.isArray(args)) {
      return { result: problem('arguments: expected an object with the arguments of the tool.') };
    }
    return { tool, args: args as Record<string, unknown> };
  };
  return { tools, call };
}

function documentOf({ listing, namespace, toolName: name, tags }: ServedTool, id: number): SearchDocument {
  const parameters = Object.keys(Object(listing.inputSchema.properties));
  return { id, namespace, name, tags, description: listing.description, parameters };
}

interface MetaTool {
  description: string;
  properties: object;
  required: string;
  hints?: Omit<ServedTool['listing']['annotations'], 'title'>;
  call(args: Record<string, unknown>): Promise<CallResult>;
}

const readOnly = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

function metaTool(name: string, { description, properties, required, hints = readOnly, call }: MetaTool): ServedTool {
  const title = name.charAt(0).toUpperCase() + name.slice(1).replace('_', ' ');
  const inputSchema = { type: 'object', properties, required: [required] } as ServedTool['listing']['inputSchema'];
  return {
    listing: { name, title, description, inputSchema, annotations: { title, ...hints } },
    ...{ aliases: [], namespace: '', tags: [], toolName: name, requiredServerParams: [] },
    call: (args) => call(Object(args)),
  };
}

function answer(value: unknown): CallResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }] };
}

function problem(text: string): CallResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** Computes a value on first use. */
function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
