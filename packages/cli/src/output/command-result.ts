import type { Finding } from '@schemakit/core';
import { type Failure, failureOf } from './exit-status.ts';

/** What a command ends in. It is shown to programs as JSON, and to a person at a terminal as text. */
export interface CommandResult {
  /** `error` and, where there is something to do, `fix` are there if `status` is false. */
  document: { status: boolean; error?: string; fix?: string; [field: string]: unknown };
  /** For a person. Default: `error` and `fix`. */
  text?: () => string;
  /** Whether `text` says what went wrong, so that `error` need not be shown beside it. */
  textHasError?: boolean;
  /** What else went wrong than `error` says, for a person too. Programs find it in `messages`. */
  moreErrors?: readonly string[];
  /** Why `status` is false. */
  failure?: Failure;
  /** Whether the exit status is 0, where that is another question than `status` answers. */
  passes?: boolean;
  /** The document goes nowhere, because stdout belongs to a protocol; text goes to stderr. */
  isServer?: boolean;
}

/** A command that failed. `messages` has the error alone unless there are more. */
export function failed(
  failure: Failure,
  {
    fix,
    ...fields
  }: { error: string; messages?: readonly string[]; fix?: string | undefined; [field: string]: unknown },
): CommandResult {
  const { messages = [fields.error] } = fields;
  return { failure, document: { status: false, ...fields, messages, ...(fix !== undefined && fix !== '' && { fix }) } };
}

/** A command that failed over what it found. The first error is what is shown. */
export function failedOver(
  findings: readonly Finding[],
  more: { fix?: string; [field: string]: unknown } = {},
): CommandResult {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  return failed(failureOf(errors), {
    ...more,
    error: first === undefined ? 'The command failed.' : withPlace(first),
    messages: errors.map(({ message }) => message),
    fix: more.fix ?? first?.hint,
  });
}

/** A command that was not used as it is meant to be. */
export function misused(error: string, fix: string): CommandResult {
  return failed('usage', { error, fix });
}

/** Settings are files of the user's own: the place is what helps to find the fault. */
function withPlace({ code, message, file, line, column }: Finding): string {
  if (!code.startsWith('SET') || file === undefined) return message;
  return `${file}${line === undefined ? '' : `:${line}:${column ?? 1}`}: ${message}`;
}
