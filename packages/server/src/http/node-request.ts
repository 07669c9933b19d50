import type { IncomingMessage, ServerResponse } from 'node:http';

/** The text of a request's body, unless it is larger than it may be. */
export type RequestText = { tooLarge: true } | { tooLarge: false; text: string };

const decoder = new TextDecoder();

/**
 * A request to a server of Node, as far as one is needed: to make a whole `Request` of each takes longer than all that is looked at.
 *
 * @param parsedBody The body, where a framework has read it already.
 */
export class NodeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Pick<Headers, 'get' | 'has'>;
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  readonly #parsedBody: unknown;
  #body: Promise<Buffer<ArrayBuffer> | undefined> | undefined;
  #abort: AbortController | undefined;
  #whole: Request | undefined;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, parsedBody: unknown) {
    const { headers } = incoming;
    const get = (name: string) => joined(headers[name.toLowerCase()]);
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.#parsedBody = parsedBody;
    this.method = (incoming.method ?? 'GET').toUpperCase();
    this.url = `http://${get('host') ?? get(':authority') ?? 'localhost'}${incoming.url ?? '/'}`;
    this.headers = { get, has: (name) => get(name) !== null };
  }

  /** Ends when nobody waits for the answer any more. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      this.#abort = abort;
      this.whenClosed(() => {
        if (!this.#outgoing.writableEnded) abort.abort();
      });
    }
    return this.#abort.signal;
  }

  /** The address of who asks, if it is still there. */
  get address(): string | undefined {
    return this.#incoming.socket.remoteAddress;
  }

  /** Calls back once, when the answer has gone out or nobody waits for it any more. */
  whenClosed(done: () => void): void {
    if (this.#outgoing.destroyed) done();
    else this.#outgoing.once('close', done);
  }

  /** The body, which is read when it is first asked for. Rejects where the client goes before it has sent all of it. */
  async readText(maxBytes: number): Promise<RequestText> {
    const body = await this.#readBody(maxBytes);
    return body === undefined ? { tooLarge: true } : { tooLarge: false, text: decoder.decode(body) };
  }

  #readBody(maxBytes: number): Promise<Buffer<ArrayBuffer> | undefined> {
    this.#body ??= readBody(this.#incoming, maxBytes);
    return this.#body;
  }

  /** The same as a `Request`, without its body. */
  toRequest(): Request {
    this.#whole ??= this.#make();
    return this.#whole;
  }

  /** The same with its body, for code that is not ours; undefined where the body is larger than it may be. */
  async toRequestWithBody(maxBytes: number): Promise<Request | undefined> {
    if (this.method === 'GET' || this.method === 'HEAD') return this.toRequest();
    if (this.#parsedBody !== undefined) return this.#make(JSON.stringify(this.#parsedBody));
    const body = await this.#readBody(maxBytes);
    return body && this.#make(body);
  }

  #make(body?: string | Buffer<ArrayBuffer>): Request {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(this.#incoming.headers)) {
      const text = joined(value);
      if (text !== null && !name.startsWith(':')) headers[name] = text;
    }
    const { url, method, signal } = this;
    return new Request(url, { method, headers, signal, ...(body && body.length > 0 && { body }) });
  }
}

function joined(value: string | string[] | undefined): string | null {
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}

/** Undefined where there are more bytes. */
function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Buffer<ArrayBuffer> | undefined> {
  if (Number(incoming.headers['content-length']) > maxBytes) return Promise.resolve(undefined);
  // Somebody else has read it, and has not said what it was.
  if (incoming.readableEnded) return Promise.resolve(Buffer.alloc(0));
  return new Promise((resolve, reject) => {
    const chunks: Buffer<ArrayBuffer>[] = [];
    let length = 0;
    const take = (chunk: Buffer<ArrayBuffer> | string) => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      length += bytes.length;
      if (length <= maxBytes) chunks.push(bytes);
      else {
        incoming.off('data', take).resume();
        resolve(undefined);
      }
    };
    const end = () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    const gone = () => {
      if (!incoming.readableEnded) reject(new Error('The client has gone before it had sent its request.'));
    };
    if (incoming.destroyed) gone();
    incoming.on('data', take).once('end', end).once('error', gone).once('close', gone);
  });
}
