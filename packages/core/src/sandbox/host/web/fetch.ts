import type { BrokerFailure, BrokerRequest, BrokerResponse } from '../../host-message.ts';
import type { EncodedBody } from '../../request-parts.ts';
import { askBroker } from '../broker.ts';
import type { RunningTask, TaskSignal } from '../tasks.ts';
import { HandlerAbortSignal } from './abort-signal.ts';
import { bytesOf, encodeForm, HandlerBlob, HandlerBody, HandlerFile, HandlerFormData } from './blob.ts';
import { HandlerHeaders } from './headers.ts';
import { HandlerResponse, openResponse } from './response.ts';

/** A `fetch` whose requests are made by our process, for the task that `findTask` names. */
export function brokeredFetch(
  findTask: () => RunningTask | undefined,
): (input: unknown, init?: unknown) => Promise<HandlerResponse> {
  return async (input, init) => {
    // Made here, where the stack still leads to the line of the schema that fetches.
    const failed = new TypeError('fetch failed');
    const task = findTask();
    if (task === undefined) throw new TypeError('fetch failed: the call that makes this request has ended');
    const request = new HandlerRequest(input, init);
    request.signal?.throwIfAborted();
    try {
      const answer = await askBroker(task, encodeRequest(request), request.signal);
      if (request.redirect === 'error' && isRedirect(answer)) throw { message: 'unexpected redirect' };
      return harden(openResponse(answer, request.url));
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

/** A request as handlers may build one before they fetch it. */
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

/** The request as it goes to our process. Sets `content-type` where the body says one, as the Fetch standard does. */
function encodeRequest(request: HandlerRequest): BrokerRequest {
  const headers = new HandlerHeaders(request.headers);
  const { body, contentType } = encodeBody(request.body);
  if (contentType !== undefined && !headers.has('content-type')) headers.set('content-type', contentType);
  const encoded: BrokerRequest = { url: request.url, method: request.method, headers: Object.fromEntries(headers) };
  if (request.redirect !== 'follow') encoded.redirect = 'manual';
  return body === undefined ? encoded : { ...encoded, body };
}

/** A body as it is sent, and the type that it says. */
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

interface RequestOptions {
  method?: unknown;
  headers?: unknown;
  body?: unknown;
  signal?: unknown;
  redirect?: unknown;
}

function asOptions(init: unknown): RequestOptions {
  return typeof init === 'object' && init !== null ? init : {};
}

function isSignal(value: unknown): value is TaskSignal {
  return value instanceof HandlerAbortSignal || value instanceof AbortSignal;
}

/**
 * What belongs to `fetch`, written for hosts. The classes of Node.js bring streams, whose inner objects cannot all be frozen;
 * `Blob` breaks when it is frozen; and to load them takes as much processor time as a host needs to start.
 */
export const webApi: Record<string, unknown> = {
  Headers: HandlerHeaders,
  Request: HandlerRequest,
  Response: HandlerResponse,
  FormData: HandlerFormData,
  Blob: HandlerBlob,
  File: HandlerFile,
};
