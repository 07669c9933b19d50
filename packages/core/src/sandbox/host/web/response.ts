import type { BrokerResponse } from '../../host-message.ts';
import { bytesOf, HandlerBody } from './blob.ts';
import { HandlerHeaders } from './headers.ts';

/** A response as handlers see it. The body is there in full: our process has read it under its own caps. */
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

/** The response object for what the broker answered. */
export function openResponse(answer: BrokerResponse, requestUrl: string): HandlerResponse {
  return new HandlerResponse(answer.body, { ...answer, redirected: answer.url !== requestUrl });
}
