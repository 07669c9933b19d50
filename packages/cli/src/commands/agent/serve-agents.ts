import { type CommandResult, usageError } from '../../output/command-result.ts';
import { printFindings } from '../../output/print-findings.ts';
import { counted } from '../../output/terminal-text.ts';
import { openSecrets } from '../../settings/open-settings.ts';
import { readSettings } from '../../settings/read-settings.ts';
import { closeOnSignals } from '../end-on-signals.ts';
import { listenFailure, reachableUrl, readListenFlags } from '../serve/http-flags.ts';
import type { ListenFlags } from '../serve/listen-flags.ts';
import { loadAgentServer, manifestFailure, manifestSettings } from './create-agent.ts';
import { readModelAccess } from './model-access.ts';
import { type AgentFlags, type OpenedAgent, openAgent } from './open-agent.ts';

export interface ServeAgentsFlags extends AgentFlags, ListenFlags {
  events: boolean;
  maxCost?: number;
  prices?: readonly number[];
  tasks?: string;
  timeout?: number;
}

/** `schemakit agent serve`: each agent is one tool at `/mcp`. */
export async function serveAgents(flags: ServeAgentsFlags, ...files: string[]): Promise<CommandResult> {
  const { events, maxCost, prices: [input = 0, output = 0, cachedInput = input] = [], tasks, timeout } = flags;
  const listen = readListenFlags(flags);
  if (!listen.ok) return listen.result;
  const { auth } = listen.options;
  if (events && auth === undefined)
    return usageError('--events needs a token.', 'Use --token, or set SCHEMAKIT_TOKEN.');
  const installed = await loadAgentServer();
  if (!installed.ok) return installed.result;
  const agents: OpenedAgent[] = [];
  for (const file of files) {
    const opened = await openAgent(file, flags);
    if (!opened.ok) return manifestFailure(opened.findings);
    agents.push(opened);
  }
  const { TASKS_KEY: taskKeys } = openSecrets(readSettings(), flags);
  const access = readModelAccess(agents[0]?.serverParams ?? {});
  if (!access.ok) return access.result;
  const { AgentConfigError, AgentToolsServer } = installed.server;
  const limits = { ...(maxCost !== undefined && { maxCost }), ...(timeout !== undefined && { timeoutMs: timeout }) };
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
      ...(tasks !== undefined && { tasks }),
      ...(taskKeys !== undefined && { taskKeys }),
      ...(flags.prices && { prices: { [String(model)]: { input, output, cachedInput } } }),
      onError: ({ message }) => process.stderr.write(`${message}\n`),
      agents: agents.map((agent) => {
        const settings = manifestSettings(agent, flags);
        return { ...settings, agent: { ...settings.agent, ...limits } };
      }),
    });
    printFindings(findings);
    const listening = await mcp.http(listen.options);
    closeOnSignals(() => mcp.close());
    const url = `${reachableUrl(listening.url, listen.names)}/mcp`;
    return {
      document: { url, status: true, agents: agents.length },
      isOneLine: true,
      text: () => `Serving ${counted(agents.length, 'agent')} at ${url}. Stop with Ctrl-C.`,
    };
  } catch (error) {
    return error instanceof AgentConfigError ? manifestFailure(error.findings) : listenFailure(error);
  }
}
