import type { Finding, FindingDetail, Report } from './finding.ts';
import { type RuleCode, ruleFinding } from './finding-codes.ts';

/**
 * Reports a finding, or a breach of a rule by its code. A text as the last argument is the hint.
 * Returns undefined, so that a rule can stop with `return report(…)`.
 */
export interface RuleReport {
  (code: RuleCode, path: string, message: string, detail?: FindingDetail | string): undefined;
  (finding: Finding): undefined;
}

/** A path in the checked document, and the report for its findings. */
export interface Place {
  path: string;
  report: RuleReport;
}

export function ruleReport(report: Report): RuleReport {
  return (rule: Finding | RuleCode, path: string = '', message: string = '', detail?: FindingDetail | string) => {
    report(typeof rule === 'string' ? ruleFinding(rule, path, message, detail) : rule);
    return undefined;
  };
}
