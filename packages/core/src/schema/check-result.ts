import { type Finding, hasNoErrors } from './finding.ts';

/** What a check says, with the findings behind the messages. */
export interface CheckResult {
  /** False if any finding is an error. */
  status: boolean;
  /** The findings as text. */
  messages: string[];
  findings: Finding[];
}

/** Puts findings in the shape of a check. */
export function checkResult(findings: readonly Finding[]): CheckResult {
  return {
    status: hasNoErrors(findings),
    messages: findings.map(({ message }) => message),
    findings: [...findings],
  };
}
