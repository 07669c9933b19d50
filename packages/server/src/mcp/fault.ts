// JSON-RPC 2.0: invalid params. The MCP specification answers an unknown tool, prompt, resource or cursor so.
const invalidParams = -32602;

/** An error that the SDK answers as one of the protocol. */
export function fault({
  code = invalidParams,
  message,
  data,
}: {
  code?: number;
  message: string;
  data?: unknown;
}): Error {
  return Object.assign(new Error(message), { code, data });
}
