import { escapeMarkup, htmlPage } from '@schemakit/validator';

/** A run as a person reviews it. */
export interface ReviewedRun {
  description: string;
  input: string;
  status: string;
  rounds: number;
  calls: { tool: string; args: string; answer: string }[];
  answer: string;
  problems: readonly string[];
}

const questions = [
  'The answer is correct.',
  'The answer is complete.',
  'The answer says where its facts come from.',
  'No call was unnecessary.',
];

/** The sheet for the third level of agent tests, the quality of answers: what was asked and done, with boxes to tick. */
export function reviewSheet(agent: string, runs: readonly ReviewedRun[], format: 'md' | 'html'): string {
  return format === 'md' ? markdown(agent, runs) : html(agent, runs);
}

function markdown(agent: string, runs: readonly ReviewedRun[]): string {
  const sections = runs.map((run) =>
    [
      `## ${run.description}`,
      `**Asked:** ${run.input}`,
      `**Ended:** ${run.status} after ${run.rounds} rounds`,
      ...run.calls.map(({ tool, args, answer }) => `- \`${tool}\` ${code(args)}\n\n${fenced(answer)}`),
      `**Answer:**\n\n${fenced(run.answer)}`,
      ...(run.problems.length > 0
        ? [`**Automatic checks failed:**\n\n${run.problems.map((problem) => `- ${problem}`).join('\n')}`]
        : []),
      questions.map((question) => `- [ ] ${question}`).join('\n'),
    ].join('\n\n'),
  );
  return `# Review of ${agent}\n\n${sections.join('\n\n')}\n`;
}

function code(text: string): string {
  return text === '{}' ? '' : `\`${text.replaceAll('`', "'")}\``;
}

function fenced(text: string): string {
  // A fence is longer than any in the text.
  const fence = '`'.repeat(Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)) + 1);
  return `${fence}\n${text}\n${fence}`;
}

function html(agent: string, runs: readonly ReviewedRun[]): string {
  const sections = runs.map(({ description, input, status, rounds, calls, answer, problems }, index) => {
    const steps = calls.map(
      ({ tool, args, answer: text }) =>
        `<details><summary><code>${escapeMarkup(tool)}</code> <code>${escapeMarkup(args)}</code></summary><pre>${escapeMarkup(text)}</pre></details>`,
    );
    const boxes = questions.map((question) => `<p><label><input type="checkbox"> ${question}</label></p>`);
    const failed = problems.map((problem) => `<li>${escapeMarkup(problem)}</li>`).join('');
    return `<section aria-labelledby="run-${index}">
<h2 id="run-${index}">${escapeMarkup(description)}</h2>
<p><strong>Asked:</strong> ${escapeMarkup(input)}</p>
<p><strong>Ended:</strong> ${escapeMarkup(status)} after ${rounds} rounds</p>
${steps.join('\n')}
<pre>${escapeMarkup(answer)}</pre>
${failed === '' ? '' : `<p><strong>Automatic checks failed:</strong></p><ul>${failed}</ul>`}
${boxes.join('\n')}
</section>`;
  });
  const body = `<header><h1>Review of ${escapeMarkup(agent)}</h1></header>\n<main>\n${sections.join('\n')}\n</main>`;
  return htmlPage({ title: `Review of ${agent}`, body });
}
