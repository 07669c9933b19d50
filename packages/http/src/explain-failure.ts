import { HttpError, type HttpErrorCode } from './http-error.ts';

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
  const systemCode = errorCode(cause);
  // undici's message for an invalid argument names a header or an option, never its value.
  if (systemCode === 'UND_ERR_INVALID_ARG')
    return new HttpError('INVALID_REQUEST', url, { detail: text(cause), cause });
  if (systemCode === 'ADDRESS_BLOCKED') return new HttpError('ADDRESS_BLOCKED', url, { detail: text(cause), cause });
  // Not all of these have a code. By name, because importing the class would load all of undici.
  if (cause instanceof Error && cause.name === 'HTTPParserError') return new HttpError('BAD_RESPONSE', url, { cause });
  if (systemCode === 'UND_ERR_SOCKET' && /^bad (response|upgrade)$/.test(text(cause))) {
    return new HttpError('BAD_RESPONSE', url, { cause });
  }
  const known = EXPLANATIONS.find(([codes]) => codes.test(systemCode));
  if (known === undefined) return new HttpError('NETWORK', url, { detail: systemCode || undefined, cause });
  const [, code, detail, hint] = known;
  return new HttpError(code, url, { detail, hint, cause });
}

function errorCode(cause: unknown): string {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
}

function text(cause: unknown): string {
  return cause instanceof Error ? cause.message : '';
}
