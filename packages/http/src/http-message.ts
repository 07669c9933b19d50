/** One request. */
export interface HttpRequest {
  /** Absolute `https:` or `http:` URL without user name and password. */
  url: string;
  method: string;
  /** `accept`, `accept-encoding` and `user-agent` are added where they are missing; `host` follows from the URL. */
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

/** One redirect that was followed; the URLs are complete, with their queries. */
export interface Redirection {
  from: string;
  to: string;
  status: number;
}

/** What the server answered, whatever its status. */
export interface HttpAnswer {
  /** Of the last request, complete with its query. */
  url: string;
  status: number;
  statusText: string;
  /** Lower-case names; a header that came more than once has its values joined by `, `. They describe `body` as it is here: decoded. */
  headers: Record<string, string>;
  /** Decoded (gzip, deflate, br); it shares its memory with nothing else. */
  readonly body: Uint8Array;
  redirects: Redirection[];
  /** Requests sent in all, redirects and retries included. */
  attempts: number;
  /** How long it stood in line before it was sent, in milliseconds. */
  waitedMs: number;
  /** Of `body`. Cheaper than to ask `body` itself. */
  readonly byteLength: number;
  /** The body as text, by the charset of its content type; UTF-8 where that names none that is known. Cheaper than `body`. */
  text(): string;
}

/** An answer whose body is still to come. */
export interface HttpStream extends Pick<HttpAnswer, 'url' | 'status' | 'statusText' | 'headers'> {
  /** Decoded as in {@link HttpAnswer}. Ends with an `HttpError` where a limit is passed; cancelling it ends the request. */
  body: ReadableStream<Uint8Array>;
}
