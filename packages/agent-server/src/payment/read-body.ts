import type { IncomingMessage } from 'node:http';

/** The JSON of a request. `undefined` is a body that is not JSON. */
export type ReadBody = { value: unknown } | { status: number; problem: string };

/**
 * Reads the body of a POST and puts it back, so that whatever handles the request reads it as if nobody had. A body that was parsed
 * already is taken from `request.body`.
 */
export async function readBody(
  request: IncomingMessage & { body?: unknown; rawBody?: unknown },
  maxBytes: number,
): Promise<ReadBody> {
  const { body, rawBody } = request;
  // Authentication, for example, has read it.
  if (rawBody instanceof Uint8Array && request.readableDidRead) return parseBytes(rawBody);
  // Some parsers set a body of their own for what they did not read.
  if (body !== undefined && request.readableDidRead !== false) return readParsed(body);
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = request.headers;
  const [, charset = 'utf-8'] = /charset\s*=\s*"?([^\s;"]+)/i.exec(type) ?? [];
  // A parser behind the gate would read another body than the gate.
  if (encoding.toLowerCase() !== 'identity' || !/^(?:utf-?8|us-ascii)$/i.test(charset))
    return {
      status: 415,
      problem: 'The body must be plain JSON in UTF-8: without compression, and in no other charset.',
    };
  const bytes = await readAll(request, maxBytes);
  if (bytes === undefined) return { status: 413, problem: `The request is larger than ${maxBytes} bytes.` };
  return bytes.length === 0 && body !== undefined ? readParsed(body) : parseBytes(bytes);
}

function readParsed(body: unknown): ReadBody {
  return typeof body === 'string' || body instanceof Uint8Array ? parseBytes(Buffer.from(body)) : { value: body };
}

function parseBytes(bytes: Uint8Array): ReadBody {
  try {
    return { value: JSON.parse(new TextDecoder().decode(bytes)) };
  } catch {
    return { value: undefined };
  }
}

/** Undefined if the body is too large. Rejects if the client leaves. */
function readAll(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>();
  const chunks: Buffer[] = [];
  let length = 0;
  function end(bytes: Buffer | undefined): void {
    request.off('readable', take).off('close', leave);
    resolve(bytes);
  }
  function leave(): void {
    reject(new Error('The client has left.'));
  }
  function take(): void {
    for (let chunk = request.read() as Buffer | null; chunk !== null; chunk = request.read() as Buffer | null) {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
    }
    if (length > maxBytes) end(undefined);
    if (length > maxBytes || !request.complete) return;
    const bytes = Buffer.concat(chunks);
    // Before the stream says that it has ended. Adapters to the Fetch API take `rawBody` instead of a stream that was read.
    request.unshift(bytes);
    Object.assign(request, { rawBody: bytes });
    end(bytes);
  }
  if (request.destroyed) leave();
  request.on('readable', take).on('close', leave);
  return promise;
}
