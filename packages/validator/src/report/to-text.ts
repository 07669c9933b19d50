import type { CompareResult } from '../compare/compare.ts';
import { codes } from '../findings/codes.ts';
import type { StartResult } from '../start.ts';
import { facts, paymentLines, placeOf } from './facts.ts';

/** What a report may hold beside the result. */
export interface ReportOptions {
  /** What changed since an earlier result. */
  comparison?: CompareResult;
}

/** A result for people, to be printed: facts, findings with advice, changes. Nothing in it can harm a terminal. */
export function toText(result: StartResult, { comparison }: ReportOptions = {}): string {
  const width = Math.max(...facts(result).map(([name]) => name.length));
  const lines = facts(result).map(([name, value]) => `${name.padEnd(width)}  ${value}`);
  const payments = paymentLines(result);
  if (payments.length > 0) lines.push('', 'Payment asked for:', ...payments.map((line) => `  ${line}`));
  if (result.findings.length > 0) lines.push('');
  for (const { code, severity, location, text } of result.findings) {
    lines.push(`${severity.padEnd(7)} ${code} ${placeOf(location, result)}: ${text}`);
    if (severity !== 'INFO') lines.push(`        ${codes[code][2]}`);
  }
  if (comparison !== undefined) lines.push('', ...comparison.messages, ...comparison.summary);
  return `${lines.join('\n')}\n`;
}
