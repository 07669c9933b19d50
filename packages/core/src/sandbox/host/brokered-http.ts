import type { RequestOptions } from 'node:http';
import { Readable, Writable } from 'node:stream';
import type { BrokerResponse } from '../host-message.ts';
import { requestFromBroker } from './broker-client.ts';
import { taskInProgress } from './tasks.ts';

type Callback = (response: Readable) => void;
type RequestArgs = [target: string | URL | RequestOptions, options?: RequestOptions | Callback, callback?: Callback];

/** Headers that describe the encoded body; this one has been decoded. */
const WIRE_FIELDS = new Set(['content-encoding', 'content-length', 'transfer-encoding', 'connection', 'keep-alive']);

/**
 * Replacements for `request` and `get` of `node:http` and `node:https`, which axios, node-fetch, ccxt and ethers use. The broker
 * makes the request for the task whose code calls the library.
 */
export function brokeredHttp(protocol: 'http:' | 'https:'): {
  request: (...args: RequestArgs) => BrokeredRequest;
  get: (...args: RequestArgs) => BrokeredRequest;
} {
  const request = (...args: RequestArgs): BrokeredRequest => new BrokeredRequest(protocol, args);
  return { request, get: (...args) => request(...args).end() };
}

/** A `ClientRequest` that collects the body, sends the request through the broker, and emits `response`. */
class BrokeredRequest extends Writable {
  readonly method: string;
  readonly protocol: string;
  readonly host: string;
  readonly path: string;
  readonly #url: URL;
  readonly #headers = new Map<string, string>();
  readonly #chunks: Buffer[] = [];
  readonly #controller = new AbortController();

  constructor(protocol: string, args: RequestArgs) {
    super();
    const { url, options, callback } = parseArgs(protocol, args);
    this.#url = url;
    this.method = (options.method ?? 'GET').toUpperCase();
    this.protocol = url.protocol;
    this.host = url.host;
    this.path = url.pathname + url.search;
    for (const [name, value] of Object.entries(options.headers ?? {}))
      if (value !== undefined) this.setHeader(name, value);
    if (options.auth) this.setHeader('authorization', `Basic ${Buffer.from(options.auth).toString('base64')}`);
    options.signal?.addEventListener('abort', () => this.destroy(new Error('The operation was aborted')));
    if (callback !== undefined) this.once('response', callback);
  }

  setHeader(name: string, value: unknown): this {
    this.#headers.set(name.toLowerCase(), Array.isArray(value) ? value.join(', ') : String(value));
    return this;
  }

  getHeader(name: string): string | undefined {
    return this.#headers.get(name.toLowerCase());
  }

  hasHeader(name: string): boolean {
    return this.#headers.has(name.toLowerCase());
  }

  removeHeader(name: string): void {
    this.#headers.delete(name.toLowerCase());
  }

  getHeaders(): Record<string, string> {
    return Object.fromEntries(this.#headers);
  }

  getHeaderNames(): string[] {
    return [...this.#headers.keys()];
  }

  abort(): void {
    this.destroy();
  }

  // There is no socket.
  flushHeaders(): void {}
  setNoDelay(): void {}
  setSocketKeepAlive(): void {}
  setTimeout(): this {
    return this;
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#chunks.push(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk);
    done();
  }

  override _final(done: (error?: Error) => void): void {
    this.#exchange().then(
      (response) => {
        done();
        this.emit('response', toIncoming(response, this));
      },
      (failure: { message: string; code?: string }) => {
        done(Object.assign(new Error(failure.message), failure.code === undefined ? {} : { code: failure.code }));
      },
    );
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#controller.abort();
    done(error);
  }

  async #exchange(): Promise<BrokerResponse> {
    const task = taskInProgress();
    if (task === undefined) throw new Error('the call that makes this request has ended');
    const request = { url: this.#url.href, method: this.method, headers: this.getHeaders() };
    const body = Buffer.concat(this.#chunks);
    return requestFromBroker(task, body.length === 0 ? request : { ...request, body }, this.#controller.signal);
  }
}

/** The response as an `IncomingMessage` of `node:http`. */
function toIncoming({ status, statusText, headers, body, url }: BrokerResponse, req: BrokeredRequest): Readable {
  const fields = Object.entries(headers).filter(([name]) => !WIRE_FIELDS.has(name));
  const listed = fields.map(([name, value]) => [name, name === 'set-cookie' ? [value] : value]);
  return Object.assign(Readable.from(body.length === 0 ? [] : [Buffer.from(body)]), {
    statusCode: status,
    statusMessage: statusText,
    headers: Object.fromEntries(listed),
    rawHeaders: fields.flat(),
    trailers: {},
    httpVersion: '1.1',
    complete: true,
    responseUrl: url,
    req,
    setTimeout: () => undefined,
  });
}

interface ParsedArgs {
  url: URL;
  options: RequestOptions;
  callback: Callback | undefined;
}

function parseArgs(protocol: string, [target, second, third]: RequestArgs): ParsedArgs {
  const callback = typeof second === 'function' ? second : third;
  const given = typeof second === 'function' ? {} : (second ?? {});
  if (typeof target === 'string' || target instanceof URL) return { url: new URL(target), options: given, callback };
  const options = { ...target, ...given };
  const host = options.hostname ?? options.host ?? 'localhost';
  const port = options.port ? `:${options.port}` : '';
  const url = new URL(options.path ?? '/', `${options.protocol ?? protocol}//${host}${host.includes(':') ? '' : port}`);
  return { url, options, callback };
}
