import { dirname, join } from 'node:path';
import type { RunReport } from '@schemakit/agent-server';
import { interceptRequests } from '@schemakit/http';
import { type OpenedSession, openRecordingSession, placeholderOf } from '../../testing/recordings/record-replay.ts';
import { shownFile } from '../../testing/test-case.ts';
import { checkAnswer } from './check-answer.ts';
import { type AgentServer, argumentsOf, createAgent } from './create-agent.ts';
import type { ModelAccess } from './model-access.ts';
import type { AgentFlags, Manifest, OpenedAgent } from './open-agent.ts';
import { failureReason } from './run-agent.ts';

/** A run of a test. */
export interface TestRun {
  /** Of the test, from 1. */
  number: number;
  description: string;
  input: string;
  /** Of the run. */
  status: RunReport['status'];
  rounds: number;
  /** Where it is known. */
  cost?: number;
  durationMs: number;
  calls: ToolCall[];
  /** The answer as people read it, or why there is none. */
  answer: string;
  /** Why the test failed. */
  problems: readonly string[];
  /** What is doubtful about a test that may have passed. */
  warnings: readonly string[];
  /** Whether it failed because the model could not be asked. */
  isUpstream: boolean;
}

interface ToolCall {
  tool: string;
  args: string;
  answer: string;
  hasFailed: boolean;
}

interface RunTestOptions {
  number: number;
  server: AgentServer;
  agent: OpenedAgent;
  llm: ModelAccess;
  flags: AgentFlags & { record: boolean; replay: boolean };
}

/** Runs a test once: with the model, or from its recording. */
export async function runTest(test: Manifest['tests'][number], options: RunTestOptions): Promise<TestRun> {
  const { number, server, agent, flags } = options;
  const { _description: description = `Test ${number}`, input } = test;
  const run: TestRun = {
    ...{ number, description, input, status: 'error', rounds: 0, durationMs: 0 },
    ...{ calls: [], answer: '', problems: [], warnings: [], isUpstream: false },
  };
  const recording = await openRecording({ description, input }, options);
  if ('problems' in recording) return { ...run, problems: recording.problems };
  const { session, llm, clock, serverParams } = recording;
  const created = await createAgent(server, { ...agent, serverParams }, { llm, flags, clock });
  if (!created.ok) return { ...run, problems: created.findings.map(({ message }) => message) };
  const { mcp, toolIds } = created;
  const calls = new Map<string, ToolCall>();
  const tools: string[] = [];
  const call = () =>
    mcp.callTool({
      name: agent.manifest.name,
      arguments: argumentsOf(input),
      onEvent(event) {
        if (event.type === 'tool.called') {
          const { [event.tool]: id } = toolIds;
          if (id !== undefined) tools.push(id);
          const args = JSON.stringify(event.args);
          calls.set(event.callId, { tool: id ?? event.tool, args, answer: '', hasFailed: false });
        }
        if (event.type !== 'tool.answered') return;
        const called = calls.get(event.callId);
        if (called) calls.set(event.callId, { ...called, answer: event.text, hasFailed: event.isError });
      },
    });
  // The clock of the run stands still.
  const start = performance.now();
  const result = await (session === undefined ? call() : interceptRequests(session.intercept, call));
  const durationMs = Math.round(performance.now() - start);
  await mcp.close();
  const report = result._meta?.['schemakit/run'] as RunReport | undefined;
  const [first] = result.content;
  const text = first?.type === 'text' ? first.text : '';
  const { isError = false, structuredContent: answer } = result;
  const wrong = isError ? [text] : checkAnswer(test, { tools, answer, text: `${text}\n${JSON.stringify(answer)}` });
  const findings = (await session?.finish(wrong.length === 0)) ?? [];
  // A request that was not recorded makes all later ones differ, and the run fail.
  const [missed] = findings.map(({ file, message }) => (file === undefined ? message : `${file}: ${message}`));
  return {
    ...run,
    ...(report && { status: report.status, rounds: report.rounds }),
    ...(report?.cost !== undefined && { cost: report.cost }),
    durationMs,
    calls: [...calls.values()],
    answer: text,
    problems: missed === undefined ? wrong : [missed],
    warnings: warningsOf([...calls.values()].filter(({ tool }) => tools.includes(tool))),
    isUpstream: missed === undefined && report?.status === 'error',
  };
}

/** A model may answer without any data, and the answer contain what a test expects. */
function warningsOf(calls: readonly ToolCall[]): string[] {
  const [first] = calls;
  if (first === undefined || !calls.every(({ hasFailed }) => hasFailed)) return [];
  return [`every tool call failed, so the answer has no data: ${first.tool}: ${failureReason(first.answer)}`];
}

/** What a run depends on. A recording has it, too, so that a replay goes the same way. */
interface Circumstances {
  llm: ModelAccess;
  clock: () => Date;
  serverParams: Readonly<Record<string, string>>;
}

type Recording = Circumstances & { session?: Extract<OpenedSession, { session: unknown }>['session'] };

async function openRecording(
  test: { description: string; input: string },
  { number, agent, llm, flags }: RunTestOptions,
): Promise<Recording | { problems: readonly string[] }> {
  const now = new Date();
  const { serverParams } = agent;
  if (!flags.record && !flags.replay) return { llm, clock: () => new Date(), serverParams };
  const path = join(recordingsFolder(agent), `${number}.json`);
  const names = secretNames(agent);
  const { apiKey, ...access } = llm;
  const opened = await openRecordingSession({
    kind: flags.replay ? 'replay' : 'record',
    path,
    about: {
      agent: agent.manifest.name,
      test: { _description: test.description, input: test.input },
      time: now.toISOString(),
      llm: access,
      secrets: names.filter((name) => serverParams[name]),
    },
    secrets: [apiKey, ...names.flatMap((name) => serverParams[name] ?? [])],
  });
  if ('missing' in opened) return { problems: [`no recording ${shownFile(path)}; record with --record`] };
  if ('findings' in opened) return { problems: opened.findings.map(({ message }) => message) };
  const { session, about } = opened;
  if (flags.record) return { session, llm, clock: () => now, serverParams };
  const recorded = about as { time?: string; llm?: Omit<ModelAccess, 'apiKey'>; secrets?: readonly string[] };
  const time = new Date(recorded.time ?? now);
  return {
    session,
    llm: { ...llm, ...recorded.llm },
    // The system prompt has the date.
    clock: () => time,
    // A replay needs no secrets, and cannot reveal any.
    serverParams: Object.fromEntries((recorded.secrets ?? names).map((name) => [name, placeholderOf(name)])),
  };
}

export function recordingsFolder({ file }: OpenedAgent): string {
  return join(dirname(file), 'recordings');
}

/** The secrets that its tools need. */
export function secretNames({ schemas, manifest }: OpenedAgent): string[] {
  const ofSchemas = schemas.flatMap(({ main }) => (main?.requiredServerParams as string[] | undefined) ?? []);
  return [...new Set([...ofSchemas, ...(manifest.requiredServerParams ?? [])])];
}
