import { escapeMarkup as escaped } from '@schemakit/validator';
import type { ReportedRun, TestRow } from '../test-row.ts';

export function junitReport({ name, rows, durationMs }: ReportedRun): string {
  const suites = [...Map.groupBy(rows, ({ file }) => file)].map(([file, own]) => suiteXml(file, own));
  const head = `<testsuites name="${escaped(name)}" ${countsOf(rows)} time="${seconds(durationMs)}">`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${head}\n${suites.join('')}</testsuites>\n`;
}

function suiteXml(file: string, rows: readonly TestRow[]): string {
  const time = seconds(rows.reduce((sum, { durationMs }) => sum + durationMs, 0));
  return `  <testsuite name="${escaped(file)}" ${countsOf(rows)} time="${time}">\n${rows.map(caseXml).join('')}  </testsuite>\n`;
}

function countsOf(rows: readonly TestRow[]): string {
  const failures = rows.filter(({ status }) => !status).length;
  const skipped = rows.filter((row) => row.skipped).length;
  return `tests="${rows.length}" failures="${failures}" errors="0" skipped="${skipped}"`;
}

function caseXml(row: TestRow): string {
  const { namespace, routeName, description, file, durationMs } = row;
  const place = `classname="${escaped(namespace ?? file)}.${escaped(routeName)}" file="${escaped(file)}"`;
  const head = `    <testcase name="${escaped(description)}" ${place} time="${seconds(durationMs)}"`;
  const body = bodyXml(row);
  return body === '' ? `${head}/>\n` : `${head}>\n${body}    </testcase>\n`;
}

function bodyXml({ status, skipped, skipReason, code, messages, fix, dataPreview }: TestRow): string {
  if (skipped) return `      <skipped message="${escaped(skipReason ?? '')}"/>\n`;
  const text = [...messages, ...(fix === undefined ? [] : [fix])].map(escaped).join('\n');
  if (!status) {
    return `      <failure message="${escaped(messages[0] ?? '')}" type="${escaped(code ?? 'FAILED')}">${text}</failure>\n`;
  }
  const answer = dataPreview === null ? [] : [escaped(dataPreview)];
  const output = [...answer, ...messages.map(escaped)].join('\n');
  return output === '' ? '' : `      <system-out>${output}</system-out>\n`;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}
