import type { Assessment } from '../assess/assess.ts';
import { codes } from '../findings/codes.ts';
import { plainText } from '../findings/plain-text.ts';
import { placeOf } from '../snapshot/x402-entry.ts';
import type { StartResult } from '../start.ts';
import { assessmentHtml } from './assessment-html.ts';
import { changeLines } from './changes.ts';
import { escapeMarkup, htmlPage, htmlTable } from './html-page.ts';
import type { ReportOptions } from './report-options.ts';
import { facts, paymentLines } from './to-text.ts';

const MAX_TOOLS = 1000;

/** A result of `start` or `assess` as a standalone HTML page, without scripts or requests. */
export function toHtml(result: StartResult | Assessment, options: ReportOptions = {}): string {
  return 'layers' in result ? assessmentHtml(result, options) : startHtml(result, options);
}

function startHtml(result: StartResult, { comparison }: ReportOptions): string {
  const { serverName, endpoint, timestamp, tools } = result.entries;
  const title = `MCP server ${plainText(serverName ?? endpoint ?? '', 100)}`;
  const payments = paymentLines(result);
  const changes = comparison && changeLines(comparison);
  const parts = [
    `<h1 id="facts">${escapeMarkup(title)}</h1>\n<p>${escapeMarkup(timestamp)}</p>`,
    table('facts', ['Fact', 'Value'], facts(result)),
    ...(payments.length === 0 ? [] : ['<h2>Payment required</h2>', list(payments)]),
    '<h2 id="findings">Findings</h2>',
    result.findings.length === 0 ? '<p>None.</p>' : findingsTable(result),
    ...(changes === undefined ? [] : ['<h2>Changes</h2>', list(changes)]),
    '<h2 id="tools">Tools</h2>',
    table('tools', ['Name', 'Description', 'Probe'], tools.slice(0, MAX_TOOLS).map(toolRow(result))),
  ];
  return htmlPage({ title, body: parts.join('\n') });
}

function findingsTable(result: StartResult): string {
  const rows = result.findings.map(({ code, severity, location, text }) => [
    `<span class="${severity.toLowerCase()}">${severity}</span>`,
    code,
    escapeMarkup(placeOf(location, result.entries.x402.restrictedCalls)),
    `${escapeMarkup(text)}<br><small>${escapeMarkup(codes[code].fix)}</small>`,
  ]);
  return htmlTable({ label: 'findings', columns: ['Severity', 'Code', 'Location', 'Finding'], rows, rowHeader: 1 });
}

function toolRow({ entries: { probe } }: StartResult): (tool: Record<string, unknown>) => string[] {
  const outcomes = new Map(probe.map(({ name, outcome }) => [name, outcome]));
  return ({ name, description }) => [
    plainText(String(name), 100),
    typeof description === 'string' ? plainText(description, 500) : '',
    outcomes.get(String(name)) ?? '-',
  ];
}

function table(label: string, columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return htmlTable({ label, columns, rows: rows.map((row) => row.map(escapeMarkup)) });
}

function list(items: readonly string[]): string {
  return `<ul class="lines">${items.map((item) => `<li>${escapeMarkup(item)}</li>`).join('')}</ul>`;
}
