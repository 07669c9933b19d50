import { type CompareResult, type StartResult, toHtml, toSarif, toText } from '@schemakit/validator';
import type { CommandResult } from '../output/command-result.ts';
import type { Failure } from '../output/exit-status.ts';

/** What is printed in place of the result. */
export type InspectionFormat = 'sarif' | 'html';

/** What makes an inspection fail. */
export type FailOn = 'error' | 'warning' | 'change' | 'never';

/** The result of an inspection as a command ends in it: `status` is that of the server, the exit status says whether it passed. */
export function inspectionResult(
  result: StartResult,
  {
    comparison,
    format,
    failOn,
  }: { comparison: CompareResult | undefined; format: InspectionFormat | undefined; failOn: FailOn },
): CommandResult {
  const report = comparison === undefined ? {} : { comparison };
  const ended = { passes: passes(result, comparison, failOn), failure: failureOf(result) };
  if (format !== undefined) {
    const text = () => (format === 'html' ? toHtml(result, report) : JSON.stringify(toSarif(result, report), null, 2));
    return { document: { status: true }, isServer: true, text, ...ended };
  }
  const error = result.status && ended.passes ? {} : { error: reasonOf(result, comparison, failOn) };
  const document = { ...result, ...error, ...report };
  return { document, text: () => toText(result, report), textHasError: true, ...ended };
}

function passes({ findings, status }: StartResult, comparison: CompareResult | undefined, failOn: FailOn): boolean {
  if (failOn === 'never') return true;
  const errors = findings.some(({ severity }) => severity === 'ERROR');
  const changes = comparison?.hasChanges === true || comparison?.status === false;
  if (failOn === 'change') return !changes;
  const warnings = [...findings, ...(comparison?.findings ?? [])].some(({ severity }) => severity === 'WARNING');
  return status && !errors && (failOn === 'error' || !warnings);
}

function reasonOf({ messages, findings }: StartResult, comparison: CompareResult | undefined, failOn: FailOn): string {
  if (failOn === 'change') return 'The server is not what it was.';
  const all = [...findings, ...(comparison?.findings ?? [])];
  const texts = [...messages, ...(comparison?.messages ?? [])];
  const worst = ['ERROR', 'WARNING'].map((weight) => all.findIndex(({ severity }) => severity === weight));
  return texts[worst.find((index) => index !== -1) ?? 0] ?? 'The server did not answer as one of MCP.';
}

function failureOf({ findings, categories }: StartResult): Failure {
  if (findings.some(({ code, severity }) => severity === 'ERROR' && code.startsWith('VAL-'))) return 'usage';
  return categories.isReachable || categories.supportsMcp ? 'validation' : 'upstream';
}
