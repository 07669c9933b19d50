/** The message of each error response. */
const messages = new WeakMap<Response, string>();

/** A JSON-RPC error, without a request unless `id` is set. The SDKs use -32000 for requests that they refuse unread. */
export function httpProblem(
  status: number,
  message: string,
  { headers = {}, ...error }: { headers?: Record<string, string> } & Parameters<typeof problemBody>[1] = {},
): Response {
  const response = Response.json(problemBody(message, error), { status, headers });
  messages.set(response, message);
  return response;
}

/** Why a request was refused: the response's message, or its challenge (RFC 6750, 3). */
export function reasonOf(response: Response): string {
  const challenge = response.headers.get('www-authenticate') ?? '';
  const [, description] = /error_description="((?:[^"\\]|\\.)*)"/.exec(challenge) ?? [];
  return messages.get(response) ?? description?.replace(/\\(.)/g, '$1') ?? `Status ${response.status}`;
}

export function problemBody(
  message: string,
  { code = -32000, id = null, data }: { code?: number; id?: string | number | null; data?: unknown } = {},
): object {
  return { jsonrpc: '2.0', error: { code, message, ...(data !== undefined && { data }) }, id };
}

/** The id of a message, for the response to it; null without a valid one. */
export function idOf(message: unknown): string | number | null {
  const { id } = Object(message) as { id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
