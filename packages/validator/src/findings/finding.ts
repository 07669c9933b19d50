import type { Severity } from './code-table.ts';
import { type Code, codes } from './codes.ts';
import type { Evidence } from './evidence.ts';
import { plainText } from './plain-text.ts';

export interface Finding {
  code: Code;
  severity: Severity;
  /** The subject, such as `start.endpoint`, `connect` or `restrictedCalls[0].accepts[1].payTo`; without spaces. */
  location: string;
  text: string;
  /** The exchange that shows it; only in assessments. */
  evidence?: Evidence;
}

const MAX_TEXT = 600;

/** Creates a finding. `text` may contain text from servers, which is sanitized here. `severity` overrides that of the code. */
export function finding(
  code: Code,
  location: string,
  text: string,
  { severity = codes[code].severity, evidence }: { severity?: Severity; evidence?: Evidence | undefined } = {},
): Finding {
  return {
    code,
    severity,
    location: location.replaceAll(/[\s:]/g, '_'),
    text: plainText(text, MAX_TEXT),
    ...(evidence !== undefined && { evidence }),
  };
}

/** Formats a finding for `messages`: `CODE location: text`. */
export function asMessage({ code, location, text }: Finding): string {
  return `${code} ${location}: ${text}`;
}

/** Whether there is no `ERROR`. */
export function isClean(findings: readonly Finding[]): boolean {
  return findings.every(({ severity }) => severity !== 'ERROR');
}
