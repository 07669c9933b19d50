import type { Finding } from '@schemakit/core';
import { type CommandResult, failed, failureOf } from '../../output/command-result.ts';
import { printFindings } from '../../output/print-findings.ts';
import { counted } from '../../output/terminal-text.ts';
import { commandHint } from '../../settings/command-hint.ts';
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
  const results: { file: string; status: boolean; messages: string[]; findings: object[] }[] = [];
  const errors: Finding[] = [];
  for (const file of files) {
    const { findings, missing } = await check(file, flags, installed.server);
    const broken = findings.filter(({ severity }) => severity === 'error' || (flags.strict && severity === 'warning'));
    errors.push(...broken);
    // A secret that is missing here may be set where the agent runs.
    const all = [...findings, ...missing];
    printFindings(missing);
    results.push({
      file,
      status: broken.length === 0,
      messages: all.map(({ message }) => message),
      findings: all.map(({ hint, ...finding }) => ({ ...finding, ...(hint && { hint: commandHint(hint) }) })),
    });
  }
  printFindings(errors);
  const total = results.length;
  const bad = results.filter(({ status }) => !status).length;
  const text = () => `${counted(total - bad, 'agent')} valid, ${bad} with errors.`;
  if (bad === 0) return { document: { status: true, total, results }, text };
  const failure = failureOf(errors.map((finding) => ({ ...finding, severity: 'error' })));
  const error = `${bad} of ${counted(total, 'agent')} ${bad === 1 ? 'has' : 'have'} errors.`;
  return { ...failed(failure, { error, total, results }), text };
}

async function check(
  file: string,
  flags: AgentFlags,
  server: AgentServer,
): Promise<{ findings: readonly Finding[]; missing: readonly Finding[] }> {
  const opened = await openAgent(file, { ...flags, asks: false });
  if (!opened.ok) return { findings: opened.findings, missing: [] };
  const created = await createAgent(server, opened, { llm: noModel, flags });
  if (created.ok) await created.mcp.close();
  return { findings: created.findings, missing: opened.missing };
}
