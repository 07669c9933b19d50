import type { AuthInfo } from '@modelcontextprotocol/server';
import { isJsonContentType } from '@modelcontextprotocol/server';
import { httpProblem } from './http-problem.ts';

/** What a framework has found out about a request already. */
export interface GivenRequest {
  authInfo?: AuthInfo | undefined;
  parsedBody?: unknown;
}

/** An HTTP request on its way through the server, and what is known about it. */
export interface Exchange {
  readonly request: Request;
  readonly url: URL;
  /** The address of the client, where the server can tell. */
  readonly address: string | undefined;
  /** Who calls; undefined until that is known, and where nobody is asked. */
  readonly authInfo: AuthInfo | undefined;
  /** The body that a framework has read already. */
  readonly parsedBody: unknown;
  /** Reads the body, once; undefined for a larger one than may be sent. Rejects where the client goes before it has sent all. */
  readonly text: () => Promise<string | undefined>;
  /** Resolves when the response has gone out in full, or nobody waits for it any more. */
  readonly sent: Promise<void>;
}

export function createExchange(
  request: Request,
  { authInfo, parsedBody }: GivenRequest,
  { address, maxBodyBytes, sent }: { address?: string | undefined; maxBodyBytes: number; sent: Promise<void> },
): Exchange {
  let body: Promise<string | undefined> | undefined;
  const text = () => (body ??= readText(request, parsedBody, maxBodyBytes));
  return { request, url: new URL(request.url), address, authInfo, parsedBody, text, sent };
}

/** How much of a body that is too large is read and left out, so that its sender gets to read the answer. */
const maxDrainedBytes = 64 * 1024 * 1024;

async function readText(request: Request, parsedBody: unknown, maxBytes: number): Promise<string | undefined> {
  if (parsedBody !== undefined) return JSON.stringify(parsedBody);
  const announced = Number(request.headers.get('content-length') ?? Number.NaN);
  // HTTP holds a client to the length that it has announced.
  if (announced <= maxBytes) return request.text();
  if (announced > maxBytes + maxDrainedBytes) return undefined;
  const { body } = request;
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    length += value?.byteLength ?? 0;
    if (length <= maxBytes && value !== undefined) chunks.push(value);
    if (length > maxBytes + maxDrainedBytes) break;
  }
  reader.releaseLock();
  return length > maxBytes ? undefined : Buffer.concat(chunks).toString();
}

/** The JSON that a POST brings, or the answer to one that brings something else. */
export async function readJson(
  { request, parsedBody, text }: Exchange,
  maxBytes: number,
): Promise<{ value: unknown } | Response> {
  if (parsedBody !== undefined) return { value: parsedBody };
  if (!isJsonContentType(request.headers.get('content-type'))) {
    return httpProblem(415, 'Unsupported Media Type: Content-Type must be application/json');
  }
  const body = await readBody(text, maxBytes);
  if (body instanceof Response) return body;
  try {
    return { value: JSON.parse(body) };
  } catch {
    return httpProblem(400, 'Parse error: the body is no JSON', { code: -32700 });
  }
}

/** The body as text, or the answer to one that broke off or is too large. */
export async function readBody(text: Exchange['text'], maxBytes: number): Promise<string | Response> {
  const body = await text().catch(() => httpProblem(400, 'The request has broken off.'));
  const message = `The request is larger than ${maxBytes} bytes.`;
  return body ?? httpProblem(413, message, { headers: { Connection: 'close' } });
}

/** Calls `done` when the body of a response has been read to its end, or nobody wants it any more. */
export function onceRead(response: Response, signal: AbortSignal, done: () => void): Response {
  if (response.body === null || signal.aborted) {
    done();
    return response;
  }
  signal.addEventListener('abort', done, { once: true });
  const body = response.body.pipeThrough(new TransformStream({ flush: done, cancel: done }));
  return new Response(body, response);
}
