import type { Finding, Severity } from './finding.ts';

/** Rules about `z` blocks (specification 2.3), by code: how severe a breach is, and what the rule asks for. */
export const zCodes: Readonly<Record<ZCode, readonly [Severity, string]>> = {
  VAL044: ['error', 'A primitive is string(), number(), boolean(), array(), object() or enum(…).'],
  VAL045: ['warning', 'Options are an array of known options that fit the primitive and one another.'],
  VAL046: ['error', 'An enum has values.'],
  VAL047: ['error', 'A shared list stands in an enum, as a value of its own.'],
};

export type ZCode = `VAL04${4 | 5 | 6 | 7}`;

/** Makes a finding about a `z` block. Its message ends with the place, because a schema has many such blocks. */
export function zFinding(
  code: ZCode,
  path: string,
  message: string,
  { hint, severity = zCodes[code][0] }: { hint?: string; severity?: Severity } = {},
): Finding {
  return { code, severity, path, message: `${message} (${path})`, ...(hint !== undefined && { hint }) };
}
