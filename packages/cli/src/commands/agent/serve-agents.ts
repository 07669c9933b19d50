import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type CommandResult, failed, usageError } from '../../output/command-result.ts';
import { printFindings } from '../../output/print-findings.ts';
import { counted } from '../../output/terminal-text.ts';
import { closeOnSignals } from '../end-on-signals.ts';
import { listenFailure, reachableUrl, readListenFlags } from '../serve/http-flags.ts';
import type { ListenFlags } from '../serve/listen-flags.ts';
import { loadAgentServer, manifestFailure, manifestSettings, type Opened, pricesOf } from './create-agent.ts';
import { readModelAccess } from './model-access.ts';
import { type OpenedAgent, openAgent, type RunFlags } from './open-agent.ts';

export interface ServeAgentsFlags extends RunFlags, ListenFlags {
  events: boolean;
  tasks?: string;
  a2a: boolean;
  a2aUrl?: string;
  a2aKey?: string;
}

/** `schemakit agent serve`: each agent is one tool at `/mcp`. */
export async function serveAgents(flags: ServeAgentsFlags, ...files: string[]): Promise<CommandResult> {
  const { events, tasks } = flags;
  const listen = readListenFlags(flags);
  if (!listen.ok) return listen.result;
  const { auth } = listen.options;
  if (events && auth === undefined)
    return usageError('--events needs a token.', 'Use --token, or set SCHEMAKIT_TOKEN.');
  const installed = await loadAgentServer();
  if (!installed.ok) return installed.result;
  const a2a = await openA2A(flags);
  if (!a2a.ok) return a2a.result;
  const agents: OpenedAgent[] = [];
  for (const file of files) {
    const opened = await openAgent(file, flags);
    if (!opened.ok) return manifestFailure(opened.findings);
    agents.push(opened);
  }
  const { environment = {} } = agents[0] ?? {};
  const { TASKS_KEY: taskKeys } = environment;
  const access = readModelAccess(environment);
  if (!access.ok) return access.result;
  const { AgentConfigError, AgentToolsServer } = installed.server;
  const models = agents.map(({ manifest }) => flags.model ?? manifest.model);
  const [model, otherModel] = new Set(models);
  if (flags.prices && otherModel !== undefined)
    return usageError(
      `--prices is for one model, and the agents use ${model} and ${otherModel}.`,
      'Use --model, or serve them separately.',
    );
  try {
    const { mcp, findings } = await AgentToolsServer.fromManifests({
      name: 'schemakit-agents',
      version: '1.0.0',
      llm: access.llm,
      events,
      ...(auth !== undefined && { auth }),
      ...pricesOf(model, flags),
      ...(tasks !== undefined && { tasks }),
      ...(taskKeys !== undefined && { taskKeys }),
      onError: ({ message }) => process.stderr.write(`${message}\n`),
      agents: agents.map((agent) => manifestSettings(agent, flags)),
    });
    printFindings([...findings, ...agents.flatMap(({ missing }) => missing)]);
    const endpoints = a2a.endpointsOf?.({ mcp, manifest: agents.map(({ manifest }) => manifest) });
    const listening = await mcp.http({ ...listen.options, ...endpoints });
    closeOnSignals(() => mcp.close());
    const origin = reachableUrl(listening.url, listen.names);
    const url = `${origin}/mcp`;
    const agentCard = endpoints && `${origin}/.well-known/agent-card.json`;
    const places = agentCard === undefined ? url : `${url}, and over A2A: ${agentCard}`;
    return {
      document: { url, ...(agentCard !== undefined && { agentCard }), status: true, agents: agents.length },
      isOneLine: true,
      text: () => `Serving ${counted(agents.length, 'agent')} at ${places}. Stop with Ctrl-C.`,
    };
  } catch (error) {
    return error instanceof AgentConfigError ? manifestFailure(error.findings) : listenFailure(error);
  }
}

type CreateA2A = typeof import('@schemakit/agent-server/a2a').createA2A;

/** What serves A2A, with its flags; undefined without `--a2a`. */
async function openA2A({
  a2a,
  a2aUrl: url,
  a2aKey,
}: ServeAgentsFlags): Promise<Opened<{ endpointsOf?: (options: Parameters<CreateA2A>[0]) => ReturnType<CreateA2A> }>> {
  const refuse = (error: string, fix: string) => ({ ok: false as const, result: usageError(error, fix) });
  if (!a2a && (url ?? a2aKey) !== undefined) return refuse('--a2a-url and --a2a-key need --a2a.', 'Add --a2a.');
  if (!a2a) return { ok: true };
  let signingKey: KeyObject | undefined;
  try {
    if (a2aKey !== undefined) signingKey = createPrivateKey(readFileSync(a2aKey));
  } catch (error) {
    return refuse(`--a2a-key: ${(error as Error).message}`, 'Name a file with a private key (PEM).');
  }
  try {
    const { createA2A } = await import('@schemakit/agent-server/a2a');
    const given = { ...(url !== undefined && { url }), ...(signingKey && { signingKey }) };
    return { ok: true, endpointsOf: (options) => createA2A({ ...options, ...given }) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const fix = 'Run: npm install @a2a-js/sdk (with -g where schemakit is installed with it)';
    return { ok: false, result: failed('notFound', { error: '--a2a needs the package @a2a-js/sdk.', fix }) };
  }
}
