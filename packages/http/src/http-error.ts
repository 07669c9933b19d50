/** The meaning of a code and what to do about it. */
export interface HttpErrorEntry {
  meaning: string;
  hint: string;
}

const entries = {
  ECONNREFUSED: {
    meaning: 'Target server not running',
    hint: 'Start the server, or check host and port of the address.',
  },
  ETIMEDOUT: {
    meaning: 'Upstream request timed out',
    hint: 'Try again later, ask for less, or raise `timeoutMs` or `idleTimeoutMs`.',
  },
  ENOTFOUND: { meaning: 'Invalid host', hint: 'Check the spelling of the host name and the network connection.' },
  ECONNRESET: {
    meaning: 'Upstream closed the connection before its answer was complete',
    hint: 'Try again; if it happens again, the server refuses this request or fails on it.',
  },
  EHOSTUNREACH: {
    meaning: 'Target server cannot be reached',
    hint: 'Check the network connection, and whether the address is reachable from here.',
  },
  TLS: {
    meaning: 'No trusted TLS connection to the target server',
    hint: "Check the server's certificate and host name; for a private authority, set `ca` or the environment variable NODE_EXTRA_CA_CERTS.",
  },
  NETWORK: { meaning: 'Request failed', hint: 'See `cause` for what the system reported.' },
  ABORTED: { meaning: 'Request was aborted by its caller', hint: 'Nothing to do: `signal` ended the request.' },
  CLOSED: { meaning: 'HTTP client is closed', hint: 'Create a new client with `createHttpClient()`.' },
  INVALID_URL: {
    meaning: 'Invalid URL',
    hint: 'Give an absolute URL such as `https://api.example.com/path`, without user name and password.',
  },
  INVALID_REQUEST: { meaning: 'Request cannot be sent', hint: 'Check method, header names and header values.' },
  INVALID_POLICY: { meaning: 'Invalid network policy', hint: 'Give origins as `https://host` or `https://host:port`.' },
  PROTOCOL_BLOCKED: {
    meaning: 'Protocol is not allowed',
    hint: 'Only `https:` and `http:` are used, and never `http:` after `https:`.',
  },
  ORIGIN_BLOCKED: {
    meaning: 'Origin is not allowed',
    hint: 'Add the origin to `policy.allowedOrigins` if requests may go there.',
  },
  ADDRESS_BLOCKED: {
    meaning: 'Address is not public',
    hint: 'Add the origin to `policy.privateOrigins` if this private or loopback address is intended.',
  },
  SECRET_BLOCKED: {
    meaning: 'Redirect would carry a secret to another origin',
    hint: 'Ask for the final address directly, if the secret is intended for it.',
  },
  TOO_LARGE: { meaning: 'Answer is too large', hint: 'Ask for less data, or raise `maxBytes`.' },
  TOO_MANY_REDIRECTS: {
    meaning: 'Too many redirects',
    hint: 'Ask for the final address directly, or raise `maxRedirects`.',
  },
  BAD_RESPONSE: {
    meaning: 'Upstream did not answer in valid HTTP',
    hint: 'Check that host and port belong to an HTTP server.',
  },
  QUEUE_FULL: { meaning: 'Too many requests are waiting for this API', hint: 'Try again later.' },
  RETRY_LATER: { meaning: 'It is too early for another request to this API', hint: 'Try again later.' },
  CIRCUIT_OPEN: {
    meaning: 'This API has failed repeatedly, so requests to it are paused',
    hint: 'Try again later.',
  },
} as const;

/** Stable identifiers of the reasons why a request has no answer. */
export type HttpErrorCode = keyof typeof entries;

export const HTTP_ERRORS: Readonly<Record<HttpErrorCode, HttpErrorEntry>> = entries;

export interface HttpErrorDetail {
  /** The particular case. Must not contain a query string or credentials. */
  detail?: string | undefined;
  /** Replaces the default hint. */
  hint?: string | undefined;
  cause?: unknown;
  /** When to try again, in milliseconds from now. */
  retryAfterMs?: number | undefined;
  /** Time in the queue before the timeout, in milliseconds. */
  waitedMs?: number | undefined;
}

/** A request without an HTTP answer. Answers such as 404 or 500 are not errors here. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly code: HttpErrorCode;
  readonly hint: string;
  /** Scheme, host and path of the request, without query and credentials. Empty if the URL was invalid. */
  readonly url: string;
  /** When to try again, in milliseconds after the failure, if known. */
  readonly retryAfterMs: number | undefined;
  /** Time in the queue before the timeout, in milliseconds. */
  readonly waitedMs: number | undefined;

  constructor(
    code: HttpErrorCode,
    url: URL | undefined,
    { detail, hint, cause, retryAfterMs, waitedMs }: HttpErrorDetail = {},
  ) {
    const { meaning, hint: usualHint } = HTTP_ERRORS[code];
    const place = url === undefined ? '' : ` (${url.host})`;
    const particular = detail === undefined ? '' : `: ${detail}`;
    super(`${code}: ${meaning}${place}${particular}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint ?? usualHint;
    this.url = url === undefined ? '' : `${url.origin}${url.pathname}`;
    this.retryAfterMs = retryAfterMs;
    this.waitedMs = waitedMs;
  }
}

const TRY_DNS_LATER = 'The name service did not answer; try again, and check the network connection.';
const UNTRUSTED = 'the certificate is not from a trusted authority';

type Explanation = readonly [systemCodes: RegExp, code: HttpErrorCode, detail?: string, hint?: string];

/** Our codes for those of Node.js, undici and zlib. The first match counts. */
const EXPLANATIONS: readonly Explanation[] = [
  [/^ECONNREFUSED$/, 'ECONNREFUSED'],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'ETIMEDOUT', 'no connection'],
  [/^UND_ERR_HEADERS_TIMEOUT$/, 'ETIMEDOUT', 'no answer within the idle time'],
  [/^UND_ERR_BODY_TIMEOUT$/, 'ETIMEDOUT', 'the answer stopped before its end'],
  [/^(ENOTFOUND|ENODATA)$/, 'ENOTFOUND', 'no address is known for this name'],
  [/^EAI_/, 'ENOTFOUND', 'the name could not be looked up', TRY_DNS_LATER],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/, 'ECONNRESET'],
  [/^(EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/, 'EHOSTUNREACH'],
  [/^(HOSTNAME_MISMATCH|ERR_TLS_CERT_ALTNAME_INVALID)$/, 'TLS', 'the certificate is for another host'],
  [/^CERT_HAS_EXPIRED$/, 'TLS', 'the certificate has expired'],
  [/^CERT_NOT_YET_VALID$/, 'TLS', 'the certificate is not valid yet'],
  [/^CERT_REVOKED$/, 'TLS', 'the certificate was revoked'],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'TLS', 'the certificate is self-signed'],
  [/^(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/, 'TLS', UNTRUSTED],
  [/^UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?$/, 'TLS', UNTRUSTED],
  [/^(EPROTO$|ERR_TLS_|ERR_SSL_|CERT_)/, 'TLS'],
  [/^(Z_|ERR_BROTLI_|ERR__ERROR_FORMAT_)/, 'BAD_RESPONSE', 'the compressed body is damaged'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'BAD_RESPONSE', 'the headers are too large'],
  [/^UND_ERR_RES_CONTENT_LENGTH_MISMATCH$/, 'BAD_RESPONSE', 'the body is not as long as announced'],
  [/^UND_ERR_NOT_SUPPORTED$/, 'INVALID_REQUEST'],
  [/^UND_ERR_REQ_CONTENT_LENGTH_MISMATCH$/, 'INVALID_REQUEST', 'the content-length header does not fit the body'],
  [/^UND_ERR_(DESTROYED|CLOSED)$/, 'CLOSED'],
];

/** The {@link HttpError} for an error of Node.js or undici, which becomes its cause. */
export function explainFailure(cause: unknown, url: URL): HttpError {
  if (cause instanceof HttpError) return cause;
  const { name, message, code: systemCode = '' }: NodeJS.ErrnoException = cause instanceof Error ? cause : new Error();
  // undici's message for an invalid argument names a header or an option, never its value.
  if (systemCode === 'UND_ERR_INVALID_ARG') return new HttpError('INVALID_REQUEST', url, { detail: message, cause });
  if (systemCode === 'ADDRESS_BLOCKED') return new HttpError('ADDRESS_BLOCKED', url, { detail: message, cause });
  // Not all of these have a code. By name, because importing the class would load all of undici.
  const isInvalid = systemCode === 'UND_ERR_SOCKET' && /^bad (response|upgrade)$/.test(message);
  if (isInvalid || name === 'HTTPParserError') return new HttpError('BAD_RESPONSE', url, { cause });
  const known = EXPLANATIONS.find(([codes]) => codes.test(systemCode));
  if (known === undefined) return new HttpError('NETWORK', url, { detail: systemCode || undefined, cause });
  const [, code, detail, hint] = known;
  return new HttpError(code, url, { detail, hint, cause });
}
