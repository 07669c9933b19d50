import type { HttpAnswer, Redirection } from './http-message.ts';

/** What the server sent for one request. */
export interface Reply extends Pick<HttpAnswer, 'status' | 'statusText' | 'headers' | 'byteLength'> {
  /** The decoded body. A chunk may be a window on memory that other answers share. */
  chunks: readonly Uint8Array[];
}

/** How a reply was reached. */
type Journey = Pick<HttpAnswer, 'url' | 'redirects' | 'attempts' | 'waitedMs'>;

/** An answer that joins the chunks of its body only when asked for the bytes: most answers are read once, as text. */
export class ReceivedAnswer implements HttpAnswer {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Record<string, string>;
  readonly redirects: Redirection[];
  readonly attempts: number;
  readonly waitedMs: number;
  readonly byteLength: number;
  readonly #chunks: readonly Uint8Array[];
  #body: Uint8Array | undefined;

  constructor(
    { status, statusText, headers, chunks, byteLength }: Reply,
    { url, redirects, attempts, waitedMs }: Journey,
  ) {
    this.url = url;
    this.status = status;
    this.statusText = statusText;
    this.headers = headers;
    this.redirects = redirects;
    this.attempts = attempts;
    this.waitedMs = waitedMs;
    this.byteLength = byteLength;
    this.#chunks = chunks;
  }

  get body(): Uint8Array {
    this.#body ??= joinChunks(this.#chunks, this.byteLength);
    return this.#body;
  }

  text(): string {
    const { 'content-type': contentType = '' } = this.headers;
    if (latest.contentType !== contentType) latest = { contentType, decoder: decoderFor(contentType) };
    const [first] = this.#chunks;
    return latest.decoder.decode(this.#chunks.length === 1 ? first : this.body);
  }

  /** The same for another reader: neither sees what the other changes in it. */
  copy(): ReceivedAnswer {
    const reply = { ...this, headers: { ...this.headers }, chunks: this.#chunks };
    return new ReceivedAnswer(reply, { ...this, redirects: [...this.redirects] });
  }
}

/** Makes an answer from its parts, as if it had been received. `body` is decoded. */
export function createAnswer({
  url,
  status,
  statusText = '',
  headers,
  body,
}: Pick<HttpAnswer, 'url' | 'status' | 'headers' | 'body'> & { statusText?: string }): HttpAnswer {
  const reply = { status, statusText, headers, chunks: [body], byteLength: body.length };
  return new ReceivedAnswer(reply, { url, redirects: [], attempts: 1, waitedMs: 0 });
}

const utf8 = new TextDecoder();

/** For the content type of the latest answer, which is usually that of the next one too. */
let latest = { contentType: '', decoder: utf8 };

/** UTF-8 unless the content type names another known charset. */
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
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
