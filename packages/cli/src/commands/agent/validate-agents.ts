import type { Finding } from '@schemakit/core';
import { type CommandResult, failed, failureOf } from '../../output/command-result.ts';
import { printFindings } from '../../output/print-findings.ts';
import { counted } from '../../output/terminal-text.ts';
import { createAgent } from './create-agent.ts';
import { type AgentFlags, loadAgentServer, openAgent } from './open-agent.ts';

/** Stands for a model, which is not asked. */
const noModel = { baseURL: 'http://127.0.0.1:1', apiKey: 'not-used' };

/** `schemakit agent validate`: checks manifests, and that the tools, prompts and resources that they name exist. */
export async function validateAgents(
  flags: AgentFlags & { strict: boolean },
  ...files: string[]
): Promise<CommandResult> {
  const installed = await loadAgentServer();
  if (!installed.ok) return installed.result;
  const results: { file: string; status: boolean; messages: string[] }[] = [];
  const errors: Finding[] = [];
  for (const file of files) {
    const findings = await check(file, flags, installed.agents);
    const broken = findings.filter(({ severity }) => severity === 'error' || (flags.strict && severity === 'warning'));
    errors.push(...broken);
    results.push({ file, status: broken.length === 0, messages: findings.map(({ message }) => message) });
  }
  printFindings(errors);
  const bad = results.filter(({ status }) => !status).length;
  const text = () => `${counted(results.length - bad, 'agent')} valid, ${bad} with errors.`;
  if (bad === 0) return { document: { status: true, total: results.length, results }, text };
  const error = `${counted(bad, 'agent')} of ${results.length} ${bad === 1 ? 'has' : 'have'} errors.`;
  return {
    ...failed(failureOf(errors.map((finding) => ({ ...finding, severity: 'error' }))), {
      error,
      total: results.length,
      results,
    }),
    text,
  };
}

async function check(
  file: string,
  flags: AgentFlags,
  agents: Parameters<typeof createAgent>[0],
): Promise<readonly Finding[]> {
  const opened = await openAgent(file, { ...flags, asks: false });
  if (!opened.ok) {
    const { messages = [] } = opened.result.document as { messages?: string[] };
    return messages.map((message) => ({ code: 'VAL091', severity: 'error', path: '', message, file }));
  }
  const created = await createAgent(agents, opened, { llm: noModel, flags });
  if (!created.ok) return created.findings;
  await created.mcp.close();
  return created.findings;
}
