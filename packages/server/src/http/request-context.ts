import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { isJsonContentType } from '@modelcontextprotocol/server';
import { httpProblem } from './http-problem.ts';

/** What a framework already knows about a request. */
export interface ParsedRequest {
  authInfo?: AuthInfo | undefined;
  parsedBody?: unknown;
}

/** An HTTP request and what is known about it. */
export interface RequestContext {
  readonly request: Request;
  readonly url: URL;
  /** The address of the client, if known. */
  readonly address: string | undefined;
  /** The caller; undefined before authentication, and without it. */
  readonly authInfo: AuthInfo | undefined;
  /** The body, if it was parsed already. */
  readonly parsedBody: unknown;
  /** Reads the body once; undefined if it is too large. Rejects if the client disconnects. */
  readonly text: () => Promise<string | undefined>;
  /** Resolves when the response was sent, or the client has left. */
  readonly sent: Promise<void>;
  /** Behind `node:http`. Adapters take the body from `rawBody` if the stream was read. */
  readonly node?: {
    incoming: IncomingMessage & { auth?: AuthInfo; body?: unknown; rawBody?: Buffer };
    outgoing: ServerResponse;
  };
}

export function createRequestContext(
  request: Request,
  { authInfo, parsedBody }: ParsedRequest,
  {
    maxBodyBytes,
    ...rest
  }: Pick<RequestContext, 'sent' | 'node'> & { address?: string | undefined; maxBodyBytes: number },
): RequestContext {
  let body: Promise<string | undefined> | undefined;
  const text = () => (body ??= readText(request, parsedBody, maxBodyBytes));
  return { address: undefined, ...rest, request, url: new URL(request.url), authInfo, parsedBody, text };
}

/** How much of a too large body is read and dropped, so that the client can read the answer. */
const maxDrainedBytes = 64 * 1024 * 1024;

async function readText(request: Request, parsedBody: unknown, maxBytes: number): Promise<string | undefined> {
  if (parsedBody !== undefined) return JSON.stringify(parsedBody);
  const announced = Number(request.headers.get('content-length') ?? Number.NaN);
  // HTTP enforces the announced length.
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

/** The JSON body of a POST, or an error response. */
export async function readJson(
  { request, parsedBody, text }: RequestContext,
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
    return httpProblem(400, 'Parse error: the body is not JSON', { code: -32700 });
  }
}

/** The body as text, or an error response if it is incomplete or too large. */
export async function readBody(text: RequestContext['text'], maxBytes: number): Promise<string | Response> {
  const body = await text().catch(() => httpProblem(400, 'The request is incomplete.'));
  const message = `The request is larger than ${maxBytes} bytes.`;
  return body ?? httpProblem(413, message, { headers: { Connection: 'close' } });
}

/** Calls `done` when a response's body was read to its end or cancelled. */
export function onceRead(response: Response, signal: AbortSignal, done: () => void): Response {
  if (response.body === null || signal.aborted) {
    done();
    return response;
  }
  signal.addEventListener('abort', done, { once: true });
  const body = response.body.pipeThrough(new TransformStream({ flush: done, cancel: done }));
  return new Response(body, response);
}
