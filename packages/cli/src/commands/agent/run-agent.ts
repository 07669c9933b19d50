import { styleText } from 'node:util';
import type { RunEvent, RunReport } from '@schemakit/agent-server';
import { isObject } from '@schemakit/core/internal';
import type { CallResult } from '@schemakit/server';
import { type CommandResult, failed } from '../../output/command-result.ts';
import { printable } from '../../output/terminal-text.ts';
import { firstLine } from '../../output/text-table.ts';
import { breakOffOnSignals } from '../end-on-signals.ts';
import { type AgentServer, argumentsOf, createAgent, manifestFailure, openForRun } from './create-agent.ts';
import { type ModelAccess, modelHint } from './model-access.ts';
import type { RunFlags } from './open-agent.ts';
import { effortText, readResult } from './run-result.ts';
import { createCallLog, dataWarnings, failureReason } from './tool-calls.ts';

/** `schemakit agent run`: runs an agent once. Rounds and calls go to stderr at a terminal, the answer to stdout. */
export async function runAgent(flags: RunFlags, file: string, input: string): Promise<CommandResult> {
  const opened = await openForRun(file, flags);
  if (!opened.ok) return opened.result;
  const { server, agent, llm } = opened;
  const created = await createAgent(server, agent, { llm, flags });
  if (!created.ok) return manifestFailure(created.findings);
  const { mcp, toolIds } = created;
  const log = createCallLog(toolIds);
  const cancelling = new AbortController();
  const ended = Promise.withResolvers<void>();
  // The result of a cancelled run says what it has used.
  breakOffOnSignals(async () => {
    cancelling.abort();
    await ended.promise;
  });
  const result = await mcp.callTool({
    name: agent.manifest.name,
    arguments: argumentsOf(input),
    signal: cancelling.signal,
    onEvent(event) {
      log.onEvent(event);
      const text = progressLine(event, server);
      if (process.stderr.isTTY === true && text !== undefined) process.stderr.write(`${printable(text)}\n`);
    },
  });
  await mcp.close();
  // After the result is printed.
  setImmediate(ended.resolve);
  return runResult(result, { warnings: dataWarnings(log.calls), llm });
}

/** What a person sees of an event: as clients do, and also what is called, and why it fails. */
function progressLine(event: RunEvent, { progressText }: AgentServer): string | undefined {
  // The result says more.
  if (event.type === 'run.ended') return undefined;
  const text = progressText(event);
  if (event.type === 'tool.called') return `  ${event.tool} ${firstLine(JSON.stringify(event.args), 100)}`;
  if (event.type !== 'tool.answered') return text;
  const isFailure = event.isError && event.isSent;
  return `  ${isFailure ? `${event.tool} failed after ${event.durationMs} ms: ${failureReason(event.text)}` : text}`;
}

function runResult(
  result: CallResult,
  { warnings, llm }: { warnings: readonly string[]; llm: ModelAccess },
): CommandResult {
  const { run, text, reason } = readResult(result);
  const doubts = warnings.length > 0 ? { warnings } : {};
  const lines = [
    ...warnings.map((warning) => styleText('yellow', printable(`Warning: ${warning}`), { stream: process.stdout })),
    ...(run ? [effortText(run)] : []),
  ];
  const shown = (answer: string) =>
    [printable(answer.trimEnd(), { keepLines: true }), lines.join('\n')].filter((part) => part !== '').join('\n\n');
  if (result.isError !== true)
    return { document: { status: true, answer: result.structuredContent, ...doubts, run }, text: () => shown(text) };
  // An answer without fields is a heading with nothing below it.
  const last = text
    .split('\n\n')
    .slice(1)
    .join('\n\n')
    .replace(/^[^\n]*:\s*$/, '');
  const failure = run === undefined ? 'validation' : run.status === 'error' ? 'upstream' : 'other';
  const fix = run && fixOf(run, llm);
  return {
    ...failed(failure, {
      error: reason,
      fix,
      answer: run?.answer ?? null,
      ...doubts,
      run,
    }),
    text: () => shown([...fieldLines(run?.question?.fields), last].join('\n')),
  };
}

function fixOf({ status, reason = '' }: RunReport, llm: ModelAccess): string | undefined {
  if (status === 'needs_input') return 'Run it again with the answer in its input.';
  return status === 'error' && !reason.includes('cancelled') ? modelHint(llm) : undefined;
}

/** What an agent asks for, a line for each field. */
function fieldLines(fields: Readonly<Record<string, unknown>> = {}): string[] {
  return Object.entries(fields).map(([name, field]) => {
    const { type, title, description, enum: choices } = isObject(field) ? field : {};
    const about = [type, title, description, Array.isArray(choices) && `one of ${choices.join(', ')}`];
    return `  ${name}: ${about.filter((part) => typeof part === 'string').join(', ')}`;
  });
}
