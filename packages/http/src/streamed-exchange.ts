import type { Dispatcher } from 'undici';
import type { Deadline } from './deadline.ts';
import { AnswerReceiver, dispatch, dropEncoding, type ExchangeLimits, type Head } from './exchange.ts';
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
    dispatch(dispatcher, hop, limits, new StreamReceiver(hop, limits.maxBytes, { deadline, onDone, resolve, reject }));
  });
}

interface Receivers {
  deadline: Deadline;
  onDone: () => void;
  resolve: (stream: HttpStream) => void;
  reject: (error: HttpError) => void;
}

/** Stops reading from the connection while nobody reads the body. */
class StreamReceiver extends AnswerReceiver {
  readonly #receivers: Receivers;
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(hop: Hop, maxBytes: number, receivers: Receivers) {
    super(hop, maxBytes, receivers.deadline);
    this.#receivers = receivers;
  }

  onHead({ status, statusText, headers, isDecoded }: Head): void {
    if (isDecoded) dropEncoding(headers);
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#body = controller;
      },
      pull: () => this.controller?.resume(),
      cancel: () => this.fail(new HttpError('ABORTED', this.url)),
    });
    this.#receivers.resolve({ url: this.url.href, status, statusText, headers, body });
  }

  onChunk(chunk: Buffer): void {
    this.#body?.enqueue(chunk);
    if ((this.#body?.desiredSize ?? 0) <= 0) this.controller?.pause();
  }

  onComplete(): void {
    this.#receivers.onDone();
    this.#body?.close();
  }

  onFailure(error: HttpError): void {
    this.#receivers.onDone();
    this.#receivers.reject(error);
    // After `cancel` the stream takes nothing more.
    if (error.code !== 'ABORTED' || this.deadline.hasEnded()) this.#body?.error(error);
  }
}
