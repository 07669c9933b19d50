import type { z } from 'zod';
import { zod } from '../format/input/input-zod.ts';
import { addCompletion } from './completions.ts';
import {
  type HighLevelServer,
  handle,
  isHighLevel,
  type LowLevelServer,
  type McpServerLike,
  passThrough,
  protocolError,
} from './mcp-server-like.ts';
import type { ExposedPrompt, PromptListing, PromptMessage } from './prompts.ts';
import { takenName } from './register-distinct.ts';

/**
 * The function that registers one prompt on a server; it gives what the server knows the prompt as: its own object, or the
 * listing on a low-level server. It throws where the server has a prompt of that name, or takes none: because it has handlers
 * for prompts of its own, or is connected already.
 */
export function promptRegistrar(server: McpServerLike): (prompt: ExposedPrompt) => unknown {
  return isHighLevel(server)
    ? (prompt) => registerHighLevel(server, prompt)
    : (prompt) => registerLowLevel(server, prompt);
}

function registerHighLevel(server: HighLevelServer, prompt: ExposedPrompt): unknown {
  const { name, title, description } = prompt.listing;
  const argsSchema = typeof server.tool === 'function' ? zodShape(prompt) : argumentsSchema(prompt);
  const config = { title, ...(description !== undefined && { description }), argsSchema };
  return server.registerPrompt(name, config, (args: unknown) => answer(prompt, args));
}

/** A schema that shows the arguments and leaves checking to the prompt. */
function argumentsSchema(prompt: ExposedPrompt): object {
  const { arguments: declared } = prompt.listing;
  const schema = passThrough({
    type: 'object',
    properties: Object.fromEntries(
      declared.map(({ name, description }) => [
        name,
        { type: 'string', ...(description !== undefined && { description }) },
      ]),
    ),
    required: declared.flatMap(({ name, required }) => (required ? [name] : [])),
  });
  return { ...schema, shape: Object.fromEntries(declared.map(({ name }) => [name, withCompletion({}, name, prompt)])) };
}

/**
 * The same for the first generation, which takes only fields of Zod: they accept anything. It takes a field for required that is
 * not optional, so a required one has a default that is nothing. Arguments without a field do not reach the prompt.
 */
function zodShape(prompt: ExposedPrompt): Record<string, z.ZodType> {
  const entries = prompt.listing.arguments.map(({ name, description, required }) => {
    const inner = withCompletion(zod().unknown(), name, prompt);
    const field = required ? inner.default(undefined) : inner.optional();
    return [name, withCompletion(field.meta(description === undefined ? {} : { description }), name, prompt)] as const;
  });
  return Object.fromEntries(entries);
}

/** What `completable` of the SDK does to a field, in both generations; only those with known values have something to complete. */
function withCompletion<Field extends object>(field: Field, argument: string, { complete }: ExposedPrompt): Field {
  if (complete(argument, '').length === 0) return field;
  const value = { complete: (typed: string) => complete(argument, typed) };
  return Object.defineProperty(field, Symbol.for('mcp.completable'), { value });
}

function answer(prompt: ExposedPrompt, args: unknown): { description?: string; messages: PromptMessage[] } {
  const result = prompt.get(args ?? {});
  if (!result.ok) {
    throw protocolError({ code: invalidParams, message: result.findings.map(({ message }) => message).join('\n') });
  }
  const { description, messages } = result;
  return { ...(description !== undefined && { description }), messages };
}

// JSON-RPC 2.0: invalid params. The MCP specification answers an unknown prompt so.
const invalidParams = -32602;

const tables = new WeakMap<LowLevelServer, Map<string, ExposedPrompt>>();

function registerLowLevel(server: LowLevelServer, prompt: ExposedPrompt): PromptListing {
  const table = tables.get(server) ?? createTable(server);
  const { listing, complete } = prompt;
  if (table.has(listing.name)) throw takenName('Prompt', listing.name);
  table.set(listing.name, prompt);
  addCompletion(server, { type: 'ref/prompt', name: listing.name }, complete);
  return listing;
}

function createTable(server: LowLevelServer): Map<string, ExposedPrompt> {
  for (const method of ['prompts/list', 'prompts/get']) server.assertCanSetRequestHandler(method);
  server.registerCapabilities({ prompts: {} });
  const table = new Map<string, ExposedPrompt>();
  tables.set(server, table);
  handle(server, 'prompts/list', () => ({ prompts: [...table.values()].map(({ listing }) => listing) }));
  handle(server, 'prompts/get', (request) => {
    const { name, arguments: args } = request.params as { name: string; arguments?: unknown };
    const prompt = table.get(name);
    if (prompt === undefined) throw protocolError({ code: invalidParams, message: `Prompt ${name} not found` });
    return answer(prompt, args);
  });
  return table;
}
