import { zod } from '../format/input/input-zod.ts';
import type { JsonObject } from '../format/json.ts';

/** `McpServer` of the MCP SDK: `tool()` exists only in its first generation. */
export interface HighLevelServer {
  registerTool(name: string, config: unknown, callback: unknown): unknown;
  registerResource(name: string, uriOrTemplate: unknown, config: unknown, callback: unknown): unknown;
  registerPrompt(name: string, config: unknown, callback: unknown): unknown;
  tool?: unknown;
}

/** `Server` of the MCP SDK. */
export interface LowLevelServer {
  registerCapabilities(capabilities: unknown): void;
  setRequestHandler(method: unknown, handler: unknown): void;
  /** Throws where the server has a handler for the method. */
  assertCanSetRequestHandler(method: string): void;
}

/** Any server of the MCP SDK, of either generation. */
export type McpServerLike = HighLevelServer | LowLevelServer;

/** Tells whether a value can take tools. */
export function isMcpServer(value: unknown): value is McpServerLike {
  if (typeof value !== 'object' || value === null) return false;
  return isHighLevel(value) || typeof (value as Partial<LowLevelServer>).setRequestHandler === 'function';
}

/** Tells `McpServer` from `Server`. */
export function isHighLevel(value: object): value is HighLevelServer {
  return typeof (value as Partial<HighLevelServer>).registerTool === 'function';
}

/** The cancellation signal of a request: in `mcpReq` in the second generation, at the top in the first. */
export function signalOf(context: unknown): AbortSignal | undefined {
  const { signal, mcpReq } = Object(context) as { signal?: AbortSignal; mcpReq?: { signal?: AbortSignal } };
  return mcpReq?.signal ?? signal;
}

export type RequestHandler = (request: { params?: unknown }, context: unknown) => unknown;

/** Sets what a low-level server answers to a method. */
export function handle(server: LowLevelServer, method: string, handler: RequestHandler): void {
  try {
    server.setRequestHandler(method, handler);
  } catch {
    // The first generation names a method by a schema of the request.
    const request = zod().object({ method: zod().literal(method), params: zod().looseObject({}).optional() });
    server.setRequestHandler(request, handler);
  }
}

/** A schema in the common interface of validators (standardschema.dev) that shows JSON Schema and accepts anything. */
export function passThrough(schema: JsonObject): object {
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

/** A failure as JSON-RPC carries it. */
export interface ProtocolFault {
  code: number;
  message: string;
  data?: unknown;
}

/** What a handler of either SDK throws to answer with a fault. */
export function protocolError({ message, ...fault }: ProtocolFault): Error {
  return Object.assign(new Error(message), fault);
}
