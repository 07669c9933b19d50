import type { Finding } from '@schemakit/core';
import { type CommandResult, failed, failWith } from '../../output/command-result.ts';
import { placeText, printFindings } from '../../output/print-findings.ts';
import { inVariables, type ModelAccess, readModelAccess } from './model-access.ts';
import { type OpenedAgent, openAgent, type RunFlags } from './open-agent.ts';

export type AgentServer = typeof import('@schemakit/agent-server');

type Settings = Parameters<AgentServer['AgentToolsServer']['fromManifest']>[0];
type ManifestServer = Awaited<ReturnType<AgentServer['AgentToolsServer']['fromManifest']>>;

export type Opened<Value> = ({ ok: true } & Value) | { ok: false; result: CommandResult };

/** Loads the package of agents, which is installed by those who need it. */
export async function loadAgentServer(): Promise<Opened<{ server: AgentServer }>> {
  try {
    return { ok: true, server: await import('@schemakit/agent-server') };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const fix = 'Run: npm install @schemakit/agent-server (with -g where schemakit is installed with it)';
    return {
      ok: false,
      result: failed('notFound', { error: 'Agents need the package @schemakit/agent-server.', fix }),
    };
  }
}

/** What a command needs that runs one agent. Its model is that of the settings unless `model` is given. */
export async function openForRun(
  file: string,
  flags: RunFlags,
  model?: ModelAccess,
): Promise<Opened<{ server: AgentServer; agent: OpenedAgent; llm: ModelAccess }>> {
  const installed = await loadAgentServer();
  if (!installed.ok) return installed;
  const agent = await openAgent(file, flags);
  if (!agent.ok) return { ok: false, result: manifestFailure(agent.findings) };
  const access = model ? { ok: true as const, llm: model } : readModelAccess(agent.environment);
  if (model === undefined) printFindings(agent.missing);
  return access.ok ? { ...installed, agent, llm: access.llm } : access;
}

/** The result of a command whose manifest has errors. All are printed, and each says where it is. */
export function manifestFailure(findings: readonly Finding[]): CommandResult {
  const errors = findings.filter(({ severity }) => severity === 'error').map(inVariables);
  printFindings(errors);
  return failWith(errors.map((finding) => ({ ...finding, message: withPlace(finding) })));
}

function withPlace(finding: Finding): string {
  const { file, message } = finding;
  return file !== undefined && message.includes(file) ? message : placeText(finding) + message;
}

/** The settings of an agent, as its manifest and the flags say. */
export function manifestSettings(
  { file, schemas, serverParams }: OpenedAgent,
  { model, allowDestructive, maxCost, timeout }: RunFlags,
): Pick<Settings, 'file' | 'schemas' | 'serverParams' | 'agent'> {
  const agent = {
    allowDestructive,
    ...(model !== undefined && { model }),
    ...(maxCost !== undefined && { maxCost }),
    ...(timeout !== undefined && { timeoutMs: timeout }),
  };
  return { file, schemas, serverParams, agent };
}

/** `--prices` as the prices of a model. */
export function pricesOf(model: string | undefined, { prices }: RunFlags): Pick<Settings, 'prices'> {
  if (prices === undefined || model === undefined) return {};
  const [input = 0, output = 0, cachedInput = input] = prices;
  return { prices: { [model]: { input, output, cachedInput } } };
}

/** Makes the server of an agent. Warnings go to stderr. */
export async function createAgent(
  { AgentToolsServer, AgentConfigError }: AgentServer,
  opened: OpenedAgent,
  { flags, ...settings }: { flags: RunFlags } & Pick<Settings, 'llm' | 'clock'>,
): Promise<({ ok: true } & ManifestServer) | { ok: false; findings: readonly Finding[] }> {
  try {
    const prices = pricesOf(flags.model ?? opened.manifest.model, flags);
    const created = await AgentToolsServer.fromManifest({
      ...settings,
      ...prices,
      ...manifestSettings(opened, flags),
    });
    printFindings(created.findings);
    return { ok: true, ...created };
  } catch (error) {
    if (!(error instanceof AgentConfigError)) throw error;
    return { ok: false, findings: error.findings };
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
