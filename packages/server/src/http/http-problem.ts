/**
 * A refusal that clients of MCP can read: an error of JSON-RPC, which belongs to no request unless `id` says so (MCP specification,
 * Transports).
 * Codes below -32000 are for servers to choose; the SDKs use -32000 for requests that they refuse before reading them.
 */
export function httpProblem(
  status: number,
  message: string,
  {
    code = -32000,
    headers = {},
    id = null,
  }: { code?: number; headers?: Record<string, string>; id?: string | number | null } = {},
): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id }, { status, headers });
}
