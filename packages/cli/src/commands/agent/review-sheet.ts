import { escapeMarkup, htmlPage } from '@schemakit/validator';
import { counted } from '../../output/terminal-text.ts';
import type { TestRun } from './run-test.ts';

const questions = [
  'The answer is correct.',
  'The answer is complete.',
  'The answer says where its facts come from.',
  'No call was unnecessary.',
];

/** The sheet for the third level of agent tests, the quality of answers: what was asked and done, with boxes to tick. */
export function reviewSheet(agent: string, runs: readonly TestRun[], format: 'md' | 'html'): string {
  if (format === 'md') return `# Review of ${inMarkdown(agent)}\n\n${runs.map(markdown).join('\n\n')}\n`;
  const title = `Review of ${agent}`;
  const body = `<header><h1>${escapeMarkup(title)}</h1></header>\n<main>\n${runs.map(html).join('\n')}\n</main>`;
  return htmlPage({ title, body });
}

function summaryOf({ status, rounds, calls, problems }: TestRun): string {
  const checks = problems.length === 0 ? 'passed' : 'failed';
  return `Status ${status} after ${counted(rounds, 'round')} and ${counted(calls.length, 'call')}. Automatic checks ${checks}.`;
}

function markdown(run: TestRun): string {
  const { description, input, calls, answer, problems, warnings } = run;
  return [
    `## ${inMarkdown(description)}`,
    '### Question',
    fenced(input),
    summaryOf(run),
    [...problems, ...warnings].map((problem) => `- ${inMarkdown(problem)}`).join('\n'),
    '### Calls',
    ...calls.flatMap(({ tool, args, answer: text, hasFailed }) => [
      `${codeSpan(tool)} ${codeSpan(args)}${hasFailed ? ' failed' : ''}`,
      fenced(text),
    ]),
    '### Answer',
    fenced(answer),
    '### Your assessment',
    questions.map((question) => `- [ ] ${question}`).join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Text on one line, without markup. */
function inMarkdown(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_~[\]<>#|&]/g, '\\$&');
}

function codeSpan(text: string): string {
  const ticks = longerThanIn(text, 0);
  return `${ticks} ${text} ${ticks}`;
}

function fenced(text: string): string {
  const fence = longerThanIn(text, 2);
  return `${fence}\n${text}\n${fence}`;
}

/** More backticks than stand anywhere in the text in a row. */
function longerThanIn(text: string, atLeast: number): string {
  return '`'.repeat(Math.max(atLeast, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)) + 1);
}

function html(run: TestRun, index: number): string {
  const { description, input, calls, answer, problems, warnings } = run;
  const notes = [
    ...problems.map((text) => `<li class="error">${escapeMarkup(text)}</li>`),
    ...warnings.map((text) => `<li class="warning">${escapeMarkup(text)}</li>`),
  ];
  const steps = calls.map(({ tool, args, answer: text, hasFailed }) => {
    const failed = hasFailed ? ' <span class="failed">failed</span>' : '';
    const title = `<code>${escapeMarkup(tool)}</code> <code>${escapeMarkup(args)}</code>${failed}`;
    return `<details><summary>${title}</summary><pre>${escapeMarkup(text)}</pre></details>`;
  });
  const boxes = questions.map((question) => `<p><label><input type="checkbox"> ${question}</label></p>`);
  return `<section aria-labelledby="run-${index}">
<h2 id="run-${index}">${escapeMarkup(description)}</h2>
<p><strong>Question</strong></p>
<pre>${escapeMarkup(input)}</pre>
<p class="${problems.length === 0 ? 'passed' : 'failed'}">${escapeMarkup(summaryOf(run))}</p>
${notes.length === 0 ? '' : `<ul>${notes.join('\n')}</ul>`}
<p><strong>Calls</strong></p>
${steps.join('\n') || '<p>None.</p>'}
<p><strong>Answer</strong></p>
<pre>${escapeMarkup(answer)}</pre>
<p><strong>Your assessment</strong></p>
${boxes.join('\n')}
</section>`;
}
