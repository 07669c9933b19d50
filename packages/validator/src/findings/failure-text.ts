import type { HttpError, HttpErrorCode } from '@schemakit/http';

/** Advice in the words of this package's options, where the client's own names options that are not to be had here. */
const ADVICE: Readonly<Partial<Record<HttpErrorCode, string>>> = {
  ETIMEDOUT: 'Raise `timeout`, or look at what the server waits for.',
  ABORTED: 'The time was over, or `signal` ended the run.',
  ADDRESS_BLOCKED: 'Name its origin in `privateOrigins` (`--private-origin`) if this private address is meant.',
  ORIGIN_BLOCKED: 'Name its origin in `privateOrigins` (`--private-origin`) if it is meant.',
  TOO_LARGE: 'Answer with less.',
  NETWORK: 'Check the network connection.',
};

/** A failure in two sentences: what happened, and what to do. */
export function failureText({ code, message, hint }: HttpError): string {
  return `${message.replace(/[.\s]+$/, '')}. ${ADVICE[code] ?? hint}`;
}
