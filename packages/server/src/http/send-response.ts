import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Writes an answer to a client of a server of Node. Resolves when it is written, or the client has gone. */
export async function sendResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  // An object, and not pairs: middleware that watches for the head of an answer may know no other.
  const head: OutgoingHttpHeaders = Object.fromEntries(response.headers);
  delete head['content-length'];
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) head['set-cookie'] = cookies;
  const { status, body } = response;
  if (body === null) {
    if (status !== 204 && status !== 304) head['content-length'] = 0;
    return void outgoing.writeHead(status, head).end();
  }
  if (response.headers.get('content-type')?.startsWith('application/json')) {
    // At once, head and all, in one system call.
    const text = await response.text();
    head['content-length'] = Buffer.byteLength(text);
    return void outgoing.writeHead(status, head).end(text);
  }
  outgoing.writeHead(status, head);
  // Who opens a stream is told so, even where nothing happens on it yet.
  const flush = setImmediate(() => outgoing.flushHeaders());
  try {
    await pipeline(Readable.fromWeb(body), outgoing);
  } catch {
    // The client has gone, or the stream has broken off, which ends the connection.
  } finally {
    clearImmediate(flush);
  }
}
