import type { AssessmentComparison } from '../assess/compare-assessments.ts';
import type { CompareResult } from '../compare/compare.ts';
import { plainText } from '../findings/plain-text.ts';

export interface ReportOptions {
  /** Changes since an earlier result of the same kind. */
  comparison?: CompareResult | AssessmentComparison;
}

/** A location with the name of the tool instead of its index. */
export function placeOf(location: string, calls: readonly { toolName: string }[]): string {
  return location.replace(/^restrictedCalls\[(\d+)\]/, (all, index: string) => {
    const call = calls[Number(index)];
    return call === undefined ? all : `payment[${plainText(call.toolName, 80)}]`;
  });
}
