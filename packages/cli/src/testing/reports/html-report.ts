import { counted } from '../../output/counted.ts';
import type { TestRow } from '../test-row.ts';
import { escapeMarkup as escaped } from './escape-markup.ts';
import { reportStyle } from './report-style.ts';
import type { ReportedRun } from './write-reports.ts';

/** A run as a page that needs nothing but itself: no script, no other file, nothing from a network. */
export function htmlReport({ document, rows, durationMs }: ReportedRun): string {
  const { status, error, fix } = document;
  const count = (kind: Result) => rows.filter((row) => resultOf(row) === kind).length;
  const sections = [...Map.groupBy(rows, ({ file }) => file)].map(([file, own], index) => schemaHtml(file, own, index));
  const verdict = status ? 'Passed' : 'Failed';
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${verdict}: tests of schemas</title>
<style>
${reportStyle}</style>
</head>
<body>
<header>
<h1>Tests of schemas</h1>
<p class="verdict ${status ? 'passed' : 'failed'}"><strong>${verdict}.</strong> ${escaped(error ?? (status && count('failed') > 0 ? oneIsEnough : ''))} ${escaped(fix ?? '')}</p>
<dl class="counts">
${countHtml('Passed', count('passed'))}${countHtml('Failed', count('failed'))}${countHtml('Skipped', count('skipped'))}${countHtml('Seconds', (durationMs / 1000).toFixed(1))}</dl>
</header>
<main>
${sections.join('')}</main>
<footer><p>Written by <code>schemakit test</code>.</p></footer>
</body>
</html>
`;
}

const oneIsEnough = 'In each schema at least one route returned data.';

type Result = 'passed' | 'failed' | 'skipped';

function resultOf({ status, skipped }: TestRow): Result {
  if (skipped) return 'skipped';
  return status ? 'passed' : 'failed';
}

function countHtml(label: string, value: number | string): string {
  return `<div><dt>${label}</dt><dd>${value}</dd></div>\n`;
}

function schemaHtml(file: string, rows: readonly TestRow[], index: number): string {
  const failures = rows.filter(({ status }) => !status).length;
  const summary = `${counted(rows.length, 'test')}${failures === 0 ? '' : `, ${failures} failed`}`;
  return `<section aria-labelledby="schema-${index}">
<h2 id="schema-${index}">${escaped(file)} <small>${summary}</small></h2>
<div class="scroll" role="region" aria-labelledby="schema-${index}" tabindex="0">
<table>
<thead><tr><th scope="col">Result</th><th scope="col">Tool</th><th scope="col">Test</th><th scope="col">Time</th></tr></thead>
<tbody>
${rows.map(rowHtml).join('')}</tbody>
</table>
</div>
</section>
`;
}

const signs: Readonly<Record<Result, string>> = { passed: '✓', failed: '✗', skipped: '–' };

function rowHtml(row: TestRow): string {
  const { namespace, routeName, description, durationMs } = row;
  const result = resultOf(row);
  const tool = routeName === '*' ? (namespace ?? '') : `${namespace}_${routeName}`;
  const time = result === 'skipped' ? '' : `${durationMs} ms`;
  return `<tr class="${result}"><td class="result"><span aria-hidden="true">${signs[result]}</span> ${result}</td><th scope="row"><code>${escaped(tool)}</code></th><td>${escaped(description)}${detailHtml(row)}</td><td class="time">${time}</td></tr>\n`;
}

function detailHtml({ status, skipReason, code, messages, fix, dataPreview }: TestRow): string {
  const reason = skipReason === undefined ? '' : `<p class="note">${escaped(skipReason)}</p>`;
  const list = messages.map((message) => `<li>${escaped(message)}</li>`).join('');
  const label = status ? 'Differs from the output schema' : `Failed${code === undefined ? '' : `: ${escaped(code)}`}`;
  const why =
    list === ''
      ? ''
      : `<details${status ? '' : ' open'}><summary>${label}</summary><ul>${list}</ul>${fixHtml(fix)}</details>`;
  const answer =
    dataPreview === null
      ? ''
      : `<details><summary>Answer</summary><pre><code>${escaped(dataPreview)}</code></pre></details>`;
  return `${reason}${why}${answer}`;
}

function fixHtml(fix: string | undefined): string {
  return fix === undefined ? '' : `<p class="note">${escaped(fix)}</p>`;
}
