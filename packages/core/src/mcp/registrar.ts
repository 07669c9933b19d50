import type { z } from 'zod';
import { zod } from '../schema/input/input-zod.ts';
import { isObject, type JsonObject } from '../schema/json.ts';
import { type McpResource, type ProtocolFault, type ResourceContents, resourceNotFound } from './mcp-resource.ts';
import type { ExposedTool } from './mcp-tools.ts';
import type { ExposedPrompt, PromptMessage } from './prompts.ts';
import { templateName } from './resource-uri.ts';

/** `McpServer` of the MCP SDK. Only its first generation has `tool()`. */
interface HighLevelServer {
  registerTool(name: string, config: unknown, callback: unknown): unknown;
  registerResource(name: string, uriOrTemplate: unknown, config: unknown, callback: unknown): unknown;
  registerPrompt(name: string, config: unknown, callback: unknown): unknown;
  tool?: unknown;
}

/** `Server` of the MCP SDK. */
interface LowLevelServer {
  registerCapabilities(capabilities: unknown): void;
  setRequestHandler(method: unknown, handler: unknown): void;
  /** Throws if the server has a handler for the method. */
  assertCanSetRequestHandler(method: string): void;
}

/** Any server of the MCP SDK, of either generation. */
export type McpServerLike = HighLevelServer | LowLevelServer;

/** Whether a value is a server that tools can be registered on. */
export function isMcpServer(value: unknown): value is McpServerLike {
  if (typeof value !== 'object' || value === null) return false;
  return isHighLevel(value) || typeof (value as Partial<LowLevelServer>).setRequestHandler === 'function';
}

function isHighLevel(value: object): value is HighLevelServer {
  return typeof (value as Partial<HighLevelServer>).registerTool === 'function';
}

/** Registers entries; returns the server's own object or the listing. Throws if a name is taken or no entries are accepted. */
export interface Registrar {
  tool(tool: ExposedTool): unknown;
  prompt(prompt: ExposedPrompt): unknown;
  /** By URI and template: a resource may have both. */
  resource(resource: McpResource): Record<string, unknown>;
}

export function createRegistrar(server: McpServerLike): Registrar {
  return isHighLevel(server) ? highLevelRegistrar(server) : lowLevelRegistrar(server);
}

function highLevelRegistrar(server: HighLevelServer): Registrar {
  const isFirstGeneration = typeof server.tool === 'function';
  return {
    tool(tool) {
      const { name, title, description, inputSchema, outputSchema, annotations } = tool.listing;
      const about = { title, description, annotations };
      // The first generation takes Zod schemas, and would check structured output against one, so it gets no output schema.
      const config = isFirstGeneration
        ? { ...about, inputSchema: zodPassThrough(inputSchema) }
        : {
            ...about,
            inputSchema: passThrough(inputSchema),
            ...(outputSchema && { outputSchema: passThrough(outputSchema) }),
          };
      return server.registerTool(name, config, (args: unknown, context: unknown) =>
        tool.call(args, { signal: signalOf(context) }),
      );
    },
    prompt(prompt) {
      const { name, title, description } = prompt.listing;
      const argsSchema = isFirstGeneration ? zodShape(prompt) : argumentsSchema(prompt);
      const config = { title, ...(description !== undefined && { description }), argsSchema };
      return server.registerPrompt(name, config, (args: unknown) => getPrompt(prompt, args));
    },
    resource(resource) {
      const registered: Record<string, unknown> = {};
      const { listing, template } = resource;
      if (listing) {
        const { uri, name, ...about } = listing;
        const read = ({ href }: URL, context: unknown) => readResource(resource, href, context);
        registered[uri] = server.registerResource(name, uri, about, read);
      }
      if (template) {
        const { uriTemplate, name, ...about } = template;
        const read = ({ href }: URL, _variables: unknown, context: unknown) => readResource(resource, href, context);
        registered[uriTemplate] = server.registerResource(name, resourceTemplate(resource, uriTemplate), about, read);
      }
      return registered;
    },
  };
}

/** A validator (standardschema.dev) that shows a JSON Schema and accepts anything. */
function passThrough(schema: JsonObject): object {
  const jsonSchema = () => schema;
  return {
    '~standard': {
      version: 1,
      vendor: 'schemakit',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
  };
}

/**
 * For the first generation: Zod types that accept anything and print as the given JSON Schema. All fields are optional for Zod, so
 * that a missing one gets the message of the tool.
 */
function zodPassThrough({ properties, ...rest }: JsonObject): z.ZodType {
  const fields = Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    return [name, zod().unknown().meta(Object(schema)).optional()] as const;
  });
  return zod().looseObject(Object.fromEntries(fields)).meta(rest);
}

/** A validator that shows the arguments and leaves the checks to the prompt. */
function argumentsSchema(prompt: ExposedPrompt): object {
  const { arguments: declared } = prompt.listing;
  const property = (description?: string) => ({ type: 'string', ...(description !== undefined && { description }) });
  const schema = passThrough({
    type: 'object',
    properties: Object.fromEntries(declared.map(({ name, description }) => [name, property(description)])),
    required: declared.flatMap(({ name, required }) => (required ? [name] : [])),
  });
  return { ...schema, shape: Object.fromEntries(declared.map(({ name }) => [name, withCompletion({}, name, prompt)])) };
}

/**
 * The same for the first generation: Zod fields that accept anything. It lists a field as required unless it is optional, so a
 * required one has the default undefined. Arguments without a field do not reach the prompt.
 */
function zodShape(prompt: ExposedPrompt): Record<string, z.ZodType> {
  const entries = prompt.listing.arguments.map(({ name, description, required }) => {
    const inner = withCompletion(zod().unknown(), name, prompt);
    const field = required ? inner.default(undefined) : inner.optional();
    return [name, withCompletion(field.meta(description === undefined ? {} : { description }), name, prompt)] as const;
  });
  return Object.fromEntries(entries);
}

/** Does what `completable` of both SDK generations does, for arguments with known values. */
function withCompletion<Field extends object>(field: Field, argument: string, { complete }: ExposedPrompt): Field {
  if (complete(argument, '').length === 0) return field;
  const value = { complete: (typed: string) => complete(argument, typed) };
  return Object.defineProperty(field, Symbol.for('mcp.completable'), { value });
}

/** Replaces `ResourceTemplate` of the SDK, which matches an address only with all arguments in order. */
function resourceTemplate(resource: McpResource, uriTemplate: string): unknown {
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

type RequestHandler = (request: { params?: unknown }, context: unknown) => unknown;

type Complete = (argument: string, typed: string) => string[];

/** The target of completions (MCP specification, completion/complete). */
type CompletionReference = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string };

interface Entries {
  tools: Map<string, ExposedTool>;
  prompts: Map<string, ExposedPrompt>;
  resources: Map<string, McpResource>;
  completions: Map<string, Complete>;
}

const requestHandlers: { [Kind in keyof Entries]: (entries: Entries[Kind]) => Record<string, RequestHandler> } = {
  tools: (tools) => ({
    'tools/list': () => ({ tools: [...tools.values()].map(({ listing }) => listing) }),
    'tools/call': ({ params }, context) => {
      const { name, arguments: args } = params as { name: string; arguments?: unknown };
      const tool = tools.get(name) ?? tools.values().find(({ aliases }) => aliases.includes(name));
      if (tool === undefined) throw protocolError({ code: invalidParams, message: `Tool ${name} not found` });
      return tool.call(args, { signal: signalOf(context) });
    },
  }),
  prompts: (prompts) => ({
    'prompts/list': () => ({ prompts: [...prompts.values()].map(({ listing }) => listing) }),
    'prompts/get': ({ params }) => {
      const { name, arguments: args } = params as { name: string; arguments?: unknown };
      const prompt = prompts.get(name);
      if (prompt === undefined) throw protocolError({ code: invalidParams, message: `Prompt ${name} not found` });
      return getPrompt(prompt, args);
    },
  }),
  resources: (resources) => ({
    'resources/list': () => ({ resources: [...resources.values()].flatMap(({ listing }) => listing ?? []) }),
    'resources/templates/list': () => ({
      resourceTemplates: [...resources.values()].flatMap(({ template }) => template ?? []),
    }),
    'resources/read': ({ params }, context) => {
      const { uri } = params as { uri: string };
      const resource = resources.values().find(({ matches }) => matches(uri));
      if (resource === undefined) throw protocolError(resourceNotFound(uri));
      return readResource(resource, uri, context);
    },
  }),
  completions: (completions) => ({
    'completion/complete': ({ params }) => {
      const { ref, argument } = params as { ref: CompletionReference; argument: { name: string; value: string } };
      return { completion: { values: completions.get(keyOf(ref))?.(argument.name, argument.value) ?? [] } };
    },
  }),
};

const entriesByServer = new WeakMap<LowLevelServer, Partial<Entries>>();

function lowLevelRegistrar(server: LowLevelServer): Registrar {
  return {
    tool(tool) {
      const { listing } = tool;
      put(entriesOf(server, 'tools'), 'Tool', listing.name, tool);
      return listing;
    },
    prompt(prompt) {
      const { listing, complete } = prompt;
      put(entriesOf(server, 'prompts'), 'Prompt', listing.name, prompt);
      addCompletion(server, { type: 'ref/prompt', name: listing.name }, complete);
      return listing;
    },
    resource(resource) {
      const { uri, listing, template, complete } = resource;
      put(entriesOf(server, 'resources'), 'Resource', uri, resource);
      if (template) addCompletion(server, { type: 'ref/resource', uri: template.uriTemplate }, complete);
      return { ...(listing && { [uri]: listing }), ...(template && { [template.uriTemplate]: template }) };
    },
  };
}

function put<Entry>(entries: Map<string, Entry>, kind: string, key: string, entry: Entry): void {
  if (entries.has(key)) throw takenName(kind, key);
  entries.set(key, entry);
}

/** The entries of a kind. The first one sets their request handlers; the server must not have its own, except for tools. */
function entriesOf<Kind extends keyof Entries>(server: LowLevelServer, kind: Kind): Entries[Kind] {
  const all = entriesByServer.get(server) ?? {};
  const known = all[kind];
  if (known !== undefined) return known;
  const entries = new Map() as Entries[Kind];
  const handlers = Object.entries(requestHandlers[kind](entries));
  if (kind !== 'tools') for (const [method] of handlers) server.assertCanSetRequestHandler(method);
  server.registerCapabilities({ [kind]: {} });
  for (const [method, handler] of handlers) setHandler(server, method, handler);
  all[kind] = entries;
  entriesByServer.set(server, all);
  return entries;
}

function setHandler(server: LowLevelServer, method: string, handler: RequestHandler): void {
  try {
    server.setRequestHandler(method, handler);
  } catch {
    // The first generation names a method by a schema of the request.
    const request = zod().object({ method: zod().literal(method), params: zod().looseObject({}).optional() });
    server.setRequestHandler(request, handler);
  }
}

/** Completions are optional: a server that has its own or is already connected goes without ours. */
function addCompletion(server: LowLevelServer, reference: CompletionReference, complete: Complete): void {
  try {
    entriesOf(server, 'completions').set(keyOf(reference), complete);
  } catch {}
}

function keyOf(reference: CompletionReference): string {
  return JSON.stringify([reference.type, reference.type === 'ref/prompt' ? reference.name : reference.uri]);
}

function getPrompt(prompt: ExposedPrompt, args: unknown): { description?: string; messages: PromptMessage[] } {
  const result = prompt.get(args ?? {});
  if (!result.ok) {
    throw protocolError({ code: invalidParams, message: result.findings.map(({ message }) => message).join('\n') });
  }
  const { ok, ...answer } = result;
  return answer;
}

async function readResource(
  resource: McpResource,
  address: string,
  context: unknown,
): Promise<{ contents: ResourceContents[] }> {
  const reading = await resource.read(address, { signal: signalOf(context) });
  if (!reading.ok) throw protocolError(reading.fault);
  return { contents: reading.contents };
}

/** The cancellation signal of a request: in `mcpReq` in the second generation, at the top in the first. */
function signalOf(context: unknown): AbortSignal | undefined {
  const { signal, mcpReq } = Object(context) as { signal?: AbortSignal; mcpReq?: { signal?: AbortSignal } };
  return mcpReq?.signal ?? signal;
}

/** JSON-RPC: invalid params. The MCP specification requires it for unknown tools and prompts. */
const invalidParams = -32602;

/** The error that a handler of either SDK throws for a JSON-RPC error. */
function protocolError({ message, ...fault }: ProtocolFault): Error {
  return Object.assign(new Error(message), fault);
}

// Both generations of the SDK report a taken name only with these words.
const takenWords = 'is already registered';

/** The error for a name that is taken, in the words of the MCP SDK. */
export function takenName(kind: string, name: string): Error {
  return new Error(`${kind} ${name} ${takenWords}`);
}

export function isTaken(error: unknown): boolean {
  return error instanceof Error && error.message.endsWith(takenWords);
}
