import { dirname, join, resolve } from 'node:path';
import { updateFile } from '@schemakit/core/internal';
import { interceptRequests } from '@schemakit/http';
import { type CommandResult, failed, usageError } from '../../output/command-result.ts';
import { counted, printable } from '../../output/terminal-text.ts';
import { textTable } from '../../output/text-table.ts';
import { makeFolder } from '../../settings/make-folder.ts';
import { openRecordingSession, placeholderOf } from '../../testing/recordings/record-replay.ts';
import { writeReports } from '../../testing/reports/write-reports.ts';
import { shownFile } from '../../testing/test-case.ts';
import { readReportTarget } from '../../testing/test-options.ts';
import type { TestRow } from '../../testing/test-row.ts';
import { checkAnswer } from './check-answer.ts';
import { argumentsOf, createAgent } from './create-agent.ts';
import { type ModelAccess, readModelAccess } from './model-access.ts';
import { type AgentFlags, type AgentServer, loadAgentServer, type OpenedAgent, openAgent } from './open-agent.ts';
import { type ReviewedRun, reviewSheet } from './review-sheet.ts';

export interface TestAgentFlags extends AgentFlags {
  record: boolean;
  replay: boolean;
  repeat: number;
  review?: string;
  report?: readonly string[];
}

type AgentTest = OpenedAgent['manifest']['tests'][number];

/** `schemakit agent test`: runs each test of an agent, and compares the called tools and the answer. */
export async function testAgent(flags: TestAgentFlags, file: string): Promise<CommandResult> {
  const { record, replay, repeat, review, report = [] } = flags;
  if (record && replay)
    return usageError('--record and --replay cannot be combined.', 'Record in one run and replay in another.');
  if (repeat > 1 && (record || replay))
    return usageError('--repeat works without recordings.', 'Leave out --record or --replay.');
  const format = review?.endsWith('.html') ? 'html' : 'md';
  if (review !== undefined && !/\.(md|html)$/.test(review))
    return usageError(`--review ${review} is neither .md nor .html.`, 'Name a file such as review.html.');
  const reports = report.map(readReportTarget);
  const wrong = reports.find((target) => !target.ok);
  if (wrong !== undefined && !wrong.ok) return usageError(wrong.problem, wrong.fix);
  const targets = reports.flatMap((target) => (target.ok ? [target.target] : []));
  if (targets.some(({ kind }) => kind === 'html'))
    return usageError('There is no html report of an agent.', 'Write --review review.html, or --report junit or json.');
  const installed = await loadAgentServer();
  if (!installed.ok) return installed.result;
  const opened = await openAgent(file, flags);
  if (!opened.ok) return opened.result;
  const access = replay ? undefined : readModelAccess(opened.serverParams);
  if (access?.ok === false) return access.result;
  const start = performance.now();
  const runs: TestRun[] = [];
  for (const [index, test] of opened.manifest.tests.entries()) {
    for (let attempt = 0; attempt < repeat; attempt += 1) {
      runs.push(await runTest(test, { number: index + 1, agents: installed.agents, opened, llm: access?.llm, flags }));
    }
  }
  const durationMs = Math.round(performance.now() - start);
  const result = testResult(runs, { file, repeat });
  if (review !== undefined) {
    const path = resolve(review);
    makeFolder(dirname(path));
    await updateFile(path, () => reviewSheet(opened.manifest.name, runs, format));
    result.document.review = review;
  }
  const rows = runs.map((run) => rowOf(run, { file, agent: opened.manifest.name }));
  return (await writeReports(targets, { document: result.document, rows, durationMs })) ?? result;
}

interface TestRun extends ReviewedRun {
  number: number;
  /** The answer's cost, where it is known. */
  cost?: number;
  durationMs: number;
  isUpstream: boolean;
}

interface RunOptions {
  /** From 1. */
  number: number;
  agents: AgentServer;
  opened: OpenedAgent;
  /** Absent in a replay, where the recording has it. */
  llm: ModelAccess | undefined;
  flags: TestAgentFlags;
}

async function runTest(test: AgentTest, { number, agents, opened, llm, flags }: RunOptions): Promise<TestRun> {
  const { _description: description = `Test ${number}`, input } = test;
  const none: TestRun = {
    number,
    description,
    input,
    status: 'error',
    rounds: 0,
    calls: [],
    answer: '',
    problems: [],
    durationMs: 0,
    isUpstream: false,
  };
  const path = join(dirname(opened.file), 'recordings', `${number}.json`);
  const isReplay = flags.replay;
  const now = new Date();
  const { apiKey = '', ...access } = llm ?? { apiKey: '' };
  const about = {
    agent: opened.manifest.name,
    test: { _description: description, input },
    time: now.toISOString(),
    llm: access,
  };
  const secrets = [apiKey, ...neededSecrets(opened)];
  const session =
    flags.record || isReplay
      ? await openRecordingSession({ kind: isReplay ? 'replay' : 'record', path, about, secrets })
      : undefined;
  if (session && 'missing' in session)
    return { ...none, problems: [`no recording ${shownFile(path)}; record with --record`] };
  if (session && 'findings' in session) return { ...none, problems: session.findings.map(({ message }) => message) };
  const recorded = session?.about as { time?: string; llm?: Omit<ModelAccess, 'apiKey'> } | undefined;
  const created = await createAgent(agents, isReplay ? withPlaceholders(opened) : opened, {
    llm: llm ?? { baseURL: 'http://127.0.0.1:1', ...recorded?.llm, apiKey: placeholderOf('LLM_API_KEY') },
    flags,
    // The system prompt has the date, so a replay happens when it was recorded.
    clock: () => new Date(recorded?.time ?? now),
  });
  if (!created.ok) return { ...none, problems: created.findings.map(({ message }) => message) };
  const { mcp, name, toolIds } = created;
  const calls = new Map<string, { tool: string; args: string; answer: string }>();
  const tools: string[] = [];
  const call = () =>
    mcp.callTool({
      name,
      arguments: argumentsOf(input),
      onEvent(event) {
        if (event.type === 'tool.called') {
          const id = toolIds[event.tool];
          if (id !== undefined) tools.push(id);
          calls.set(event.callId, { tool: id ?? event.tool, args: JSON.stringify(event.args), answer: '' });
        }
        const called = event.type === 'tool.answered' ? calls.get(event.callId) : undefined;
        if (called && event.type === 'tool.answered') called.answer = event.text;
      },
    });
  // The clock of the run stands still.
  const start = performance.now();
  const result = await (session === undefined ? call() : interceptRequests(session.session.intercept, call));
  const durationMs = Math.round(performance.now() - start);
  await mcp.close();
  const run = result._meta?.['schemakit/run'] as { status: string; rounds: number; cost?: number } | undefined;
  const answer = result.isError ? null : result.structuredContent;
  const [first] = result.content;
  const text = first?.type === 'text' ? first.text : '';
  const ended = result.isError ? [text] : [];
  const problems = result.isError
    ? ended
    : checkAnswer(test, { tools, answer, text: `${text}\n${JSON.stringify(answer)}` });
  const findings = (await session?.session.finish(problems.length === 0)) ?? [];
  return {
    ...none,
    durationMs,
    ...(run && {
      status: run.status,
      rounds: run.rounds,
      ...(run.cost !== undefined && { cost: run.cost }),
    }),
    calls: [...calls.values()],
    answer: answer === null ? text : JSON.stringify(answer, null, 2),
    problems: [...findings.map(({ message }) => message), ...problems],
    isUpstream: run?.status === 'error',
  };
}

/** The values of secrets that a recording must not contain. */
function neededSecrets({ serverParams, schemas, manifest }: OpenedAgent): string[] {
  return secretNames({ schemas, manifest }).flatMap((name) => serverParams[name] ?? []);
}

function secretNames({ schemas, manifest }: Pick<OpenedAgent, 'schemas' | 'manifest'>): string[] {
  const ofSchemas = schemas.flatMap(({ main }) => (main?.requiredServerParams as string[] | undefined) ?? []);
  return [...new Set([...ofSchemas, ...(manifest.requiredServerParams ?? [])])];
}

/** A replay needs no secrets, and cannot reveal any. */
function withPlaceholders(opened: OpenedAgent): OpenedAgent {
  return {
    ...opened,
    serverParams: Object.fromEntries(secretNames(opened).map((name) => [name, placeholderOf(name)])),
  };
}

function testResult(runs: readonly TestRun[], { file, repeat }: { file: string; repeat: number }): CommandResult {
  const bad = runs.filter(({ problems }) => problems.length > 0);
  const results = runs.map(({ number, description, status, rounds, calls, problems, cost, durationMs }) => ({
    test: number,
    description,
    status: problems.length === 0,
    run: status,
    rounds,
    tools: calls.map(({ tool }) => tool),
    messages: problems,
    ...(cost !== undefined && { cost }),
    durationMs,
  }));
  const stable = [...Map.groupBy(runs, ({ number }) => number)].map(([number, own]) => ({
    test: number,
    passed: own.filter(({ problems }) => problems.length === 0).length,
    runs: own.length,
  }));
  const counts = { total: runs.length, passed: runs.length - bad.length, failed: bad.length };
  const document = { file, ...counts, ...(repeat > 1 && { stability: stable }), results };
  const text = () => {
    const cells = runs.map((run) => [
      run.problems.length === 0 ? 'passed' : 'FAILED',
      String(run.rounds),
      `${run.durationMs} ms`,
      run.description,
    ]);
    const reasons = bad.map(
      ({ description, problems }) =>
        `FAILED: ${description}\n${problems.map((problem) => `    ${printable(problem)}\n`).join('')}`,
    );
    const often =
      repeat > 1 ? stable.map(({ test, passed, runs: all }) => `Test ${test} passed ${passed} of ${all} times.\n`) : [];
    return `${textTable(['Result', 'Rounds', 'Time', 'Test'], cells)}\n${[...reasons, ...often].join('')}`;
  };
  if (bad.length === 0) return { document: { status: true, ...document }, text };
  const failure = bad.every(({ isUpstream }) => isUpstream) ? 'upstream' : 'validation';
  const error = `${counted(bad.length, 'test')} of ${runs.length} failed: ${bad[0]?.problems[0] ?? ''}`;
  return { ...failed(failure, { error, ...document }), text };
}

function rowOf(
  { number, description, problems, answer, durationMs }: TestRun,
  { file, agent }: { file: string; agent: string },
): TestRow {
  const status = problems.length === 0;
  return {
    ...{ namespace: agent, routeName: `test ${number}`, description, status, messages: [...problems] },
    dataPreview: status ? answer.slice(0, 200) : null,
    ...{ file: shownFile(file), durationMs },
  };
}
