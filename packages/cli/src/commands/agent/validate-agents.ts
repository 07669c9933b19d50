import type { Finding } from '@schemakit/core';
import { type CommandResult, failed, failureOf } from '../../output/command-result.ts';
import { printFindings } from '../../output/print-findings.ts';
import { counted } from '../../output/terminal-text.ts';
import { type AgentServer, createAgent, loadAgentServer } from './create-agent.ts';
import { noModel } from './model-access.ts';
import { type AgentFlags, openAgent } from './open-agent.ts';

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
    const findings = await check(file, flags, installed.server);
    const broken = findings.filter(({ severity }) => severity === 'error' || (flags.strict && severity === 'warning'));
    errors.push(...broken);
    results.push({ file, status: broken.length === 0, messages: findings.map(({ message }) => message) });
  }
  printFindings(errors);
  const total = results.length;
  const bad = results.filter(({ status }) => !status).length;
  const text = () => `${counted(total - bad, 'agent')} valid, ${bad} with errors.`;
  if (bad === 0) return { document: { status: true, total, results }, text };
  const failure = failureOf(errors.map((finding) => ({ ...finding, severity: 'error' })));
  const error = `${counted(bad, 'agent')} of ${total} ${bad === 1 ? 'has' : 'have'} errors.`;
  return { ...failed(failure, { error, total, results }), text };
}

async function check(file: string, flags: AgentFlags, server: AgentServer): Promise<readonly Finding[]> {
  const opened = await openAgent(file, { ...flags, asks: false });
  if (!opened.ok) return opened.findings;
  const created = await createAgent(server, opened, { llm: noModel, flags });
  if (created.ok) await created.mcp.close();
  return created.findings;
}
