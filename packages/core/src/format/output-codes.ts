import type { Finding, Severity } from './finding.ts';

export type OutputCode = `OUT00${1 | 2 | 3 | 4 | 5}`;

/** Rules about answers and the schemas that describe them, by code: how severe a breach is, and what the rule asks for. */
export const outputCodes: Readonly<Record<OutputCode, readonly [Severity, string]>> = {
  OUT001: ['error', 'An output schema is inferred from an answer and its media type.'],
  OUT002: ['warning', 'An answer of a JSON media type is JSON.'],
  OUT003: ['info', 'An output schema describes the whole answer.'],
  OUT004: ['warning', 'An answer is what the output schema of its tool says.'],
  OUT005: ['error', 'A tool whose output is written into its file stands there as an object of its own.'],
};

/** Makes a finding of a rule about answers. */
export function outputFinding(code: OutputCode, path: string, message: string, hint?: string): Finding {
  return { code, severity: outputCodes[code][0], path, message, ...(hint !== undefined && { hint }) };
}
