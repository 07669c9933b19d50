/**
 * A refusal that clients of MCP can read: an error of JSON-RPC that belongs to no request (MCP specification, Transports).
 * Codes below -32000 are for servers to choose; the SDKs use -32000 for requests that they refuse before reading them.
 */
export function httpProblem(
  status: number,
  message: string,
  { code = -32000, headers = {} }: { code?: number; headers?: Record<string, string> } = {},
): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers });
}
