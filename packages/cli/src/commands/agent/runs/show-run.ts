import type { RunEvent, RunSummary } from '@schemakit/agent-server';
import { escapeMarkup, htmlPage } from '@schemakit/validator';
import { counted, printable } from '../../../output/terminal-text.ts';
import { firstLine, terminalWidth } from '../../../output/text-table.ts';
import { type RunStep, runSteps } from './run-steps.ts';

const barWidth = 30;

/** A run as text: what it was, and its steps as bars in time. */
export function runAsText(run: RunSummary, events: readonly RunEvent[]): string {
  const steps = runSteps(events);
  const total = Math.max(1, ...steps.map(({ end }) => end));
  const labels = steps.map(({ label }) => printable(label));
  const width = Math.max(0, ...labels.map(({ length }) => length));
  const lines = steps.map((step, index) => {
    const { start, end, hasFailed, detail } = step;
    const times = `${seconds(start).padStart(8)} ${seconds(end - start).padStart(8)}`;
    const lead = `${times}  ${bar(step, total)}  ${hasFailed ? '✗' : ' '} ${labels[index]?.padEnd(width)}  `;
    return `${lead}${firstLine(printable(detail), Math.max(20, terminalWidth(160) - lead.length))}`.trimEnd();
  });
  const asked = `Asked: ${firstLine(printable(JSON.stringify(argsOf(events))), 200)}`;
  return [headline(run), asked, '', '   start     took', ...lines].join('\n');
}

/** A run as a standalone page without scripts: the same bars, with all texts behind them. */
export function runAsHtml(run: RunSummary, events: readonly RunEvent[]): string {
  const steps = runSteps(events);
  const total = Math.max(1, ...steps.map(({ end }) => end));
  const rows = steps.map((step) => htmlStep(step, total));
  const body = `<header><h1>${escapeMarkup(`Run of ${run.tool}`)}</h1>
<p class="verdict ${run.report?.status === 'success' ? 'passed' : 'failed'}">${escapeMarkup(headline(run))}</p></header>
<main>
<h2>Asked</h2>
<pre>${escapeMarkup(JSON.stringify(argsOf(events), null, 2))}</pre>
<h2>Steps</h2>
<div class="scroll"><table>
<thead><tr><th scope="col">Start</th><th scope="col">Took</th><th scope="col">When</th><th scope="col">Step</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody></table></div>
<h2>Answer</h2>
<pre>${escapeMarkup(answerText(events))}</pre>
</main>`;
  return htmlPage({ title: `Run ${run.id} of ${run.tool}`, body });
}

function htmlStep({ start, end, kind, label, detail, hasFailed, texts }: RunStep, total: number): string {
  const left = (100 * start) / total;
  const width = Math.max(0.5, (100 * (end - start)) / total);
  // The same as the times beside it, so it needs no text of its own.
  const picture = `<svg width="240" height="14" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect x="${left.toFixed(2)}" y="1" width="${width.toFixed(2)}" height="8" fill="currentColor" opacity="${kind === 'model' ? '0.45' : kind === 'tool' ? '0.9' : '0.2'}"/></svg>`;
  const more = texts.map(
    ({ title, text }) => `<strong>${escapeMarkup(title)}</strong><pre>${escapeMarkup(text)}</pre>`,
  );
  const name = `<code>${escapeMarkup(label)}</code>${hasFailed ? ' <span class="failed">failed</span>' : ''} ${escapeMarkup(firstLine(detail, 200))}`;
  const shown = more.length === 0 ? name : `<details><summary>${name}</summary>${more.join('\n')}</details>`;
  return `<tr><td class="time">${seconds(start)}</td><td class="time">${seconds(end - start)}</td><td>${picture}</td><td>${shown}</td></tr>`;
}

function headline({ id, tool, state, kills, report }: RunSummary): string {
  const ended =
    report === undefined
      ? state
      : `${state === 'cancelled' ? 'cancelled' : report.status} in ${seconds(report.durationMs)}`;
  const effort =
    report === undefined
      ? ''
      : `, ${counted(report.rounds, 'round')}, ${(report.usage.inputTokens + report.usage.outputTokens).toLocaleString('en')} tokens`;
  const interruptions = kills === 0 ? '' : `, interrupted ${counted(kills, 'time')}`;
  return printable(`${tool}: ${ended}${effort}${interruptions} (run ${id})`);
}

function argsOf([first]: readonly RunEvent[]): Record<string, unknown> {
  return first?.type === 'run.started' ? first.args : {};
}

function answerText(events: readonly RunEvent[]): string {
  const ended = events.findLast((event) => event.type === 'run.ended');
  if (ended === undefined) return 'None yet.';
  return typeof ended.answer === 'string' ? ended.answer : JSON.stringify(ended.answer, null, 2);
}

function bar({ start, end, kind }: RunStep, total: number): string {
  const from = Math.min(barWidth - 1, Math.floor((barWidth * start) / total));
  const length = Math.max(1, Math.round((barWidth * end) / total) - from);
  const block = { model: '▒', tool: '█', pause: '░', gap: '░', note: '·' }[kind];
  return `${' '.repeat(from)}${block.repeat(length)}`.padEnd(barWidth).slice(0, barWidth);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}
