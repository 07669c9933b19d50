import type { HttpErrorCode } from './http-error.ts';
import { HttpError, type HttpErrorDetail } from './http-error.ts';

type Explanation = readonly [code: HttpErrorCode, detail?: string, hint?: string];

const TRY_DNS_LATER = 'The name service did not answer; try again, and check the network connection.';

/** Codes of Node.js, undici and zlib, in our words. */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  ECONNREFUSED: ['ECONNREFUSED'],
  ETIMEDOUT: ['ETIMEDOUT', 'no connection'],
  UND_ERR_CONNECT_TIMEOUT: ['ETIMEDOUT', 'no connection'],
  UND_ERR_HEADERS_TIMEOUT: ['ETIMEDOUT', 'no answer within the idle time'],
  UND_ERR_BODY_TIMEOUT: ['ETIMEDOUT', 'the answer stopped before its end'],
  ENOTFOUND: ['ENOTFOUND', 'no address is known for this name'],
  ENODATA: ['ENOTFOUND', 'no address is known for this name'],
  EAI_AGAIN: ['ENOTFOUND', 'the name could not be looked up', TRY_DNS_LATER],
  ECONNRESET: ['ECONNRESET'],
  ECONNABORTED: ['ECONNRESET'],
  EPIPE: ['ECONNRESET'],
  UND_ERR_SOCKET: ['ECONNRESET'],
  EHOSTUNREACH: ['EHOSTUNREACH'],
  EHOSTDOWN: ['EHOSTUNREACH'],
  ENETUNREACH: ['EHOSTUNREACH'],
  ENETDOWN: ['EHOSTUNREACH'],
  EADDRNOTAVAIL: ['EHOSTUNREACH'],
  EPROTO: ['TLS'],
  HOSTNAME_MISMATCH: ['TLS', 'the certificate is for another host'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['TLS', 'the certificate is for another host'],
  CERT_HAS_EXPIRED: ['TLS', 'the certificate has expired'],
  CERT_NOT_YET_VALID: ['TLS', 'the certificate is not valid yet'],
  CERT_REVOKED: ['TLS', 'the certificate was revoked'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['TLS', 'the certificate is self-signed'],
  SELF_SIGNED_CERT_IN_CHAIN: ['TLS', 'the certificate is not from a trusted authority'],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['TLS', 'the certificate is not from a trusted authority'],
  UNABLE_TO_GET_ISSUER_CERT: ['TLS', 'the certificate is not from a trusted authority'],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['TLS', 'the certificate is not from a trusted authority'],
  UND_ERR_HEADERS_OVERFLOW: ['BAD_RESPONSE', 'the headers are too large'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['BAD_RESPONSE', 'the body is not as long as announced'],
  UND_ERR_NOT_SUPPORTED: ['INVALID_REQUEST'],
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: ['INVALID_REQUEST', 'the content-length header does not fit the body'],
  UND_ERR_DESTROYED: ['CLOSED'],
  UND_ERR_CLOSED: ['CLOSED'],
};

const PREFIXES: readonly (readonly [prefix: string, explanation: Explanation])[] = [
  ['EAI_', ['ENOTFOUND', 'the name could not be looked up', TRY_DNS_LATER]],
  ['ERR_TLS_', ['TLS']],
  ['ERR_SSL_', ['TLS']],
  ['CERT_', ['TLS']],
  ['Z_', ['BAD_RESPONSE', 'the compressed body is damaged']],
  ['ERR_BROTLI_', ['BAD_RESPONSE', 'the compressed body is damaged']],
  ['ERR__ERROR_FORMAT_', ['BAD_RESPONSE', 'the compressed body is damaged']],
];

/** Turns what Node.js or undici reported about a request to `url` into an {@link HttpError}, which keeps it as its cause. */
export function explainFailure(cause: unknown, url: URL): HttpError {
  if (cause instanceof HttpError) return cause;
  const systemCode = errorCode(cause);
  // undici's text for an invalid argument names a header or an option, never its value.
  if (systemCode === 'UND_ERR_INVALID_ARG')
    return new HttpError('INVALID_REQUEST', url, { detail: text(cause), cause });
  if (systemCode === 'ADDRESS_BLOCKED') return new HttpError('ADDRESS_BLOCKED', url, { detail: text(cause), cause });
  // undici gives a code to some of these only.
  // By its name: the class would bring all of undici with it.
  if (cause instanceof Error && cause.name === 'HTTPParserError') return new HttpError('BAD_RESPONSE', url, { cause });
  if (systemCode === 'UND_ERR_SOCKET' && /^bad (response|upgrade)$/.test(text(cause))) {
    return new HttpError('BAD_RESPONSE', url, { cause });
  }
  const [code, detail, hint] = explanationOf(systemCode);
  const error: HttpErrorDetail = { detail, hint, cause };
  if (code === 'NETWORK' && systemCode !== '') error.detail = systemCode;
  return new HttpError(code, url, error);
}

function explanationOf(systemCode: string): Explanation {
  if (Object.hasOwn(EXPLANATIONS, systemCode)) return EXPLANATIONS[systemCode] ?? ['NETWORK'];
  return PREFIXES.find(([prefix]) => systemCode.startsWith(prefix))?.[1] ?? ['NETWORK'];
}

function errorCode(cause: unknown): string {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
}

function text(cause: unknown): string {
  return cause instanceof Error ? cause.message : '';
}
