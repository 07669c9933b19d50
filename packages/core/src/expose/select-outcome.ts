import { stringifyData } from '../call/answer-text.ts';
import { selectData } from './select-data.ts';
import type { ToolOutcome } from './tool-result.ts';

/** The part of an answer that a JMESPath expression selects. What is wrong with the expression fails the call. */
export async function selectOutcome(outcome: ToolOutcome, expression: string): Promise<ToolOutcome> {
  if (!outcome.status || outcome.binary !== undefined) return outcome;
  const { status, findings, data } = await selectData(outcome.data, expression);
  if (!status) return { status, findings, data: null, dataAsString: null };
  return { status, findings: outcome.findings, data, dataAsString: stringifyData(data) };
}
