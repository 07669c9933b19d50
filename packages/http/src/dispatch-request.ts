import type { Dispatcher } from 'undici';
import { type ContentDecoder, createContentDecoder } from './content-decoder.ts';
import type { Deadline } from './deadline.ts';
import { explainFailure, HttpError } from './http-error.ts';
import type { HttpStream } from './http-message.ts';
import type { PreparedRequest } from './prepare-request.ts';
import type { Reply } from './received-answer.ts';

/** The result of one request on the wire. */
export type Outcome =
  | { reply: Reply; error?: undefined }
  | {
      reply?: undefined;
      error: HttpError;
      /** True if the status line had arrived, so the server has accepted the request. */
      answered: boolean;
    };

type DispatchLimits = { idleTimeoutMs: number; maxBytes: number };

/** Sends one request and collects the answer; never rejects. */
export function dispatchRequest(
  dispatcher: Dispatcher,
  request: PreparedRequest,
  limits: DispatchLimits,
  deadline: Deadline,
): Promise<Outcome> {
  return new Promise((resolve) => {
    if (deadline.hasEnded()) return resolve({ error: deadline.error(request.url), answered: false });
    dispatch(dispatcher, request, limits, new ReplyCollector(request, limits.maxBytes, deadline, resolve));
  });
}

function dispatch(
  dispatcher: Dispatcher,
  { origin, path, method, wireHeaders, body }: PreparedRequest,
  { idleTimeoutMs }: DispatchLimits,
  receiver: AnswerReceiver,
): void {
  const options = { origin, path, method, headers: wireHeaders, body: body ?? null };
  dispatcher.dispatch({ ...options, headersTimeout: idleTimeoutMs, bodyTimeout: idleTimeoutMs }, receiver);
}

interface Head extends Pick<Reply, 'status' | 'statusText' | 'headers'> {
  /** Whether the body was encoded and is decoded here. */
  isDecoded: boolean;
}

abstract class AnswerReceiver implements Dispatcher.DispatchHandler {
  protected readonly request: PreparedRequest;
  protected readonly maxBytes: number;
  protected readonly deadline: Deadline;
  protected controller: Dispatcher.DispatchController | undefined;
  /** Decoded bytes so far. */
  protected bytes = 0;
  protected wireBytes = 0;
  #decoder: ContentDecoder | undefined;
  #settled = false;

  constructor(request: PreparedRequest, maxBytes: number, deadline: Deadline) {
    this.request = request;
    this.maxBytes = maxBytes;
    this.deadline = deadline;
    // An arrow function would keep the memory of the answer alive until the next full garbage collection (answer-memory.test.ts).
    deadline.onEnd = this.#takeDeadline.bind(this);
  }

  abstract onHead(head: Head): void;
  /** Takes a decoded chunk. The sum of all chunks is within the limit. */
  abstract onChunk(chunk: Buffer): void;
  abstract onComplete(): void;
  abstract onFailure(error: HttpError): void;

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The deadline passed while the request waited for a connection. Throwing removes it from undici's queue; `abort` would
    // also close the new connection.
    if (this.#settled) throw this.deadline.error(this.request.url);
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
        onError: (error) => this.fail(explainFailure(error, this.request.url)),
      });
    }
    this.onHead({ status, statusText, headers, isDecoded: this.#decoder !== undefined });
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    // After a pause undici resumes with an empty chunk; pausing again at that one would never end.
    if (this.#settled || chunk.length === 0) return;
    this.wireBytes += chunk.length;
    if (this.#decoder === undefined) this.#take(chunk);
    // Limits the encoded bytes too, generously: compressed blocks may decode to nothing.
    else if (this.wireBytes > 2 * this.maxBytes + 1024) this.failTooLarge();
    else this.#decoder.write(chunk);
  }

  onResponseEnd(): void {
    if (this.#decoder === undefined) this.#complete();
    else this.#decoder.end();
  }

  onResponseError(_: unknown, error: Error): void {
    this.fail(explainFailure(error, this.request.url));
  }

  protected failTooLarge(): void {
    this.fail(new HttpError('TOO_LARGE', this.request.url, { detail: `more than ${this.maxBytes} bytes` }));
  }

  protected fail(error: HttpError): void {
    if (!this.#settle()) return;
    this.#decoder?.destroy();
    this.controller?.abort(error);
    this.onFailure(error);
  }

  #take(chunk: Buffer): void {
    if (this.#settled) return;
    this.bytes += chunk.length;
    if (this.bytes > this.maxBytes) this.failTooLarge();
    else this.onChunk(chunk);
  }

  #takeDeadline(): void {
    this.fail(this.deadline.error(this.request.url));
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
  readonly #resolve: (outcome: Outcome) => void;
  readonly #chunks: Buffer[] = [];
  #head: Head | undefined;

  constructor(request: PreparedRequest, maxBytes: number, deadline: Deadline, resolve: (outcome: Outcome) => void) {
    super(request, maxBytes, deadline);
    this.#resolve = resolve;
  }

  onHead(head: Head): void {
    this.#head = head;
    const { 'content-encoding': encoding, 'content-length': length } = head.headers;
    const hasBody = this.request.method !== 'HEAD';
    if (encoding === undefined && hasBody && Number(length) > this.maxBytes) this.failTooLarge();
  }

  onChunk(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onComplete(): void {
    const { status = 0, statusText = '', headers = {}, isDecoded } = this.#head ?? {};
    if (isDecoded && this.wireBytes > 0) dropEncoding(headers);
    this.#resolve({ reply: { status, statusText, headers, chunks: this.#chunks, byteLength: this.bytes } });
  }

  onFailure(error: HttpError): void {
    this.#resolve({ error, answered: this.#head !== undefined });
  }
}

/** Sends one request and streams its body; rejects with an {@link HttpError}. `onDone` is called once, at the end of the exchange. */
export function dispatchStream(
  dispatcher: Dispatcher,
  request: PreparedRequest,
  limits: DispatchLimits,
  { deadline, onDone }: { deadline: Deadline; onDone: () => void },
): Promise<HttpStream> {
  return new Promise((resolve, reject) => {
    if (deadline.hasEnded()) {
      onDone();
      return reject(deadline.error(request.url));
    }
    const callbacks = { deadline, onDone, resolve, reject };
    dispatch(dispatcher, request, limits, new StreamReceiver(request, limits.maxBytes, callbacks));
  });
}

interface StreamCallbacks {
  deadline: Deadline;
  onDone: () => void;
  resolve: (stream: HttpStream) => void;
  reject: (error: HttpError) => void;
}

/** Stops reading from the connection while the body is not read. */
class StreamReceiver extends AnswerReceiver {
  readonly #callbacks: StreamCallbacks;
  readonly #begin = performance.now();
  #setupMs = 0;
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(request: PreparedRequest, maxBytes: number, callbacks: StreamCallbacks) {
    super(request, maxBytes, callbacks.deadline);
    this.#callbacks = callbacks;
  }

  override onRequestStart(controller: Dispatcher.DispatchController): void {
    super.onRequestStart(controller);
    this.#setupMs = performance.now() - this.#begin;
  }

  onHead({ status, statusText, headers, isDecoded }: Head): void {
    if (isDecoded) dropEncoding(headers);
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#body = controller;
      },
      pull: () => this.controller?.resume(),
      cancel: () => this.fail(new HttpError('ABORTED', this.request.url)),
    });
    const setupMs = this.#setupMs;
    this.#callbacks.resolve({ url: this.request.url.href, status, statusText, headers, setupMs, body });
  }

  onChunk(chunk: Buffer): void {
    this.#body?.enqueue(chunk);
    if ((this.#body?.desiredSize ?? 0) <= 0) this.controller?.pause();
  }

  onComplete(): void {
    this.#callbacks.onDone();
    this.#body?.close();
  }

  onFailure(error: HttpError): void {
    this.#callbacks.onDone();
    this.#callbacks.reject(error);
    // A cancelled stream accepts no error.
    if (error.code !== 'ABORTED' || this.deadline.hasEnded()) this.#body?.error(error);
  }
}

/** Removes the headers that no longer describe a decoded body. */
function dropEncoding(headers: Record<string, string>): void {
  delete headers['content-encoding'];
  delete headers['content-length'];
}

type ResponseHeaders = Record<string, string | string[] | undefined>;

/** Changes the headers in place: undici makes a new object for every answer. */
function joinHeaders(headers: ResponseHeaders): Record<string, string> {
  for (const name in headers) {
    const value = headers[name];
    if (typeof value !== 'string') headers[name] = value?.join(', ') ?? '';
  }
  return headers as Record<string, string>;
}
