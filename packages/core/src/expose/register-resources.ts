import { addCompletion } from './completions.ts';
import { type ExposedResource, nothingAt, type ResourceContents } from './exposed-resource.ts';
import {
  type HighLevelServer,
  handle,
  isHighLevel,
  type LowLevelServer,
  type McpServerLike,
  protocolError,
  signalOf,
} from './mcp-server-like.ts';
import { isTaken, takenName } from './register-distinct.ts';
import { templateName } from './resource-uri.ts';

/** What was registered, by address or template, and why something was not. */
export interface RegisteredResources {
  registered: Record<string, unknown>;
  /** Addresses that the server had already, which it keeps. */
  taken: string[];
  /** Why the server takes no more. */
  problem?: string;
}

/**
 * Registers resources on a server. Their values are what the server knows each as: its own object, or the listing on a
 * low-level server. A server that is connected already, or a low-level one with resources of its own, takes none; that is a
 * problem to report and no reason to fail, since the same is there as tools.
 */
export function registerResources(server: McpServerLike, resources: readonly ExposedResource[]): RegisteredResources {
  const result: RegisteredResources = { registered: {}, taken: [] };
  const register = isHighLevel(server) ? registerHighLevel : registerLowLevel;
  for (const resource of resources) {
    try {
      register(server as HighLevelServer & LowLevelServer, resource, result.registered);
    } catch (error) {
      if (!isTaken(error)) return { ...result, problem: error instanceof Error ? error.message : String(error) };
      result.taken.push(resource.uri);
    }
  }
  return result;
}

function registerHighLevel(
  server: HighLevelServer,
  resource: ExposedResource,
  registered: Record<string, unknown>,
): void {
  const { listing, template } = resource;
  if (listing) {
    const { uri, name, ...about } = listing;
    const callback = ({ href }: URL, context: unknown) => read(resource, href, context);
    registered[uri] = server.registerResource(name, uri, about, callback);
  }
  if (template) {
    const { uriTemplate, name, ...about } = template;
    const callback = ({ href }: URL, _variables: unknown, context: unknown) => read(resource, href, context);
    registered[uriTemplate] = server.registerResource(name, resourceTemplate(resource, uriTemplate), about, callback);
  }
}

/**
 * What `ResourceTemplate` of the SDK is to a server. The SDK's own finds an address only with all arguments, in their order.
 */
function resourceTemplate(resource: ExposedResource, uriTemplate: string): unknown {
  const variableNames = resource.inputs.map(({ name }) => templateName(name));
  return {
    uriTemplate: {
      variableNames,
      toString: () => uriTemplate,
      match: (address: string) => (resource.matches(address) ? {} : null),
    },
    listCallback: undefined,
    completeCallback: (name: string) =>
      variableNames.includes(name) ? (typed: string) => resource.complete(name, typed) : undefined,
  };
}

async function read(
  resource: ExposedResource,
  address: string,
  context: unknown,
): Promise<{ contents: ResourceContents[] }> {
  const reading = await resource.read(address, { signal: signalOf(context) });
  if (!reading.ok) throw protocolError(reading.fault);
  return { contents: reading.contents };
}

const tables = new WeakMap<LowLevelServer, Map<string, ExposedResource>>();

function registerLowLevel(
  server: LowLevelServer,
  resource: ExposedResource,
  registered: Record<string, unknown>,
): void {
  const table = tables.get(server) ?? createTable(server);
  const { uri, listing, template, complete } = resource;
  if (table.has(uri)) throw takenName('Resource', uri);
  table.set(uri, resource);
  if (listing) registered[uri] = listing;
  if (template) {
    registered[template.uriTemplate] = template;
    addCompletion(server, { type: 'ref/resource', uri: template.uriTemplate }, complete);
  }
}

function createTable(server: LowLevelServer): Map<string, ExposedResource> {
  const methods = ['resources/list', 'resources/templates/list', 'resources/read'];
  for (const method of methods) server.assertCanSetRequestHandler(method);
  server.registerCapabilities({ resources: {} });
  const table = new Map<string, ExposedResource>();
  tables.set(server, table);
  handle(server, 'resources/list', () => ({ resources: [...table.values()].flatMap(({ listing }) => listing ?? []) }));
  handle(server, 'resources/templates/list', () => ({
    resourceTemplates: [...table.values()].flatMap(({ template }) => template ?? []),
  }));
  handle(server, 'resources/read', (request, context) => {
    const { uri } = request.params as { uri: string };
    const resource = table.values().find(({ matches }) => matches(uri));
    if (resource === undefined) throw protocolError(nothingAt(uri));
    return read(resource, uri, context);
  });
  return table;
}
