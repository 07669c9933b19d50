import { isJsonContentType, readRequestBody } from '@modelcontextprotocol/server';
import { httpProblem } from './http-problem.ts';

/** The JSON that a POST brings, or the answer to one that brings something else. */
export async function readJsonBody(
  request: Request,
  maxBytes: number,
): Promise<{ ok: true; value: unknown } | { ok: false; response: Response }> {
  const refused = (response: Response) => ({ ok: false, response }) as const;
  if (!isJsonContentType(request.headers.get('content-type'))) {
    return refused(httpProblem(415, 'Unsupported Media Type: Content-Type must be application/json'));
  }
  const body = await readRequestBody(request, maxBytes);
  if (body.tooLarge) {
    const message = `The request is larger than ${maxBytes} bytes.`;
    return refused(httpProblem(413, message, { headers: { Connection: 'close' } }));
  }
  try {
    return { ok: true, value: JSON.parse(body.text) };
  } catch {
    return refused(httpProblem(400, 'Parse error: the body is no JSON', { code: -32700 }));
  }
}
