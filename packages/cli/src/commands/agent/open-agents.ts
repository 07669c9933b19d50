import { type CommandResult, usageError } from '../../output/command-result.ts';
import { printFindings } from '../../output/print-findings.ts';
import {
  type AgentServer,
  loadAgentServer,
  manifestFailure,
  manifestSettings,
  type Opened,
  pricesOf,
} from './create-agent.ts';
import { noModel, readModelAccess } from './model-access.ts';
import { type OpenedAgent, openAgent, type RunFlags } from './open-agent.ts';

type Settings = Parameters<AgentServer['AgentToolsServer']['fromManifests']>[0];

/** The flags of commands that work on the runs of several agents. */
export interface WorkFlags extends RunFlags {
  tasks?: string;
  concurrency?: number;
  rateLimit?: number;
}

/** What the agents of a command are served with, and how. */
interface CreatedAgents {
  agents: readonly OpenedAgent[];
  /** Makes their server. Warnings go to stderr. Rejects with an `AgentConfigError`. */
  create(
    settings: Partial<Settings>,
  ): Promise<Awaited<ReturnType<AgentServer['AgentToolsServer']['fromManifests']>>['mcp']>;
  /** The result for what `create` rejects with, or what comes after; undefined for other errors. */
  failureOf(error: unknown): CommandResult | undefined;
}

const minuteMs = 60_000;

/**
 * Opens manifests for one server with a tool for each.
 *
 * @param works Whether this process works on runs: only then it needs a model and secrets.
 */
export async function openAgents(
  files: readonly string[],
  flags: WorkFlags & { priority?: number },
  { works }: { works: boolean },
): Promise<Opened<CreatedAgents>> {
  const installed = await loadAgentServer();
  if (!installed.ok) return installed;
  const agents: OpenedAgent[] = [];
  for (const file of files) {
    const opened = await openAgent(file, flags);
    if (!opened.ok) return { ok: false, result: manifestFailure(opened.findings) };
    agents.push(opened);
  }
  const { environment = {} } = agents[0] ?? {};
  const { TASKS_KEY: taskKeys } = environment;
  const access = works ? readModelAccess(environment) : { ok: true as const, llm: noModel };
  if (!access.ok) return access;
  const { AgentConfigError, AgentToolsServer } = installed.server;
  const models = agents.map(({ manifest }) => flags.model ?? manifest.model);
  const [model, otherModel] = new Set(models);
  if (flags.prices && otherModel !== undefined) {
    const error = `--prices is for one model, and the agents use ${model} and ${otherModel}.`;
    return { ok: false, result: usageError(error, 'Use --model, or serve them separately.') };
  }
  const { tasks, concurrency, rateLimit, priority } = flags;
  return {
    ok: true,
    agents,
    async create(settings) {
      const { mcp, findings } = await AgentToolsServer.fromManifests({
        name: 'schemakit-agents',
        version: '1.0.0',
        llm: { ...access.llm, ...(rateLimit !== undefined && { rateLimit: { requests: rateLimit, perMs: minuteMs } }) },
        ...pricesOf(model, flags),
        ...(tasks !== undefined && { tasks }),
        ...(taskKeys !== undefined && { taskKeys }),
        ...(concurrency !== undefined && { maxRuns: concurrency }),
        onError: ({ message }) => process.stderr.write(`${message}\n`),
        agents: agents.map((agent) => ({
          ...manifestSettings(agent, flags),
          ...(priority !== undefined && { priority }),
        })),
        ...settings,
      });
      printFindings([...findings, ...(works ? agents.flatMap(({ missing }) => missing) : [])]);
      return mcp;
    },
    failureOf: (error) => (error instanceof AgentConfigError ? manifestFailure(error.findings) : undefined),
  };
}
