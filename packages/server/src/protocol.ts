import type { StandardSchemaV1 } from '@modelcontextprotocol/server';

// JSON-RPC 2.0: invalid params. MCP uses it for an unknown tool, prompt, resource, task or cursor.
const invalidParams = -32602;
export const methodNotFound = -32601;

/** An error that the SDK sends as a JSON-RPC error. */
export function protocolError(
  message: string,
  { code = invalidParams, data }: { code?: number; data?: unknown } = {},
): Error {
  return Object.assign(new Error(message), { code, data });
}

export type Params = Readonly<Record<string, unknown>>;

/** For methods that the SDK does not know, it needs a validator (standardschema.dev). Their handlers check what they use. */
export const anyParams: StandardSchemaV1<unknown, Params> = {
  '~standard': { version: 1, vendor: 'schemakit', validate: (value) => ({ value: Object(value) }) },
};
