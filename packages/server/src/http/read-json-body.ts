import { isJsonContentType } from '@modelcontextprotocol/server';
import { httpProblem } from './http-problem.ts';
import { type IncomingRequest, readText } from './incoming-request.ts';
import type { RequestText } from './node-request.ts';

/** The JSON that a POST brings, or the answer to one that brings something else. */
export async function readJsonBody(
  request: IncomingRequest,
  maxBytes: number,
): Promise<{ ok: true; value: unknown } | { ok: false; response: Response }> {
  const refused = (response: Response) => ({ ok: false, response }) as const;
  if (!isJsonContentType(request.headers.get('content-type'))) {
    return refused(httpProblem(415, 'Unsupported Media Type: Content-Type must be application/json'));
  }
  let body: RequestText;
  try {
    body = await readText(request, maxBytes);
  } catch {
    return refused(brokenOff());
  }
  if (body.tooLarge) return refused(tooLarge(maxBytes));
  try {
    return { ok: true, value: JSON.parse(body.text) };
  } catch {
    return refused(httpProblem(400, 'Parse error: the body is no JSON', { code: -32700 }));
  }
}

/** For a client that has gone before it had sent all. */
export function brokenOff(): Response {
  return httpProblem(400, 'The request has broken off.');
}

export function tooLarge(maxBytes: number): Response {
  const message = `The request is larger than ${maxBytes} bytes.`;
  return httpProblem(413, message, { headers: { Connection: 'close' } });
}
