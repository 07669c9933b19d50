import type { Dispatcher } from 'undici';
import { type ContentDecoder, createContentDecoder } from './content-decoder.ts';
import type { Deadline } from './deadline.ts';
import { type ExchangeLimits, joinHeaders, type ResponseHeaders } from './exchange.ts';
import { explainFailure } from './explain-failure.ts';
import type { Hop } from './hop.ts';
import { HttpError } from './http-error.ts';
import type { HttpStream } from './http-message.ts';

/** Sends one request and hands over its body while it comes; rejects with an {@link HttpError}. `onDone` is called once, when nothing more will come. */
export function streamedExchange(
  dispatcher: Dispatcher,
  hop: Hop,
  limits: ExchangeLimits,
  { deadline, onDone }: { deadline: Deadline; onDone: () => void },
): Promise<HttpStream> {
  return new Promise((resolve, reject) => {
    if (deadline.hasEnded()) {
      onDone();
      return reject(deadline.error(hop.url));
    }
    const receiver = new StreamReceiver(hop, limits.maxBytes, { deadline, onDone, resolve, reject });
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
      receiver,
    );
  });
}

interface Receivers {
  deadline: Deadline;
  onDone: () => void;
  resolve: (stream: HttpStream) => void;
  reject: (error: HttpError) => void;
}

/** Receives undici's events for one request, and stops reading from the connection while nobody reads the body. */
class StreamReceiver implements Dispatcher.DispatchHandler {
  readonly #url: URL;
  readonly #maxBytes: number;
  readonly #receivers: Receivers;
  #settled = false;
  #bytes = 0;
  #wireBytes = 0;
  #decoder: ContentDecoder | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor({ url }: Hop, maxBytes: number, receivers: Receivers) {
    this.#url = url;
    this.#maxBytes = maxBytes;
    this.#receivers = receivers;
    // No arrow function: see exchange.ts.
    receivers.deadline.onEnd = this.#takeDeadline.bind(this);
  }

  #takeDeadline(): void {
    this.#fail(this.#receivers.deadline.error(this.#url));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // As in a whole exchange: throwing takes the request out of the queue and leaves the connection alone.
    if (this.#settled) throw this.#receivers.deadline.error(this.#url);
    this.#controller = controller;
  }

  onResponseStart(_: unknown, status: number, rawHeaders: ResponseHeaders, statusText = ''): void {
    if (status < 200 || this.#settled) return;
    const headers = joinHeaders(rawHeaders);
    const encoding = headers['content-encoding'];
    if (encoding !== undefined) this.#decode(encoding, headers);
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#body = controller;
      },
      pull: () => this.#controller?.resume(),
      cancel: () => this.#fail(new HttpError('ABORTED', this.#url)),
    });
    this.#receivers.resolve({ url: this.#url.href, status, statusText, headers, body });
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    // After a pause undici begins with an empty chunk; to pause at that would go on for ever.
    if (this.#settled || chunk.length === 0) return;
    this.#wireBytes += chunk.length;
    // Encoded bytes may be more than the decoded ones, but not without end: empty blocks decode to nothing.
    if (this.#wireBytes > 2 * this.#maxBytes + 1024) this.#failTooLarge();
    else if (this.#decoder === undefined) this.#pass(chunk);
    else this.#decoder.write(chunk);
  }

  onResponseEnd(): void {
    if (this.#decoder === undefined) this.#end();
    else this.#decoder.end();
  }

  onResponseError(_: unknown, error: Error): void {
    this.#fail(explainFailure(error, this.#url));
  }

  #decode(encoding: string, headers: Record<string, string>): void {
    this.#decoder = createContentDecoder(encoding, {
      onChunk: (chunk) => this.#pass(chunk),
      onEnd: () => this.#end(),
      onError: (error) => this.#fail(explainFailure(error, this.#url)),
    });
    if (this.#decoder === undefined) return;
    delete headers['content-encoding'];
    delete headers['content-length'];
  }

  #pass(chunk: Buffer): void {
    if (this.#settled) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) {
      this.#failTooLarge();
      return;
    }
    this.#body?.enqueue(chunk);
    if ((this.#body?.desiredSize ?? 0) <= 0) this.#controller?.pause();
  }

  #end(): void {
    if (this.#settle()) this.#body?.close();
  }

  #failTooLarge(): void {
    this.#fail(new HttpError('TOO_LARGE', this.#url, { detail: `more than ${this.#maxBytes} bytes` }));
  }

  #fail(error: HttpError): void {
    if (!this.#settle()) return;
    this.#decoder?.destroy();
    this.#controller?.abort(error);
    this.#receivers.reject(error);
    // After `cancel` the stream takes nothing more.
    if (error.code !== 'ABORTED' || this.#receivers.deadline.hasEnded()) this.#body?.error(error);
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#receivers.deadline.onEnd = undefined;
    this.#receivers.onDone();
    return true;
  }
}
