import type { Dispatcher } from 'undici';
import { type ContentDecoder, createContentDecoder } from './content-decoder.ts';
import type { Deadline } from './deadline.ts';
import { explainFailure } from './explain-failure.ts';
import type { Hop } from './hop.ts';
import { HttpError } from './http-error.ts';
import type { HttpStream } from './http-message.ts';
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

interface ExchangeLimits {
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
    dispatch(dispatcher, hop, limits, new ReplyCollector(hop, limits.maxBytes, deadline, resolve));
  });
}

function dispatch(dispatcher: Dispatcher, hop: Hop, limits: ExchangeLimits, receiver: AnswerReceiver): void {
  const { origin, path, method, wireHeaders: headers, body = null } = hop;
  const { idleTimeoutMs: headersTimeout, idleTimeoutMs: bodyTimeout } = limits;
  dispatcher.dispatch({ origin, path, method, headers, body, headersTimeout, bodyTimeout }, receiver);
}

/** The head of an answer. */
interface Head extends Pick<Reply, 'status' | 'statusText' | 'headers'> {
  /** Whether the body is encoded, and decoded here. */
  isDecoded: boolean;
}

/** Receives undici's events for one request. A class because one is made for every request, and undici calls its methods by name. */
abstract class AnswerReceiver implements Dispatcher.DispatchHandler {
  protected readonly url: URL;
  protected readonly maxBytes: number;
  protected readonly deadline: Deadline;
  protected controller: Dispatcher.DispatchController | undefined;
  protected wireBytes = 0;
  #decoder: ContentDecoder | undefined;
  #settled = false;
  #bytes = 0;

  constructor({ url }: Hop, maxBytes: number, deadline: Deadline) {
    this.url = url;
    this.maxBytes = maxBytes;
    this.deadline = deadline;
    // An arrow function here was measured to keep all memory that an answer came in until the next full collection of garbage
    // (answer-memory.test.ts), which V8 then begins the sooner. A bound function does not.
    deadline.onEnd = this.#takeDeadline.bind(this);
  }

  abstract onHead(head: Head): void;
  /** Takes a decoded chunk; all of them together are within the limit. */
  abstract onChunk(chunk: Buffer): void;
  /** The answer is complete. */
  abstract onComplete(): void;
  abstract onFailure(error: HttpError): void;

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The deadline came while the request was waiting for a connection. Throwing takes it out of undici's queue; `abort` would end the fresh connection too.
    if (this.#settled) throw this.deadline.error(this.url);
    this.controller = controller;
  }

  onResponseStart(_: unknown, status: number, rawHeaders: ResponseHeaders, statusText = ''): void {
    if (status < 200 || this.#settled) return;
    const headers = joinHeaders(rawHeaders);
    const { 'content-encoding': encoding } = headers;
    if (encoding !== undefined) {
      this.#decoder = createContentDecoder(encoding, {
        onChunk: (chunk) => this.#take(chunk),
        onEnd: () => this.#complete(),
        onError: (error) => this.fail(explainFailure(error, this.url)),
      });
    }
    this.onHead({ status, statusText, headers, isDecoded: this.#decoder !== undefined });
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    // After a pause undici begins with an empty chunk; to pause at that would go on for ever.
    if (this.#settled || chunk.length === 0) return;
    this.wireBytes += chunk.length;
    if (this.#decoder === undefined) this.#take(chunk);
    // Encoded bytes may be more than the decoded ones, but not without end: empty blocks decode to nothing.
    else if (this.wireBytes > 2 * this.maxBytes + 1024) this.failTooLarge();
    else this.#decoder.write(chunk);
  }

  onResponseEnd(): void {
    if (this.#decoder === undefined) this.#complete();
    else this.#decoder.end();
  }

  onResponseError(_: unknown, error: Error): void {
    this.fail(explainFailure(error, this.url));
  }

  protected failTooLarge(): void {
    this.fail(new HttpError('TOO_LARGE', this.url, { detail: `more than ${this.maxBytes} bytes` }));
  }

  protected fail(error: HttpError): void {
    if (!this.#settle()) return;
    this.#decoder?.destroy();
    this.controller?.abort(error);
    this.onFailure(error);
  }

  #take(chunk: Buffer): void {
    if (this.#settled) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.maxBytes) this.failTooLarge();
    else this.onChunk(chunk);
  }

  #takeDeadline(): void {
    this.fail(this.deadline.error(this.url));
  }

  #complete(): void {
    if (this.#settle()) this.onComplete();
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.deadline.onEnd = undefined;
    return true;
  }
}

class ReplyCollector extends AnswerReceiver {
  readonly #hasBody: boolean;
  readonly #resolve: (outcome: Outcome) => void;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #head: Head | undefined;

  constructor(hop: Hop, maxBytes: number, deadline: Deadline, resolve: (outcome: Outcome) => void) {
    super(hop, maxBytes, deadline);
    this.#hasBody = hop.method !== 'HEAD';
    this.#resolve = resolve;
  }

  onHead(head: Head): void {
    this.#head = head;
    const { 'content-encoding': encoding, 'content-length': length } = head.headers;
    if (encoding === undefined && this.#hasBody && Number(length) > this.maxBytes) this.failTooLarge();
  }

  onChunk(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#chunks.push(chunk);
  }

  onComplete(): void {
    const { status = 0, statusText = '', headers = {}, isDecoded } = this.#head ?? {};
    if (isDecoded && this.wireBytes > 0) dropEncoding(headers);
    this.#resolve({ reply: { status, statusText, headers, body: new ReplyBody(this.#chunks, this.#bytes) } });
  }

  onFailure(error: HttpError): void {
    this.#resolve({ error, answered: this.#head !== undefined });
  }
}

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

/** Headers of a body that has been decoded. */
function dropEncoding(headers: Record<string, string>): void {
  delete headers['content-encoding'];
  delete headers['content-length'];
}

/** As undici gives them. */
type ResponseHeaders = Record<string, string | string[] | undefined>;

/** undici makes a fresh object for every answer, so it is changed in place. */
function joinHeaders(headers: ResponseHeaders): Record<string, string> {
  for (const name in headers) {
    const value = headers[name];
    if (typeof value !== 'string') headers[name] = value?.join(', ') ?? '';
  }
  return headers as Record<string, string>;
}
