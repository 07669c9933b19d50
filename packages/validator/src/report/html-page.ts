/** Contrast meets WCAG AA in both colour schemes; colour is never the only signal. */
const style = `:root { color-scheme: light dark; --text: #1c2024; --quiet: #5a6169; --line: #d9dde1; --page: #fff; --raised: #f5f6f8; --good: #146c2e; --bad: #b3121d; --warn: #7a5200; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8ea; --quiet: #a3abb3; --line: #363c43; --page: #15181b; --raised: #1f2428; --good: #6fd48a; --bad: #ff9a94; --warn: #ffcf70; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 2rem 1.25rem; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
h1 { margin: 0 0 .5rem; font-size: 1.6rem; overflow-wrap: anywhere; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.1rem; overflow-wrap: anywhere; }
small, .note, .time, dt, footer { color: var(--quiet); }
h2 small { margin-left: .5rem; font-weight: 400; }
code, pre { font: .9em/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { margin: .5rem 0 0; padding: .6rem .75rem; background: var(--raised); border-radius: .4rem; white-space: pre-wrap; }
.verdict { margin: 0 0 1.25rem; padding: .75rem 1rem; border-left: .3rem solid; background: var(--raised); border-radius: .2rem; }
.verdict.passed { border-color: var(--good); }
.verdict.failed { border-color: var(--bad); }
.counts { display: flex; flex-wrap: wrap; gap: .75rem 2.5rem; margin: 0; }
.counts dd { margin: 0; font-size: 1.6rem; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .55rem .75rem .55rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
td:last-child, li { overflow-wrap: anywhere; }
thead th { color: var(--quiet); font-weight: 600; }
tbody th { font-weight: 400; }
.result, .time { white-space: nowrap; font-variant-numeric: tabular-nums; }
.passed { color: var(--good); }
.failed, .error { color: var(--bad); }
.warning { color: var(--warn); }
.result.failed, .error { font-weight: 700; }
.verdict { color: inherit; }
.note { margin: .25rem 0 0; }
details { margin-top: .35rem; }
summary { width: fit-content; cursor: pointer; }
ul { margin: .35rem 0 0; padding-left: 1.25rem; overflow-wrap: anywhere; }
.lines { white-space: pre-wrap; }
footer { margin-top: 3rem; }
@media (max-width: 40rem) { [aria-labelledby=findings] { thead { display: none; } tr { display: block; padding: .6rem 0; border-bottom: 1px solid var(--line); } th, td { display: block; padding: 0; border: 0; } } }
`;

/** Blocks scripts and requests, even if an escape is missed. */
const policy = "default-src 'none'; style-src 'unsafe-inline'";

/** A standalone page without scripts or requests. `title` is text, `body` HTML. */
export function htmlPage({ title, body }: { title: string; body: string }): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escapeMarkup(title)}</title>
<style>
${style}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

/** A table for the heading with the id `label`. Cells are HTML; the column `rowHeader` (default: the first) has the row headers. */
export function htmlTable({
  label,
  columns,
  rows,
  rowHeader = 0,
}: {
  label: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  rowHeader?: number;
}): string {
  const head = columns.map((name) => `<th scope="col">${escapeMarkup(name)}</th>`).join('');
  const cell = (html: string, column: number): string =>
    column === rowHeader ? `<th scope="row">${html}</th>` : `<td>${html}</td>`;
  const body = rows.map((row) => `<tr>${row.map(cell).join('')}</tr>\n`).join('');
  return `<div class="scroll" role="region" aria-labelledby="${label}" tabindex="0">
<table>
<thead><tr>${head}</tr></thead>
<tbody>
${body}</tbody>
</table>
</div>
`;
}

/** Escapes text for XML and HTML and their attributes. Characters that XML 1.0 forbids become code points. */
export function escapeMarkup(text: string): string {
  return text.replace(/[<>&"']|[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]|\r/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return references[character] ?? `\\u{${code.toString(16)}}`;
  });
}

const references: Readonly<Record<string, string>> = {
  ...{ '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;', "'": '&#39;' },
  // XML parsers would read it as a line break.
  '\r': '&#13;',
};
