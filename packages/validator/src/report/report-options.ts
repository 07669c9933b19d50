import type { AssessmentComparison } from '../assess/compare-assessments.ts';
import type { CompareResult } from '../compare/compare.ts';

export interface ReportOptions {
  /** Changes since an earlier result of the same kind. */
  comparison?: CompareResult | AssessmentComparison;
}
