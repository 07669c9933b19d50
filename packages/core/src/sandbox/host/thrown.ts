import type { HandlerErrorCode, HandlerFailure } from '../handler-error.ts';

const MAX_MESSAGE_LENGTH = 2000;
const SCRIPT_SCHEME = 'schemakit-handlers:';

/** A failure that the host itself found; it goes to our process as it is. */
export class HostFailure extends Error {
  readonly #failure: HandlerFailure;

  constructor(failure: HandlerFailure) {
    super(failure.message);
    this.#failure = failure;
  }

  /** The failure, if this is one. Handler code can throw objects that only look like one, or that throw when asked. */
  static read(thrown: unknown): HandlerFailure | undefined {
    if (typeof thrown !== 'object' || thrown === null) return undefined;
    return #failure in thrown ? thrown.#failure : failures.get(thrown);
  }
}

const failures = new WeakMap<object, HandlerFailure>();

/** An error for handler code to meet, which stands for a failure. It has no class of ours that handlers could change. */
export function errorOf(failure: HandlerFailure): Error {
  const error = new Error(failure.message);
  failures.set(error, failure);
  return error;
}

/** The name that a program's script has in stack traces. */
export function scriptName(key: string): string {
  return `${SCRIPT_SCHEME}${key}`;
}

const lines = new WeakMap<object, number>();

/**
 * Learns the line of every error whose stack is asked for, and shows the asker no stack. SES makes `Error` of the start
 * compartment the only place where this can be set.
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

/** Says what handler code threw. It may be anything, also an object that throws when it is looked at. */
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
  // Reading it is what makes V8 describe the stack.
  void Reflect.get(thrown, 'stack');
  return lines.get(thrown);
}
