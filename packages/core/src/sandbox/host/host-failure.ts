import type { HandlerErrorCode, HandlerFailure } from '../handler-error.ts';

const MAX_MESSAGE_LENGTH = 2000;
const SCRIPT_SCHEME = 'schemakit-handlers:';

/** A failure found by the host itself, reported as it is. */
export class HostFailure extends Error {
  readonly #failure: HandlerFailure;

  constructor(failure: HandlerFailure) {
    super(failure.message);
    this.#failure = failure;
  }

  /** The failure, if this is one. Handler code can throw objects that imitate one, or whose properties throw. */
  static read(thrown: unknown): HandlerFailure | undefined {
    if (typeof thrown !== 'object' || thrown === null) return undefined;
    return #failure in thrown ? thrown.#failure : failures.get(thrown);
  }
}

const failures = new WeakMap<object, HandlerFailure>();

/** An error that handler code may catch, and that is reported as a failure. A plain `Error`, which handlers cannot change. */
export function errorOf(failure: HandlerFailure): Error {
  const error = new Error(failure.message);
  failures.set(error, failure);
  return error;
}

/** The name of a program's script in stack traces. */
export function scriptName(key: string): string {
  return `${SCRIPT_SCHEME}${key}`;
}

const lines = new WeakMap<object, number>();

/**
 * Records the line of every error whose stack is read, and returns an empty stack. With SES, only the `Error` of the start
 * compartment has this hook.
 */
export function recordLines(): void {
  Error.stackTraceLimit = 25;
  Error.prepareStackTrace = (error, sites) => {
    const site = sites.find((candidate) => candidate.getScriptNameOrSourceURL()?.startsWith(SCRIPT_SCHEME) === true);
    const line = site?.getLineNumber();
    if (typeof line === 'number') lines.set(error, line);
    return '';
  };
}

/** Describes a thrown value, which may be anything, even an object whose properties throw. */
export function describeThrown(thrown: unknown, code: HandlerErrorCode): HandlerFailure {
  const failure = HostFailure.read(thrown);
  if (failure !== undefined) return failure;
  try {
    const whole = messageOf(thrown);
    const message = whole.length > MAX_MESSAGE_LENGTH ? `${whole.slice(0, MAX_MESSAGE_LENGTH)}…` : whole;
    const line = lineOf(thrown);
    return line === undefined ? { code, message } : { code, message, line };
  } catch {
    return { code, message: 'Something was thrown that cannot be described.' };
  }
}

function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown === 'object' ? String(JSON.stringify(thrown)) : String(thrown);
  const name = String(thrown.name);
  return name === 'Error' || name === '' ? String(thrown.message) : `${name}: ${String(thrown.message)}`;
}

function lineOf(thrown: unknown): number | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  // Makes V8 call `prepareStackTrace`.
  void Reflect.get(thrown, 'stack');
  return lines.get(thrown);
}
