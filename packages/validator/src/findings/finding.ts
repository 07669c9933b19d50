import { type Code, codes, type Severity } from './codes.ts';
import { plainText } from './plain-text.ts';

/** One thing that was found. */
export interface Finding {
  code: Code;
  severity: Severity;
  /** What it is about, such as `start.endpoint`, `connect` or `restrictedCalls[0].accepts[1].payTo`; without spaces. */
  location: string;
  text: string;
}

/** Longer texts of servers are cut; a finding is for reading. */
const MAX_TEXT = 600;

/** Makes a finding. Text from servers may stand in `text`: it is made harmless here. `severity` is for the cases in which a code weighs other than its table says at first. */
export function finding(
  code: Code,
  location: string,
  text: string,
  { severity = codes[code][0] }: { severity?: Severity } = {},
): Finding {
  return { code, severity, location: location.replaceAll(/[\s:]/g, '_'), text: plainText(text, MAX_TEXT) };
}

/** The form in which findings stand in `messages`: `CODE location: text`. */
export function asMessage({ code, location, text }: Finding): string {
  return `${code} ${location}: ${text}`;
}

/** True if nothing is wrong: no `ERROR`. */
export function isClean(findings: readonly Finding[]): boolean {
  return findings.every(({ severity }) => severity !== 'ERROR');
}
