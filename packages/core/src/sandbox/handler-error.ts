/** Why a handler gave no answer, by code. */
export const handlerErrorCodes = {
  HANDLER_THREW: 'The hook threw, or a promise that it left behind was rejected.',
  HANDLER_MISSING: "The factory's result has no such hook.",
  HANDLER_ARGUMENT_INVALID: "The hook's argument holds something that cannot be sent to a host, such as a function.",
  HANDLER_TIMEOUT: 'The hook gave no answer before its deadline.',
  HANDLER_CRASHED: 'The host process ended while the hook ran.',
  HANDLER_ABORTED: "The caller's signal was aborted.",
  HANDLER_RESULT_TOO_LARGE: 'The answer is larger than a host may give.',
  HANDLER_RESULT_INVALID:
    'The answer cannot be turned into plain data, or the request that a hook wrote cannot be sent.',
  LIBRARY_MISSING: 'A declared library cannot be found.',
  LIBRARY_UNUSABLE: 'A declared library cannot be loaded in the sandbox.',
  FACTORY_THREW: "The module's statements or the `handlers` factory threw.",
  FACTORY_INVALID: '`handlers` is no function, or it returned no plain object.',
  PIN_MISSING: 'Trusted handlers are loaded with the hash of their file.',
  PIN_MISMATCH: 'The file of trusted handlers is not the one that was pinned.',
} as const;

export type HandlerErrorCode = keyof typeof handlerErrorCodes;

/** What a host says about a failure; plain data. */
export interface HandlerFailure {
  code: HandlerErrorCode;
  message: string;
  /** What to do about it. */
  hint?: string;
  /** 1-based line of the schema file. */
  line?: number;
}

/** The failure of a hook that gave no answer in its time. */
export function lateFailure(timeoutMs: number): HandlerFailure {
  return {
    code: 'HANDLER_TIMEOUT',
    message: `The handler gave no answer within ${timeoutMs} ms`,
    hint: 'Check it for a loop or a wait without an end, or allow more time with SCHEMAKIT_HANDLER_TIMEOUT_MS.',
  };
}

/** Where the failure happened. */
export interface HandlerPlace {
  /** Namespace of the schema. */
  schema: string;
  /** Tool or resource (`resource.query` where there is a query); empty for the factory. */
  tool: string;
  /** Hook; empty for the factory. */
  hook: string;
}

/** A failure of handler code, with its place. The message is text from third-party code, capped but not scrubbed. */
export class HandlerError extends Error {
  readonly code: HandlerErrorCode;
  readonly hint: string | undefined;
  readonly line: number | undefined;
  readonly schema: string;
  readonly tool: string;
  readonly hook: string;

  constructor(failure: HandlerFailure, place: HandlerPlace) {
    super(failure.message);
    this.name = 'HandlerError';
    this.code = failure.code;
    this.hint = failure.hint;
    this.line = failure.line;
    this.schema = place.schema;
    this.tool = place.tool;
    this.hook = place.hook;
  }
}
