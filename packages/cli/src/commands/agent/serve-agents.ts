import { ListenError } from '@schemakit/server';
import { type CommandResult, failed, failWith, usageError } from '../../output/command-result.ts';
import { printFindings } from '../../output/print-findings.ts';
import { counted } from '../../output/terminal-text.ts';
import { closeOnSignals } from '../end-on-signals.ts';
import { readModelAccess } from './model-access.ts';
import { type AgentFlags, loadAgentServer, openAgent } from './open-agent.ts';

export interface ServeAgentsFlags extends AgentFlags {
  host: string;
  port: number;
  token?: string;
  open: boolean;
  events: boolean;
  maxCost?: string;
  timeout?: number;
}

/** `schemakit agent serve`: each agent is one tool at `/mcp`. */
export async function serveAgents(flags: ServeAgentsFlags, ...files: string[]): Promise<CommandResult> {
  const { host, port, token = process.env.SCHEMAKIT_TOKEN, open: isOpen, events, maxCost, timeout } = flags;
  const installed = await loadAgentServer();
  if (!installed.ok) return installed.result;
  const cost = maxCost === undefined ? undefined : Number(maxCost);
  if (cost !== undefined && !(cost > 0))
    return usageError(`--max-cost ${maxCost} is not an amount.`, 'Use a number above 0.');
  if (events && !token) return usageError('--events needs a token.', 'Use --token, or set SCHEMAKIT_TOKEN.');
  const agents = [];
  for (const file of files) {
    const opened = await openAgent(file, flags);
    if (!opened.ok) return opened.result;
    agents.push(opened);
  }
  const access = readModelAccess(agents[0]?.serverParams ?? {});
  if (!access.ok) return access.result;
  const { AgentConfigError, AgentToolsServer } = installed.agents;
  const limits = { ...(cost !== undefined && { maxCost: cost }), ...(timeout !== undefined && { timeoutMs: timeout }) };
  const { model, allowDestructive } = flags;
  try {
    const { mcp, findings } = await AgentToolsServer.fromManifests({
      name: 'schemakit-agents',
      version: '1.0.0',
      llm: access.llm,
      events,
      ...(token && { auth: token }),
      onError: ({ message }) => process.stderr.write(`${message}\n`),
      agents: agents.map(({ file, schemas, serverParams }) => ({
        file,
        schemas,
        serverParams,
        agent: { ...limits, allowDestructive, ...(model !== undefined && { model }) },
      })),
    });
    printFindings(findings);
    const server = await mcp.http({ host, port, isOpen });
    closeOnSignals(() => mcp.close());
    const text = () => `Serving ${counted(agents.length, 'agent')} at ${server.url}/mcp. Stop with Ctrl-C.`;
    return { document: { status: true, url: `${server.url}/mcp`, agents: agents.length }, text };
  } catch (error) {
    if (error instanceof AgentConfigError) return failWith(error.findings);
    if (!(error instanceof ListenError)) throw error;
    return failed('usage', { error: error.message, fix: error.hint });
  }
}
