import type { RunEvent, RunReport } from '@schemakit/agent-server';
import type { CallResult } from '@schemakit/server';
import { type CommandResult, failed } from '../../output/command-result.ts';
import { counted, printable } from '../../output/terminal-text.ts';
import { firstLine } from '../../output/text-table.ts';
import { type AgentServer, argumentsOf, createAgent, manifestFailure, openForRun } from './create-agent.ts';
import type { AgentFlags } from './open-agent.ts';

/** `schemakit agent run`: runs an agent once. Rounds and calls go to stderr at a terminal, the answer to stdout. */
export async function runAgent(flags: AgentFlags, file: string, input: string): Promise<CommandResult> {
  const opened = await openForRun(file, flags);
  if (!opened.ok) return opened.result;
  const { server, agent, llm } = opened;
  const created = await createAgent(server, agent, { llm, flags });
  if (!created.ok) return manifestFailure(created.findings);
  const { mcp } = created;
  const result = await mcp.callTool({
    name: agent.manifest.name,
    arguments: argumentsOf(input),
    onEvent(event) {
      const text = progressLine(event, server);
      if (process.stderr.isTTY === true && text !== undefined) process.stderr.write(`${printable(text)}\n`);
    },
  });
  await mcp.close();
  return runResult(result);
}

/** What a person sees of an event: as clients do, and also what is called, and why it fails. */
function progressLine(event: RunEvent, { progressText }: AgentServer): string | undefined {
  // The result says more.
  if (event.type === 'run.ended') return undefined;
  const text = progressText(event);
  if (event.type === 'tool.called') return `  ${event.tool} ${firstLine(JSON.stringify(event.args), 100)}`;
  if (event.type !== 'tool.answered') return text;
  return `  ${event.isError ? `${text?.replace(/\.$/, ':')} ${failureReason(event.text)}` : text}`;
}

/** Why a call failed, from what the model is told. */
export function failureReason(text: string): string {
  return firstLine(text.replace(/^Data from .*\n/, ''), 200);
}

function runResult({ structuredContent, content, isError = false, _meta = {} }: CallResult): CommandResult {
  const run = _meta['schemakit/run'] as RunReport | undefined;
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  if (!isError) {
    return {
      document: { status: true, answer: structuredContent, run },
      text: () => `${printable(text.trimEnd(), { keepLines: true })}\n${run ? `\n${effortLine(run)}` : ''}`,
    };
  }
  const [reason = '', ...rest] = text.split('\n\n');
  const failure = run === undefined ? 'validation' : run.status === 'error' ? 'upstream' : 'other';
  return {
    ...failed(failure, { error: reason.replaceAll('\n', ' '), answer: run?.answer ?? null, run }),
    text: () => printable(rest.join('\n\n'), { keepLines: true }),
  };
}

function effortLine({ rounds, durationMs, usage, cost }: RunReport): string {
  const tokens = usage.inputTokens + usage.outputTokens;
  const costs = cost === undefined ? '' : `, cost ${cost.toPrecision(2)}`;
  return `${counted(rounds, 'round')}, ${tokens.toLocaleString('en')} tokens, ${(durationMs / 1000).toFixed(1)} s${costs}`;
}
