import type { HttpAnswer, Redirection } from './http-message.ts';

/** One answer as it came, redirects included. */
export interface Reply extends Pick<HttpAnswer, 'status' | 'statusText' | 'headers'> {
  body: ReplyBody;
}

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

/** Makes an answer out of what is known of it, as if it had been received. `body` is decoded. */
export function createAnswer({
  url,
  status,
  headers,
  body,
}: Pick<HttpAnswer, 'url' | 'status' | 'headers' | 'body'>): HttpAnswer {
  return new ReceivedAnswer(url, { status, statusText: '', headers, body: new ReplyBody([body], body.length) }, [], {
    attempts: 1,
    waitedMs: 0,
  });
}

const utf8 = new TextDecoder();

/** The decoder of the content type that came last: it is nearly always the next one too, and reading it takes longer than decoding. */
let latest = { contentType: '', decoder: utf8 };

/** Where chunks are put together to be decoded at once: nobody sees it, and the next answer is written over it. */
const scratch = new Uint8Array(256 * 1024);

/**
 * The bytes of an answer. They stay in the chunks that they came in until somebody asks for them: most answers are read once,
 * as text, and memory of its own for each costs more garbage collection than all the rest of a small exchange.
 */
export class ReplyBody {
  readonly #chunks: readonly Uint8Array[];
  readonly byteLength: number;
  #bytes: Uint8Array | undefined;

  constructor(chunks: readonly Uint8Array[], byteLength: number) {
    this.#chunks = chunks;
    this.byteLength = byteLength;
  }

  /** Always a copy with memory of its own: a chunk may be a window on the bytes of other answers. */
  bytes(): Uint8Array {
    this.#bytes ??= joinChunks(this.#chunks, this.byteLength);
    return this.#bytes;
  }

  /** The same for another reader: what one of them does to its `bytes` is not seen by the other. */
  copy(): ReplyBody {
    return new ReplyBody(this.#chunks, this.byteLength);
  }

  /** Decoded by the charset of the content type; UTF-8 where it names none, or one that nobody knows. */
  text(contentType: string): string {
    if (latest.contentType !== contentType) latest = { contentType, decoder: decoderFor(contentType) };
    const [first] = this.#chunks;
    if (this.#chunks.length === 1 && first) return latest.decoder.decode(first);
    if (this.#bytes !== undefined || this.byteLength > scratch.length) return latest.decoder.decode(this.bytes());
    copyChunks(this.#chunks, scratch);
    return latest.decoder.decode(scratch.subarray(0, this.byteLength));
  }
}

function decoderFor(contentType: string): typeof utf8 {
  const charset = contentType.includes('charset') ? /charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] : undefined;
  if (charset === undefined || /^utf-?8$/i.test(charset)) return utf8;
  try {
    return new TextDecoder(charset);
  } catch {
    return utf8;
  }
}

function joinChunks(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  copyChunks(chunks, bytes);
  return bytes;
}

function copyChunks(chunks: readonly Uint8Array[], to: Uint8Array): void {
  let offset = 0;
  for (const chunk of chunks) {
    to.set(chunk, offset);
    offset += chunk.length;
  }
}
