import type { Finding } from '@schemakit/core';
import { commandHint } from '../settings/command-hint.ts';

/** The result of a command: printed as text at a terminal, as JSON otherwise. */
export interface CommandResult {
  /** With `error`, and `fix` if there is one, when `status` is false. */
  document: { status: boolean; error?: string; fix?: string | undefined; [field: string]: unknown };
  /** Text for a terminal. Default: `error` and `fix`. */
  text?: () => string;
  textHasError?: boolean;
  /** Further errors, printed after `error` at a terminal. */
  moreErrors?: readonly string[];
  failure?: Failure;
  /** Whether the exit status is 0. Default: `status`. */
  passes?: boolean;
  /** Prints the document as one line, for programs that read it while the command goes on. */
  isOneLine?: boolean;
  /** Printed on stdout as it is, unless --json asks for the result itself: an exported document. */
  exported?: object;
  /** stdout carries a protocol: the document is not printed. */
  isServer?: boolean;
}

/** The result of a failed command. `messages` defaults to the error. */
export function failed(
  failure: Failure,
  {
    fix,
    ...fields
  }: { error: string; messages?: readonly string[]; fix?: string | undefined; [field: string]: unknown },
): CommandResult {
  const { messages = [fields.error] } = fields;
  return { failure, document: { status: false, ...fields, messages, fix: fix ? commandHint(fix) : undefined } };
}

/** The result of a command that failed because of findings. The first error is printed. */
export function failWith(
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

export function usageError(error: string, fix: string): CommandResult {
  return failed('usage', { error, fix });
}

/** A step of a command: what it found, or the result that ends the command. */
export type Step<Found> = ({ ok: true } & Found) | Refused;

export interface Refused {
  ok: false;
  result: CommandResult;
}

/** Ends a command that was called wrongly. */
export function refused(error: string, fix: string): Refused {
  return { ok: false, result: usageError(error, fix) };
}

/** Errors in settings are shown with their location. */
function withPlace({ code, message, file, line, column }: Finding): string {
  if (!code.startsWith('SET') || file === undefined) return message;
  return `${file}${line === undefined ? '' : `:${line}:${column ?? 1}`}: ${message}`;
}

/** Exit statuses of failed commands; 0 is success. `cancelled` is that of Ctrl-C, which a question may get as a key. */
export const exitStatus = {
  other: 1,
  usage: 2,
  notFound: 3,
  validation: 4,
  upstream: 5,
  missingSecret: 6,
  cancelled: 130,
} as const;

export type Failure = keyof typeof exitStatus;

// The API failed. Addresses blocked by the address guard are not upstream failures.
const upstream = new Set([
  ...['ECONNREFUSED', 'ETIMEDOUT', 'ENOTFOUND', 'ECONNRESET', 'EHOSTUNREACH', 'TLS', 'NETWORK'],
  ...['TOO_LARGE', 'TOO_MANY_REDIRECTS', 'BAD_RESPONSE', 'INVALID_JSON', 'REQUEST_FAILED'],
]);
const notFound = new Set(['TOOL_UNKNOWN', 'LCK001', 'FIL001', 'FIL005', 'REF006', 'SET007', 'SET009']);
// Invalid input.
const usage = /^(ARG|SEL|ID0|SET008$|REF00[1-478]$)/;
// A secret, a grant or an acceptance is missing.
const missing = new Set([
  'SECRET_MISSING',
  'SECRET_NOT_GRANTED',
  'SEND_NOT_GRANTED',
  'ORIGIN_BLOCKED',
  'ADDRESS_BLOCKED',
  'FILE_REFUSED',
]);
// Refused by the lock file or a rule, or failed while running: the schema itself may be valid.
const other = /^(LCK|SET00[16]$|FIL|HANDLER_|SECRET_|[A-Z]+_BLOCKED$|ABORTED|CLOSED|INTERNAL|SQL_|QUERY_)/;

/** Classifies a failure by its first error. */
export function failureOf(findings: readonly Finding[]): Failure {
  const code = findings.find(({ severity }) => severity === 'error')?.code;
  if (code === undefined) return 'other';
  if (missing.has(code)) return 'missingSecret';
  if (notFound.has(code)) return 'notFound';
  if (upstream.has(code) || code.startsWith('HTTP_')) return 'upstream';
  if (usage.test(code)) return 'usage';
  return other.test(code) ? 'other' : 'validation';
}
