import { dirname, resolve } from 'node:path';
import { styleText } from 'node:util';
import { updateFile } from '@schemakit/core/internal';
import { type CommandResult, failed, usageError } from '../../output/command-result.ts';
import { openProgressLine } from '../../output/progress-line.ts';
import { counted, printable } from '../../output/terminal-text.ts';
import { firstLine, textTable } from '../../output/text-table.ts';
import { makeFolder } from '../../settings/make-folder.ts';
import { recordingProblem } from '../../testing/recordings/before-recording.ts';
import { writeReports } from '../../testing/reports/write-reports.ts';
import { shownFile } from '../../testing/test-case.ts';
import { readReportTargets } from '../../testing/test-options.ts';
import type { TestRow } from '../../testing/test-row.ts';
import { recordingsFolder } from './agent-recording.ts';
import { openForRun } from './create-agent.ts';
import { noModel } from './model-access.ts';
import type { RunFlags } from './open-agent.ts';
import { reviewSheet } from './review-sheet.ts';
import { runTest, type TestRun } from './run-test.ts';

export interface TestAgentFlags extends RunFlags {
  only?: string;
  record: boolean;
  replay: boolean;
  repeat: number;
  review?: string;
  report?: readonly string[];
}

/** `schemakit agent test`: runs each test of an agent, and compares the called tools and the answer. */
export async function testAgent(flags: TestAgentFlags, file: string): Promise<CommandResult> {
  const { record, replay, repeat, review, only = '' } = flags;
  const options = readOptions(flags);
  if ('problem' in options) return usageError(options.problem, options.fix);
  const opened = await openForRun(file, flags, replay ? noModel : undefined);
  if (!opened.ok) return opened.result;
  const { agent } = opened;
  const { manifest } = agent;
  const contains = (text: string) => text.toLowerCase().includes(only.toLowerCase());
  const tests = [...manifest.tests.entries()].filter(
    ([, { _description, input }]) => contains(_description) || contains(input),
  );
  if (tests.length === 0) return noTest(only, manifest.tests);
  const folder = recordingsFolder(agent);
  const refused = record ? await recordingProblem(folder, { ...agent, names: agent.secretNames }) : undefined;
  if (refused) return refused;
  const start = performance.now();
  const progress = openProgressLine();
  const runs: TestRun[] = [];
  for (const [place, [index, test]] of tests.entries()) {
    for (let attempt = 1; attempt <= repeat; attempt += 1) {
      const often = repeat > 1 ? ` (${attempt} of ${repeat})` : '';
      progress.show(`Test ${place + 1} of ${tests.length}${often}: ${test._description}`);
      runs.push(await runTest(test, { ...opened, number: index + 1, flags }));
    }
  }
  progress.clear();
  const recorded = runs.filter(hasPassed).length;
  const why = recorded < runs.length ? ' (only tests that pass are recorded)' : '';
  const written = [
    ...(record ? [`Recorded: ${recorded} of ${counted(runs.length, 'test')}, in ${folder}${why}`] : []),
    ...(review === undefined ? [] : [`Review sheet: ${review}`]),
    ...options.targets.map(({ kind, file: path }) => `Report (${kind}): ${path}`),
  ];
  const result = testResult(runs, { file, repeat, written });
  if (review !== undefined) {
    const path = resolve(review);
    makeFolder(dirname(path));
    await updateFile(path, () => reviewSheet(manifest.name, runs, review.endsWith('.html') ? 'html' : 'md'));
    result.document.review = review;
  }
  if (record) result.document.recorded = recorded;
  const rows = runs.map((run) => rowOf(run, { file, agent: manifest.name }));
  const durationMs = Math.round(performance.now() - start);
  const reported = { name: 'schemakit agent test', document: result.document, rows, durationMs };
  return (await writeReports(options.targets, reported)) ?? result;
}

function noTest(only: string, tests: readonly { _description: string }[]): CommandResult {
  const fix = `Tests: ${tests.map(({ _description }) => _description).join('; ')}.`;
  return failed('notFound', { error: `No test contains ${JSON.stringify(only)}.`, fix });
}

function readOptions({
  record,
  replay,
  repeat,
  review = '.md',
  report = [],
}: TestAgentFlags): ReturnType<typeof readReportTargets> {
  if (record && replay)
    return { problem: '--record and --replay cannot be combined.', fix: 'Record in one run and replay in another.' };
  if (repeat > 1 && (record || replay))
    return { problem: '--repeat works without recordings.', fix: 'Leave out --record or --replay.' };
  if (!/\.(md|html)$/.test(review))
    return { problem: `--review ${review} is neither .md nor .html.`, fix: 'Name a file such as review.html.' };
  if (report.some((text) => /^html(=|$)/.test(text))) {
    const fix = 'Write --review review.html, or --report junit or json.';
    return { problem: 'There is no html report of an agent.', fix };
  }
  return readReportTargets(report, { kinds: ['junit', 'json'], name: 'schemakit-agent-test' });
}

function testResult(
  runs: readonly TestRun[],
  { file, repeat, written }: { file: string; repeat: number; written: readonly string[] },
): CommandResult {
  const bad = runs.filter((run) => !hasPassed(run));
  const doubtful = runs.filter(({ warnings }) => warnings.length > 0).length;
  const doubt = doubtful === 0 ? '' : ` In ${doubtful} of ${runs.length}, every tool call failed.`;
  const [reason] = bad.flatMap(({ problems }) => problems);
  const fix = bad.find((run) => run.fix !== undefined)?.fix;
  const byTest = [...Map.groupBy(runs, ({ number }) => number).values()];
  const summary =
    reason === undefined
      ? `${counted(byTest.length, 'test')} passed${repeat > 1 ? ` in ${counted(runs.length, 'run')}` : ''}.${doubt}`
      : `${failedText(byTest, { bad: bad.length, repeat })}: ${firstLine(reason, 100)}`;
  const costs = runs.flatMap(({ cost }) => cost ?? []);
  const cost = costs.length > 0 ? { cost: costs.reduce((sum, one) => sum + one, 0) } : {};
  const document = {
    ...{ summary, file, total: runs.length, passed: runs.length - bad.length, failed: bad.length, ...cost },
    ...(repeat > 1 && {
      stability: byTest.map((own, index) => ({
        test: own[0]?.number ?? index + 1,
        passed: own.filter(hasPassed).length,
        runs: own.length,
      })),
    }),
    results: runs.map((run) => ({
      ...{ test: run.number, description: run.description, status: hasPassed(run), run: run.status },
      ...{ rounds: run.rounds, tools: run.calls.map(({ tool }) => tool), messages: messagesOf(run) },
      ...(run.cost !== undefined && { cost: run.cost }),
      ...(run.fix !== undefined && { fix: run.fix }),
      durationMs: run.durationMs,
    })),
  };
  const text = () => {
    const style = bad.length > 0 ? 'red' : doubtful > 0 ? 'yellow' : 'green';
    const title = styleText(style, printable(summary), { stream: process.stdout });
    const hasCost = costs.length > 0 ? ['Cost'] : [];
    const columns = ['Result', ...(repeat > 1 ? ['Passed'] : []), 'Rounds', 'Time', ...hasCost, 'Test'];
    const table = textTable(columns, byTest.map(tableRow));
    const lines = written.map((line) => `${printable(line)}\n`).join('');
    return [`${title}\n`, table, ...byTest.flatMap(messagesText), lines].join('\n').trimEnd();
  };
  if (bad.length === 0) return { document: { status: true, ...document }, text };
  const failure = bad.every(({ isUpstream }) => isUpstream) ? 'upstream' : 'validation';
  return { ...failed(failure, { error: summary, fix, ...document }), text, textHasError: true };
}

function failedText(byTest: readonly TestRun[][], { bad, repeat }: { bad: number; repeat: number }): string {
  const failing = byTest.filter((own) => !own.every(hasPassed)).length;
  const often = repeat > 1 ? ` in ${bad} of ${counted(byTest.length * repeat, 'run')}` : '';
  return `${failing} of ${counted(byTest.length, 'test')} failed${often}`;
}

function hasPassed({ problems }: TestRun): boolean {
  return problems.length === 0;
}

function messagesOf({ problems, warnings }: TestRun): string[] {
  return [...problems, ...warnings];
}

/** The row of a test, for all of its runs. */
function tableRow(own: readonly TestRun[]): string[] {
  const passed = own.filter(hasPassed).length;
  const result = passed === own.length ? 'passed' : passed === 0 ? 'FAILED' : 'unstable';
  const often = own.length > 1 ? [`${passed} of ${own.length}`] : [];
  const rounds = range(own.map((run) => run.rounds));
  const costs = own.flatMap(({ cost }) => (cost === undefined ? [] : Number(cost.toPrecision(2))));
  const cost = costs.length > 0 ? [range(costs)] : [];
  const time = `${range(own.map(({ durationMs }) => durationMs))} ms`;
  return [result, ...often, rounds, time, ...cost, own[0]?.description ?? ''];
}

function range(numbers: readonly number[]): string {
  const [min, max] = [Math.min(...numbers), Math.max(...numbers)];
  return min === max ? String(min) : `${min}–${max}`;
}

/** What was wrong or doubtful in the runs of a test, each message once. */
function messagesText(own: readonly TestRun[]): string[] {
  const lines = [...Map.groupBy(own.flatMap(messagesOf), (message) => message)].map(
    ([message, { length }]) => `    ${printable(message)}${own.length > 1 ? ` (${counted(length, 'time')})` : ''}\n`,
  );
  if (lines.length === 0) return [];
  const fixes = new Set(own.flatMap(({ fix }) => fix ?? []));
  lines.push(...[...fixes].map((fix) => `    ${printable(fix)}\n`));
  const title = `${own.every(hasPassed) ? 'Doubtful' : 'FAILED'}: ${own[0]?.description}`;
  return [`${printable(title)}\n${lines.join('')}`];
}

function rowOf(run: TestRun, { file, agent }: { file: string; agent: string }): TestRow {
  const { number, description, answer, durationMs, fix } = run;
  const status = hasPassed(run);
  return {
    ...{ namespace: agent, routeName: `test ${number}`, description, status, messages: messagesOf(run) },
    ...(fix !== undefined && { fix }),
    dataPreview: status ? answer.slice(0, 200) : null,
    ...{ file: shownFile(file), durationMs },
  };
}
