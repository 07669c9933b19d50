import { codes } from '../findings/codes.ts';
import { plainText } from '../findings/plain-text.ts';
import type { StartResult } from '../start.ts';
import { facts } from './facts.ts';
import { paymentLines, placeOf } from './payment-facts.ts';
import type { ReportOptions } from './to-text.ts';

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid #ddd}
td,li{overflow-wrap:anywhere}li{white-space:pre-wrap}.ERROR{color:#a40000}.WARNING{color:#7a5200}.INFO{color:#345}small{color:#555}
@media(prefers-color-scheme:dark){body{color:#eee;background:#181818}th,td{border-color:#444}.ERROR{color:#ff8f8f}.WARNING{color:#ffcf70}.INFO{color:#a9c7ff}small{color:#aaa}}`;

/** Nothing from the server may run or load, even if an escape were missed. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** A result as one HTML page that needs nothing else: no scripts, no requests. */
export function toHtml(result: StartResult, { comparison }: ReportOptions = {}): string {
  const { serverName, endpoint, timestamp } = result.entries;
  const title = `MCP server ${plainText(serverName ?? endpoint ?? '', 100)}`;
  const payments = paymentLines(result);
  const parts = [
    `<h1>${asHtml(title)}</h1>`,
    `<p>${asHtml(timestamp)}</p>`,
    table(
      ['Fact', 'Value'],
      facts(result).map((row) => row.map(asHtml)),
    ),
    ...(payments.length === 0 ? [] : ['<h2>Payment asked for</h2>', list(payments)]),
    '<h2>Findings</h2>',
    result.findings.length === 0 ? '<p>None.</p>' : findingsTable(result),
    ...(comparison === undefined ? [] : ['<h2>Changes</h2>', list([...comparison.messages, ...comparison.summary])]),
    '<h2>Tools</h2>',
    table(['Name', 'Description', 'Probe'], toolRows(result)),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${asHtml(title)}</title><style>${STYLE}</style></head>
<body>
${parts.join('\n')}
</body></html>
`;
}

function findingsTable(result: StartResult): string {
  const rows = result.findings.map(({ code, severity, location, text }) => [
    `<span class="${severity}">${severity}</span>`,
    code,
    asHtml(placeOf(location, result)),
    `${asHtml(text)}<br><small>${asHtml(codes[code][2])}</small>`,
  ]);
  return table(['Severity', 'Code', 'Place', 'Finding'], rows);
}

function toolRows({ entries: { tools, probe } }: StartResult): string[][] {
  const outcomes = new Map(probe.map(({ name, outcome }) => [name, outcome]));
  return tools
    .slice(0, 1000)
    .map(({ name, description }) => [
      asHtml(plainText(String(name), 100)),
      asHtml(typeof description === 'string' ? plainText(description, 500) : ''),
      asHtml(outcomes.get(String(name)) ?? '-'),
    ]);
}

/** Cells are HTML already. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return `<table><thead>${line(head, 'th')}</thead><tbody>\n${rows.map((row) => line(row, 'td')).join('\n')}\n</tbody></table>`;
}

function list(items: readonly string[]): string {
  return `<ul>${items.map((item) => `<li>${asHtml(item)}</li>`).join('')}</ul>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function asHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
