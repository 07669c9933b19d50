import type { RunReport } from '@schemakit/agent-server';
import { interceptRequests } from '@schemakit/http';
import { openRecording } from './agent-recording.ts';
import { checkAnswer } from './check-answer.ts';
import { type AgentServer, argumentsOf, createAgent } from './create-agent.ts';
import { inVariables, type ModelAccess, modelHint } from './model-access.ts';
import type { Manifest, OpenedAgent, RunFlags } from './open-agent.ts';
import { readResult } from './run-result.ts';
import { createCallLog, dataWarnings, type ToolCall } from './tool-calls.ts';

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
  calls: readonly ToolCall[];
  /** The answer as people read it, or why there is none. */
  answer: string;
  /** Why the test failed. */
  problems: readonly string[];
  /** What to do about it. */
  fix?: string;
  /** What is doubtful about a test that may have passed. */
  warnings: readonly string[];
  /** Whether it failed because no request to the model succeeded. */
  isUpstream: boolean;
}

interface RunTestOptions {
  number: number;
  server: AgentServer;
  agent: OpenedAgent;
  llm: ModelAccess;
  flags: RunFlags & { record: boolean; replay: boolean };
}

/** Runs a test once: with the model, or from its recording. */
export async function runTest(test: Manifest['tests'][number], options: RunTestOptions): Promise<TestRun> {
  const { number, server, agent, flags } = options;
  const { _description: description, input } = test;
  const run: TestRun = {
    ...{ number, description: description || `Test ${number}`, input, status: 'error', rounds: 0, durationMs: 0 },
    ...{ calls: [], answer: '', problems: [], warnings: [], isUpstream: false },
  };
  const recording = await openRecording(test, options);
  if ('problem' in recording) {
    const { problem, ...fix } = recording;
    return { ...run, problems: [problem], ...fix };
  }
  const { session, llm, clock, serverParams } = recording;
  const created = await createAgent(server, { ...agent, serverParams }, { llm, flags, clock });
  if (!created.ok) return { ...run, problems: created.findings.map((finding) => inVariables(finding).message) };
  const { mcp, toolIds } = created;
  const { calls, onEvent } = createCallLog(toolIds);
  const call = () => mcp.callTool({ name: agent.manifest.name, arguments: argumentsOf(input), onEvent });
  // The clock of the run stands still.
  const start = performance.now();
  const result = await (session === undefined ? call() : interceptRequests(session.intercept, call));
  const durationMs = Math.round(performance.now() - start);
  await mcp.close();
  const { run: report, text, reason } = readResult(result);
  const { isError = false, structuredContent: answer } = result;
  const tools = calls.flatMap(({ tool, isOwn }) => (isOwn ? [tool] : []));
  const wrong = isError ? [reason] : checkAnswer(test, { tools, answer, text: `${text}\n${JSON.stringify(answer)}` });
  // A request that was not recorded makes all later ones differ, and the run fail.
  const [missed] = (await session?.finish(wrong.length === 0)) ?? [];
  const isUpstream = missed === undefined && report?.status === 'error';
  const fix = missed?.hint ?? (isUpstream ? modelHint(llm) : undefined);
  return {
    ...run,
    ...(report && { status: report.status, rounds: report.rounds }),
    ...(report?.cost !== undefined && { cost: report.cost }),
    ...{ durationMs, calls, answer: text },
    problems:
      missed === undefined ? wrong : [`${missed.file === undefined ? '' : `${missed.file}: `}${missed.message}`],
    ...(fix !== undefined && { fix }),
    warnings: dataWarnings(calls),
    isUpstream,
  };
}
