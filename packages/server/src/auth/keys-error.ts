/** The keys of an authorization server cannot be fetched: nobody's token can be checked until they can. */
export class KeysError extends Error {
  constructor(issuer: string, cause: unknown) {
    super(`The keys of ${issuer} could not be fetched: ${reasonOf(cause)}`, { cause });
    this.name = 'KeysError';
  }
}

/** `fetch` says why it failed by the cause of its error. */
function reasonOf(error: unknown): string {
  const { cause, message } = Object(error) as { cause?: { message?: string; code?: string }; message?: string };
  return cause?.message || cause?.code || message || String(error);
}
