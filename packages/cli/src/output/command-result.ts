import type { Finding } from '@schemakit/core';

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

/** The statuses with which commands end where they failed; 0 is success. */
export const exitStatus = { other: 1, usage: 2, notFound: 3, validation: 4, upstream: 5, missingSecret: 6 } as const;

/** Why a command failed. */
export type Failure = keyof typeof exitStatus;

// The API did not answer, or not with what was asked for. Addresses that we refuse ourselves are not among them.
const upstream = new Set([
  ...['ECONNREFUSED', 'ETIMEDOUT', 'ENOTFOUND', 'ECONNRESET', 'EHOSTUNREACH', 'TLS', 'NETWORK'],
  ...['TOO_LARGE', 'TOO_MANY_REDIRECTS', 'BAD_RESPONSE', 'INVALID_JSON', 'REQUEST_FAILED'],
]);
const notFound = new Set(['TOOL_UNKNOWN', 'LCK001', 'FIL001', 'FIL005', 'REF006', 'SET007', 'SET009']);
// What was asked for was not understood.
const usage = /^(ARG|SEL|ID0|SET008$|REF00[1-478]$)/;
// Changed since it was trusted, refused by a rule, or broken on the way: the schema itself may be faultless.
const other = /^(LCK|SET00[16]$|FIL|HANDLER_|SECRET_|[A-Z]+_BLOCKED$|ABORTED|CLOSED|INTERNAL|SQL_|QUERY_)/;

/** Why a command failed, from the first error that it found. */
export function failureOf(findings: readonly Finding[]): Failure {
  const code = findings.find(({ severity }) => severity === 'error')?.code;
  if (code === undefined) return 'other';
  if (code === 'SECRET_MISSING') return 'missingSecret';
  if (notFound.has(code)) return 'notFound';
  if (upstream.has(code) || code.startsWith('HTTP_')) return 'upstream';
  if (usage.test(code)) return 'usage';
  return other.test(code) ? 'other' : 'validation';
}
