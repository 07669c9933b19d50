import type { Assessment } from '../assess/assess.ts';
import { plainText } from '../findings/plain-text.ts';
import { evidenceLine, gradeRows, layerRows, MAX_MEND, nextOf } from './assessment-facts.ts';
import { changeLines } from './changes.ts';
import { escapeMarkup, htmlPage, htmlTable } from './html-page.ts';
import type { ReportOptions } from './report-options.ts';

/** An assessment as a standalone HTML page, without scripts or requests. */
export function assessmentHtml(result: Assessment, { comparison }: ReportOptions): string {
  const { entries, grade, findings, status } = result;
  const title = `Assessment of ${plainText(String(entries.endpoint ?? 'nothing'), 100)}`;
  const [, [, letter = ''] = []] = gradeRows(result);
  const parts = [
    `<h1>${escapeMarkup(title)}</h1>\n<p>${escapeMarkup(String(entries.timestamp))}</p>`,
    `<p class="verdict ${status ? 'passed' : 'failed'}"><strong>Grade</strong> ${escapeMarkup(letter)}${nextLinks(grade)}</p>`,
    `<h2 id="layers">Layers <small>${grade.coverage.seen} of ${grade.coverage.of} evaluated</small></h2>`,
    htmlTable({
      label: 'layers',
      columns: ['Layer', 'State', 'Seen'],
      rows: layerRows(result).map((row) => row.map(escapeMarkup)),
    }),
    '<h2 id="findings">Findings</h2>',
    findings.length === 0 ? '<p>None.</p>' : findingsTable(result),
  ];
  if (comparison !== undefined) {
    const lines = changeLines(comparison).map((line) => `<li>${escapeMarkup(line)}</li>`);
    parts.push('<h2>Changes</h2>', `<ul class="lines">${lines.join('')}</ul>`);
  }
  return htmlPage({ title, body: parts.join('\n') });
}

/** The findings to mend, linked to their rows. */
function nextLinks(grade: Assessment['grade']): string {
  const next = nextOf(grade);
  if (next === undefined) return '';
  const links = next.mend.slice(0, MAX_MEND).map((id) => {
    return `<a href="#${escapeMarkup(encodeURIComponent(id))}">${escapeMarkup(plainText(id, 80))}</a>`;
  });
  const more = next.mend.length - links.length;
  return `<br><strong>Next</strong> ${next.goal}${links.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function findingsTable(result: Assessment): string {
  const rows = result.findings.map(({ id, code, severity, layer, location, text, evidence, why, fix, source }) => [
    `<span class="${severity.toLowerCase()}">${severity}</span>`,
    `<span class="result" id="${escapeMarkup(id)}">${code}</span>`,
    escapeMarkup(layer ?? 'assessment'),
    escapeMarkup(location),
    [
      escapeMarkup(text),
      `<p class="note">${escapeMarkup(why)}</p>`,
      `<p class="note">${escapeMarkup(fix)} <small>${sourceLink(source)}</small></p>`,
      ...(evidence === undefined
        ? []
        : [`<details><summary>Seen</summary><pre>${escapeMarkup(evidenceLine(evidence))}</pre></details>`]),
    ].join(''),
  ]);
  const columns = ['Severity', 'Code', 'Layer', 'Location', 'Finding'];
  return htmlTable({ label: 'findings', columns, rows, rowHeader: 1 });
}

/** Pages of our own docs have no address. */
function sourceLink(source: string): string {
  return source.startsWith('https:') ? `<a href="${escapeMarkup(source)}">${escapeMarkup(source)}</a>` : source;
}
