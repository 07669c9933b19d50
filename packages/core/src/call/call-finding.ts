import type { Finding, Severity } from '../schema/finding.ts';

/** Makes a finding about a call: an error unless it says otherwise. */
export function callFinding(
  code: string,
  message: string,
  { path = '', severity = 'error', hint }: { path?: string; severity?: Severity; hint?: string | undefined } = {},
): Finding {
  return { code, severity, path, message, ...(hint !== undefined && { hint }) };
}
