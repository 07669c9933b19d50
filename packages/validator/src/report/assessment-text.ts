import type { Assessment } from '../assess/assess.ts';
import { plainText } from '../findings/plain-text.ts';
import { evidenceLine, gradeRows, layerRows } from './assessment-facts.ts';
import { changeLines } from './changes.ts';
import type { ReportOptions } from './report-options.ts';

const MAX_EVIDENCE = 200;

/** Formats an assessment for a terminal: the grade, the layers, findings with reason and advice, changes. */
export function assessmentText(result: Assessment, { comparison }: ReportOptions): string {
  const layers = layerRows(result);
  const [titles, states] = [0, 1].map((column) => Math.max(...layers.map((row) => row[column as 0 | 1].length)));
  const lines = [
    ...gradeRows(result).map(([name, value]) => `${name.padEnd(titles ?? 0)}  ${value}`),
    '',
    ...layers.map(([title, state, fact]) => `${title.padEnd(titles ?? 0)}  ${state.padEnd(states ?? 0)}  ${fact}`),
  ];
  if (result.findings.length > 0) lines.push('');
  for (const { code, severity, location, text, evidence, why, fix, source } of result.findings) {
    lines.push(`${severity.padEnd(7)} ${code} ${location}: ${text}`);
    if (severity === 'INFO') continue;
    lines.push(`        Why:  ${why}`, `        Fix:  ${fix}`, `        Rule: ${source}`);
    if (evidence !== undefined) lines.push(`        Seen: ${plainText(evidenceLine(evidence), MAX_EVIDENCE)}`);
  }
  if (comparison !== undefined) lines.push('', ...changeLines(comparison));
  return `${lines.join('\n')}\n`;
}
