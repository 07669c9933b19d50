import { type CommandResult, usageError } from '../../output/command-result.ts';
import { printFindings } from '../../output/print-findings.ts';
import { counted } from '../../output/terminal-text.ts';
import { closeOnSignals } from '../end-on-signals.ts';
import { listenFailure, reachableUrl, readListenFlags } from '../serve/http-flags.ts';
import type { ListenFlags } from '../serve/listen-flags.ts';
import { loadAgentServer, manifestFailure, manifestSettings, pricesOf } from './create-agent.ts';
import { readModelAccess } from './model-access.ts';
import { type A2AFlags, openA2A } from './open-a2a.ts';
import { type OpenedAgent, openAgent, type RunFlags } from './open-agent.ts';

export interface ServeAgentsFlags extends RunFlags, ListenFlags, A2AFlags {
  events: boolean;
  tasks?: string;
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
