import type { Reply } from './exchange.ts';
import type { HttpAnswer, Redirection } from './http-message.ts';
import type { ReplyBody } from './reply-body.ts';

/** An answer whose body is put together when it is asked for. */
export class ReceivedAnswer implements HttpAnswer {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Record<string, string>;
  readonly redirects: Redirection[];
  readonly attempts: number;
  readonly waitedMs: number;
  readonly #body: ReplyBody;

  constructor(
    url: string,
    { status, statusText, headers, body }: Reply,
    redirects: Redirection[],
    { attempts, waitedMs }: { attempts: number; waitedMs: number },
  ) {
    this.url = url;
    this.status = status;
    this.statusText = statusText;
    this.headers = headers;
    this.redirects = redirects;
    this.attempts = attempts;
    this.waitedMs = waitedMs;
    this.#body = body;
  }

  get body(): Uint8Array {
    return this.#body.bytes();
  }

  get byteLength(): number {
    return this.#body.byteLength;
  }

  /** The same for another reader, who may change what it holds. */
  copy(): ReceivedAnswer {
    const { url, status, statusText, headers, redirects, attempts, waitedMs } = this;
    const reply = { status, statusText, headers: { ...headers }, body: this.#body.copy() };
    return new ReceivedAnswer(url, reply, [...redirects], { attempts, waitedMs });
  }

  text(): string {
    return this.#body.text(this.headers['content-type'] ?? '');
  }
}
