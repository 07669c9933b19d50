import type { Finding } from '@schemakit/core';
import { printFindings } from '../../output/print-findings.ts';
import type { ModelAccess } from './model-access.ts';
import type { AgentFlags, AgentServer, OpenedAgent } from './open-agent.ts';

type Settings = Parameters<AgentServer['AgentToolsServer']['fromManifest']>[0];
type FromManifest = Awaited<ReturnType<AgentServer['AgentToolsServer']['fromManifest']>>;

export type CreatedAgent = ({ ok: true; name: string } & FromManifest) | { ok: false; findings: readonly Finding[] };

/** Makes the server of an agent. Warnings go to stderr. */
export async function createAgent(
  { AgentToolsServer, AgentConfigError }: AgentServer,
  { file, schemas, serverParams }: OpenedAgent,
  { llm, flags, ...more }: { llm: ModelAccess; flags: AgentFlags } & Partial<Settings>,
): Promise<CreatedAgent> {
  const { model, allowDestructive } = flags;
  try {
    const created = await AgentToolsServer.fromManifest({
      ...more,
      file,
      llm,
      schemas,
      serverParams,
      agent: { ...more.agent, allowDestructive, ...(model !== undefined && { model }) },
    });
    printFindings(created.findings.map((finding) => ({ file, ...finding })));
    const [tool] = created.mcp.listToolDefinitions().tools;
    return { ok: true, name: tool?.name ?? '', ...created };
  } catch (error) {
    if (!(error instanceof AgentConfigError)) throw error;
    return { ok: false, findings: error.findings.map((finding) => ({ file, ...finding })) };
  }
}

/** The arguments of an agent: JSON of an object as it is, text as its `query`. */
export function argumentsOf(input: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(input);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // It is text.
  }
  return { query: input };
}
