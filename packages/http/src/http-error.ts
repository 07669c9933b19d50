import { HTTP_ERRORS, type HttpErrorCode } from './http-error-codes.ts';

/** What went wrong, beside what the table of codes says. */
export interface HttpErrorDetail {
  /** The particular case, in plain words; it must hold no query string and no credential. */
  detail?: string | undefined;
  /** Replaces the table's advice where the case has a better one. */
  hint?: string | undefined;
  cause?: unknown;
  /** When it makes sense to try again, in milliseconds from now. */
  retryAfterMs?: number | undefined;
  /** How long it stood in line before its time was over, in milliseconds. */
  waitedMs?: number | undefined;
}

/** A request that did not lead to an HTTP answer. Answers such as 404 or 500 are not errors here. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly code: HttpErrorCode;
  /** What to do about it. */
  readonly hint: string;
  /** Scheme, host and path of the request that failed: no query, no credentials. Empty if there was no valid URL. */
  readonly url: string;
  /** When it makes sense to try again, in milliseconds from when it failed; undefined where that is not known. */
  readonly retryAfterMs: number | undefined;
  /** How long it stood in line before its time was over, in milliseconds; undefined where it did not. */
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
