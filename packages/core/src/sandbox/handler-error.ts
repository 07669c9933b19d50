/** Codes of handler failures, with what docs/errors.md says about each. */
export const handlerErrorCodes = {
  HANDLER_THREW: 'The hook threw, or a promise that it did not await was rejected.',
  HANDLER_MISSING: "The factory's result has no such hook.",
  HANDLER_ARGUMENT_INVALID: "The hook's argument contains something that cannot be sent to a host, such as a function.",
  HANDLER_TIMEOUT: 'The hook did not answer before its deadline.',
  HANDLER_CRASHED: 'The host process ended while the hook ran.',
  HANDLER_ABORTED: "The caller's signal was aborted.",
  HANDLER_RESULT_TOO_LARGE: 'The result is larger than the limit.',
  HANDLER_RESULT_INVALID:
    'The result cannot be converted to plain data, or the request that a hook described cannot be sent.',
  LIBRARY_MISSING: 'A declared library cannot be found.',
  LIBRARY_UNUSABLE: 'A declared library cannot be loaded in the sandbox.',
  FACTORY_THREW: "The module's statements or the `handlers` factory threw.",
  FACTORY_INVALID: '`handlers` is not a function, or did not return a plain object.',
  PIN_MISSING: 'Trusted handlers need the hash of their file.',
  PIN_MISMATCH: 'The file of trusted handlers does not match its pin.',
} as const;

export type HandlerErrorCode = keyof typeof handlerErrorCodes;

export interface HandlerFailure {
  code: HandlerErrorCode;
  message: string;
  hint?: string;
  /** 1-based line of the schema file. */
  line?: number;
}

export function timeoutFailure(timeoutMs: number): HandlerFailure {
  return {
    code: 'HANDLER_TIMEOUT',
    message: `The handler gave no answer within ${timeoutMs} ms`,
    hint: 'Check it for a loop or a wait without an end, or allow more time with SCHEMAKIT_HANDLER_TIMEOUT_MS.',
  };
}

export interface HandlerPlace {
  schema: string;
  /** Tool or resource (`resource.query` if there is a query); empty for the factory. */
  tool: string;
  /** Hook; empty for the factory. */
  hook: string;
}

/** A failure of handler code. Its message may come from that code: it is capped, but not masked. */
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
