import { type Finding, hasNoErrors } from './finding.ts';

/** What a check says, with the findings behind the messages. */
export interface CheckResult {
  /** False if any finding is an error. */
  status: boolean;
  /** The findings as text. */
  messages: string[];
  findings: Finding[];
}

/**
 * The result of a method that gives more than a check: the fields of `Success` where `status` is true, those of `Failure` where
 * it is false. `if (result.status)` tells them apart.
 */
export type Result<Success extends object, Failure extends object> = Omit<CheckResult, 'status'> &
  (({ status: true } & Success) | ({ status: false } & Failure));

/** Puts findings in the shape of a check. */
export function checkResult(findings: readonly Finding[]): CheckResult {
  return {
    status: hasNoErrors(findings),
    messages: findings.map(({ message }) => message),
    findings: [...findings],
  };
}
