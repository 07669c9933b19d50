export interface HttpRequest {
  /** Absolute `https:` or `http:` URL without user name and password. */
  url: string;
  method: string;
  /** `accept`, `accept-encoding` and `user-agent` have defaults; `host` follows from the URL. */
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

/** A redirect that was followed. The URLs are complete, with their queries. */
export interface Redirection {
  from: string;
  to: string;
  status: number;
}

/** An answer, whatever its status. */
export interface HttpAnswer {
  /** The URL of the last request, with its query. */
  url: string;
  status: number;
  statusText: string;
  /** Lower-case names; repeated headers are joined by `, `. Without the encoding of a body that was decoded. */
  headers: Record<string, string>;
  /** Decoded (gzip, deflate, br), in its own memory. */
  readonly body: Uint8Array;
  redirects: Redirection[];
  /** Requests sent, redirects and retries included. */
  attempts: number;
  /** Time in the queue, in milliseconds. */
  waitedMs: number;
  /** Of `body`, without creating it. */
  readonly byteLength: number;
  /** The body as text, in the charset of its content type or else UTF-8. Cheaper than `body`. */
  text(): string;
}

export interface HttpStream extends Pick<HttpAnswer, 'url' | 'status' | 'statusText' | 'headers'> {
  /** Time until the request could be sent, mostly that of a new connection, in milliseconds. */
  setupMs: number;
  /** Decoded. Ends with an `HttpError` if it exceeds a limit; cancelling it ends the request. */
  body: ReadableStream<Uint8Array>;
}
