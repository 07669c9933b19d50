/** The message of each refusal. */
const messages = new WeakMap<Response, string>();

/**
 * A refusal that clients of MCP can read: an error of JSON-RPC, which belongs to no request unless `id` says so (MCP specification,
 * Transports).
 * Codes below -32000 are for servers to choose; the SDKs use -32000 for requests that they refuse before reading them.
 */
export function httpProblem(
  status: number,
  message: string,
  { headers = {}, ...error }: { headers?: Record<string, string> } & Parameters<typeof problemBody>[1] = {},
): Response {
  const response = Response.json(problemBody(message, error), { status, headers });
  messages.set(response, message);
  return response;
}

/** Why a request was refused, as far as its answer says so: in its message, or in its challenge (RFC 6750, 3). */
export function reasonOf(response: Response): string {
  const challenge = response.headers.get('www-authenticate') ?? '';
  const [, description] = /error_description="((?:[^"\\]|\\.)*)"/.exec(challenge) ?? [];
  return messages.get(response) ?? description?.replace(/\\(.)/g, '$1') ?? `It was answered ${response.status}.`;
}

/** The error of a refusal as data. */
export function problemBody(
  message: string,
  { code = -32000, id = null }: { code?: number; id?: string | number | null } = {},
): object {
  return { jsonrpc: '2.0', error: { code, message }, id };
}

/** The id of a message that came, for the answer to it; null where it has none. */
export function idOf(message: unknown): string | number | null {
  const { id } = Object(message) as { id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
