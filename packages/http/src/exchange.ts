import type { Dispatcher } from 'undici';
import { type ContentDecoder, createContentDecoder } from './content-decoder.ts';
import type { Deadline } from './deadline.ts';
import { explainFailure } from './explain-failure.ts';
import type { Hop } from './hop.ts';
import { HttpError } from './http-error.ts';
import { type Reply, ReplyBody } from './received-answer.ts';

/** What became of one request on the wire. */
export type Outcome =
  | { reply: Reply; error?: undefined }
  | {
      reply?: undefined;
      error: HttpError;
      /** True if the status line had arrived: the server has taken the request. */
      answered: boolean;
    };

export interface ExchangeLimits {
  idleTimeoutMs: number;
  maxBytes: number;
}

/** Sends one request and collects the answer; never rejects. */
export function exchange(
  dispatcher: Dispatcher,
  hop: Hop,
  limits: ExchangeLimits,
  deadline: Deadline,
): Promise<Outcome> {
  return new Promise((resolve) => {
    if (deadline.hasEnded()) return resolve({ error: deadline.error(hop.url), answered: false });
    const collector = new ReplyCollector(hop, limits.maxBytes, deadline, resolve);
    dispatcher.dispatch(
      {
        origin: hop.origin,
        path: hop.path,
        method: hop.method,
        headers: hop.wireHeaders,
        body: hop.body ?? null,
        headersTimeout: limits.idleTimeoutMs,
        bodyTimeout: limits.idleTimeoutMs,
      },
      collector,
    );
  });
}

/** Receives undici's events for one request. A class because one is made for every request, and undici calls its methods by name. */
class ReplyCollector implements Dispatcher.DispatchHandler {
  readonly #url: URL;
  readonly #hasBody: boolean;
  readonly #maxBytes: number;
  readonly #deadline: Deadline;
  readonly #resolve: (outcome: Outcome) => void;
  readonly #chunks: Buffer[] = [];
  #settled = false;
  #bytes = 0;
  #wireBytes = 0;
  #status = 0;
  #statusText = '';
  #headers: Record<string, string> = {};
  #decoder: ContentDecoder | undefined;
  #controller: Dispatcher.DispatchController | undefined;

  constructor({ url, method }: Hop, maxBytes: number, deadline: Deadline, resolve: (outcome: Outcome) => void) {
    this.#url = url;
    this.#hasBody = method !== 'HEAD';
    this.#maxBytes = maxBytes;
    this.#deadline = deadline;
    this.#resolve = resolve;
    // An arrow function here was measured to keep all memory that an answer came in until the next full collection of garbage
    // (answer-memory.test.ts), which V8 then begins the sooner. A bound function does not.
    deadline.onEnd = this.#takeDeadline.bind(this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The deadline came while the request was waiting for a connection. Throwing takes it out of undici's queue; `abort` would end the fresh connection too.
    if (this.#settled) throw this.#deadline.error(this.#url);
    this.#controller = controller;
  }

  onResponseStart(_: unknown, status: number, headers: ResponseHeaders, statusText = ''): void {
    if (status < 200) return;
    this.#status = status;
    this.#statusText = statusText;
    this.#headers = joinHeaders(headers);
    const { 'content-encoding': encoding, 'content-length': length } = this.#headers;
    if (encoding !== undefined) this.#decoder = this.#createDecoder(encoding);
    else if (this.#hasBody && Number(length) > this.#maxBytes) this.#failTooLarge();
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (this.#settled) return;
    this.#wireBytes += chunk.length;
    if (this.#decoder === undefined) this.#keep(chunk);
    // Encoded bytes may be more than the decoded ones, but not without end: empty blocks decode to nothing.
    else if (this.#wireBytes > 2 * this.#maxBytes + 1024) this.#failTooLarge();
    else this.#decoder.write(chunk);
  }

  onResponseEnd(): void {
    if (this.#decoder === undefined) this.#succeed();
    else this.#decoder.end();
  }

  onResponseError(_: unknown, error: Error): void {
    this.#fail(explainFailure(error, this.#url));
  }

  #createDecoder(encoding: string): ContentDecoder | undefined {
    return createContentDecoder(encoding, {
      onChunk: (chunk) => this.#keep(chunk),
      onEnd: () => {
        if (this.#wireBytes > 0) {
          delete this.#headers['content-encoding'];
          delete this.#headers['content-length'];
        }
        this.#succeed();
      },
      onError: (error) => this.#fail(explainFailure(error, this.#url)),
    });
  }

  #keep(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) this.#failTooLarge();
    else this.#chunks.push(chunk);
  }

  #succeed(): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#deadline.onEnd = undefined;
    const body = new ReplyBody(this.#chunks, this.#bytes);
    this.#resolve({ reply: { status: this.#status, statusText: this.#statusText, headers: this.#headers, body } });
  }

  #takeDeadline(): void {
    this.#fail(this.#deadline.error(this.#url));
  }

  #failTooLarge(): void {
    this.#fail(new HttpError('TOO_LARGE', this.#url, { detail: `more than ${this.#maxBytes} bytes` }));
  }

  #fail(error: HttpError): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#deadline.onEnd = undefined;
    this.#decoder?.destroy();
    this.#controller?.abort(error);
    this.#resolve({ error, answered: this.#status !== 0 });
  }
}

/** As undici gives them. */
export type ResponseHeaders = Record<string, string | string[] | undefined>;

/** undici makes a fresh object for every answer, so it is changed in place. */
export function joinHeaders(headers: ResponseHeaders): Record<string, string> {
  for (const name in headers) {
    const value = headers[name];
    if (typeof value !== 'string') headers[name] = value?.join(', ') ?? '';
  }
  return headers as Record<string, string>;
}
