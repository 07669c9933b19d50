import { escapeMarkup, htmlPage, htmlTable } from '@schemakit/validator';
import { counted } from '../../output/terminal-text.ts';
import { outcomeOf, type ReportedRun, type TestRow } from '../test-row.ts';

export function htmlReport({ document: { status, error, fix = '' }, rows, durationMs }: ReportedRun): string {
  const count = (result: string) => rows.filter((row) => outcomeOf(row) === result).length;
  const counts = Object.entries({
    Passed: count('passed'),
    Failed: count('failed'),
    Skipped: count('skipped'),
    Seconds: (durationMs / 1000).toFixed(1),
  }).map(([label, value]) => `<div><dt>${label}</dt><dd>${value}</dd></div>\n`);
  const sections = [...Map.groupBy(rows, ({ file }) => file)].map(([file, own], index) => schemaHtml(file, own, index));
  const verdict = status ? 'Passed' : 'Failed';
  const oneIsEnough = status && count('failed') > 0 ? 'At least one tool of each schema returned data.' : '';
  const body = `<header>
<h1>Tests of schemas</h1>
<p class="verdict ${verdict.toLowerCase()}"><strong>${verdict}.</strong> ${escapeMarkup(error ?? oneIsEnough)} ${escapeMarkup(fix)}</p>
<dl class="counts">
${counts.join('')}</dl>
</header>
<main>
${sections.join('')}</main>
<footer><p>Written by <code>schemakit test</code>.</p></footer>`;
  return htmlPage({ title: `${verdict}: tests of schemas`, body });
}

function schemaHtml(file: string, rows: readonly TestRow[], index: number): string {
  const failures = rows.filter(({ status }) => !status).length;
  const summary = `${counted(rows.length, 'test')}${failures === 0 ? '' : `, ${failures} failed`}`;
  const label = `schema-${index}`;
  const columns = ['Result', 'Tool', 'Test', 'Time'];
  return `<section aria-labelledby="${label}">
<h2 id="${label}">${escapeMarkup(file)} <small>${summary}</small></h2>
${htmlTable({ label, columns, rows: rows.map(rowCells), rowHeader: 1 })}</section>
`;
}

const signs = { passed: '✓', failed: '✗', skipped: '–' };

function rowCells(row: TestRow): string[] {
  const { namespace, routeName, description, durationMs } = row;
  const result = outcomeOf(row);
  const tool = routeName === '*' ? (namespace ?? '') : `${namespace}_${routeName}`;
  return [
    `<span class="result ${result}"><span aria-hidden="true">${signs[result]}</span> ${result}</span>`,
    `<code>${escapeMarkup(tool)}</code>`,
    `${escapeMarkup(description)}${detailHtml(row)}`,
    result === 'skipped' ? '' : `<span class="time">${durationMs} ms</span>`,
  ];
}

function detailHtml({ status, skipReason, code, messages, fix, dataPreview }: TestRow): string {
  const list = messages.map((message) => `<li>${escapeMarkup(message)}</li>`).join('');
  const failed = `Failed${code === undefined ? '' : `: ${escapeMarkup(code)}`}`;
  const label = status ? 'Differs from the output schema' : failed;
  const why = `<details${status ? '' : ' open'}><summary>${label}</summary><ul>${list}</ul>${noteHtml(fix)}</details>`;
  const answer = `<details><summary>Answer</summary><pre><code>${escapeMarkup(dataPreview ?? '')}</code></pre></details>`;
  return `${noteHtml(skipReason)}${list === '' ? '' : why}${dataPreview === null ? '' : answer}`;
}

function noteHtml(text: string | undefined): string {
  return text === undefined ? '' : `<p class="note">${escapeMarkup(text)}</p>`;
}
