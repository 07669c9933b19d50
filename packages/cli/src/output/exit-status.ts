import type { Finding } from '@schemakit/core';

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
