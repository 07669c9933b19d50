import type { BrokerFailure, BrokerRequest, BrokerResponse } from '../../host-message.ts';
import type { EncodedBody } from '../../plain-request.ts';
import { requestFromBroker } from '../broker-client.ts';
import type { RunningTask, TaskSignal } from '../tasks.ts';
import { HandlerAbortSignal } from './abort-signal.ts';
import { bytesOf, encodeForm, HandlerBlob, HandlerBody, HandlerFile, HandlerFormData } from './blob.ts';
import { HandlerHeaders } from './headers.ts';

/** A `fetch` whose requests go to the broker, for the task that `findTask` returns. */
export function brokeredFetch(
  findTask: () => RunningTask | undefined,
): (input: unknown, init?: unknown) => Promise<HandlerResponse> {
  return async (input, init) => {
    // Created here, where the stack has the line of the schema.
    const failed = new TypeError('fetch failed');
    const task = findTask();
    if (task === undefined) throw new TypeError('fetch failed: the call that makes this request has ended');
    const request = new HandlerRequest(input, init);
    request.signal?.throwIfAborted();
    try {
      const response = await requestFromBroker(task, encodeRequest(request), request.signal);
      if (request.redirect === 'error' && isRedirect(response)) throw { message: 'unexpected redirect' };
      return harden(new HandlerResponse(response.body, { ...response, redirected: response.url !== request.url }));
    } catch (thrown) {
      task.signal.throwIfAborted();
      request.signal?.throwIfAborted();
      const { message, code } = thrown as BrokerFailure;
      throw Object.assign(failed, {
        message: `fetch failed: ${message}`,
        cause: Object.assign(new Error(message), code === undefined ? {} : { code }),
      });
    }
  };
}

function isRedirect({ status, headers }: BrokerResponse): boolean {
  return [301, 302, 303, 307, 308].includes(status) && headers.location !== undefined;
}

/** `Request` of the Fetch standard. */
class HandlerRequest extends HandlerBody {
  readonly url: string;
  readonly method: string;
  readonly body: unknown;
  readonly signal: TaskSignal | undefined;
  readonly redirect: string;

  constructor(input: unknown, init?: unknown) {
    const base = input instanceof HandlerRequest ? input : undefined;
    const options = asOptions(init);
    super(() => bytesOf(encodeBody(this.body).body), new HandlerHeaders(options.headers ?? base?.headers));
    this.url = base?.url ?? new URL(String(input)).href;
    this.method = String(options.method ?? base?.method ?? 'GET').toUpperCase();
    this.body = options.body ?? base?.body;
    this.signal = isSignal(options.signal) ? options.signal : base?.signal;
    this.redirect = String(options.redirect ?? base?.redirect ?? 'follow');
    if (!REDIRECTS.includes(this.redirect)) throw new TypeError(`redirect is one of ${REDIRECTS.join(', ')}`);
  }

  get [Symbol.toStringTag](): string {
    return 'Request';
  }

  clone(): HandlerRequest {
    return new HandlerRequest(this);
  }
}

const REDIRECTS: readonly string[] = ['follow', 'manual', 'error'];

/** `Response` of the Fetch standard, with a complete body: the broker has read it within its limits. */
export class HandlerResponse extends HandlerBody {
  readonly #body: Uint8Array<ArrayBuffer>;
  #bodyUsed = false;
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly url: string;
  readonly redirected: boolean;
  readonly type: string = 'basic';

  constructor(
    body?: unknown,
    init: { status?: number; statusText?: string; headers?: unknown; url?: string; redirected?: boolean } = {},
  ) {
    super(() => this.#take(), new HandlerHeaders(init.headers));
    this.#body = bytesOf(body);
    this.status = init.status ?? 200;
    this.ok = this.status >= 200 && this.status < 300;
    this.statusText = init.statusText ?? '';
    this.url = init.url ?? '';
    this.redirected = init.redirected ?? false;
  }

  static json(value: unknown, init: { status?: number; statusText?: string; headers?: unknown } = {}): HandlerResponse {
    const headers = new HandlerHeaders(init.headers);
    if (!headers.has('content-type')) headers.set('content-type', 'application/json');
    return new HandlerResponse(JSON.stringify(value), { ...init, headers });
  }

  static error(): HandlerResponse {
    return new HandlerResponse(undefined, { status: 0 });
  }

  get bodyUsed(): boolean {
    return this.#bodyUsed;
  }

  get [Symbol.toStringTag](): string {
    return 'Response';
  }

  clone(): HandlerResponse {
    if (this.#bodyUsed) throw new TypeError('Response.clone: Body has already been consumed.');
    return new HandlerResponse(this.#body, this);
  }

  #take(): Uint8Array<ArrayBuffer> {
    if (this.#bodyUsed) throw new TypeError('Body is unusable: Body has already been read');
    this.#bodyUsed = true;
    return this.#body;
  }
}

/** The request for the broker. Sets `content-type` if the body implies one, as in the Fetch standard. */
function encodeRequest(request: HandlerRequest): BrokerRequest {
  const headers = new HandlerHeaders(request.headers);
  const { body, contentType } = encodeBody(request.body);
  if (contentType !== undefined && !headers.has('content-type')) headers.set('content-type', contentType);
  const encoded: BrokerRequest = { url: request.url, method: request.method, headers: Object.fromEntries(headers) };
  if (request.redirect !== 'follow') encoded.redirect = 'manual';
  return body === undefined ? encoded : { ...encoded, body };
}

export function encodeBody(body: unknown): EncodedBody {
  if (body === undefined || body === null) return {};
  if (body instanceof URLSearchParams) {
    return { body: body.toString(), contentType: 'application/x-www-form-urlencoded;charset=UTF-8' };
  }
  if (body instanceof HandlerFormData) return encodeForm(body);
  if (body instanceof HandlerBlob) return { body: bytesOf(body), ...(body.type && { contentType: body.type }) };
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return { body: bytesOf(body) };
  return { body: String(body), contentType: 'text/plain;charset=UTF-8' };
}

type RequestOptions = Partial<Record<'method' | 'headers' | 'body' | 'signal' | 'redirect', unknown>>;

function asOptions(init: unknown): RequestOptions {
  return typeof init === 'object' && init !== null ? init : {};
}

function isSignal(value: unknown): value is TaskSignal {
  return value instanceof HandlerAbortSignal || value instanceof AbortSignal;
}

/**
 * The classes around `fetch`, reimplemented: those of Node.js bring streams, whose inner objects cannot all be frozen, its `Blob`
 * breaks when frozen, and loading them takes as much processor time as the start of a host.
 */
export const webApi: Record<string, unknown> = {
  Headers: HandlerHeaders,
  Request: HandlerRequest,
  Response: HandlerResponse,
  FormData: HandlerFormData,
  Blob: HandlerBlob,
  File: HandlerFile,
};
