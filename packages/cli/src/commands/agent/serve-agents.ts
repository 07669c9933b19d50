import { type CommandResult, usageError } from '../../output/command-result.ts';
import { counted } from '../../output/terminal-text.ts';
import { closeOnSignals } from '../end-on-signals.ts';
import { listenFailure, reachableUrl, readListenFlags } from '../serve/http-flags.ts';
import type { ListenFlags } from '../serve/listen-flags.ts';
import { type A2AFlags, openA2A } from './open-a2a.ts';
import { openAgents, type WorkFlags } from './open-agents.ts';

export interface ServeAgentsFlags extends WorkFlags, ListenFlags, A2AFlags {
  events: boolean;
  work: boolean;
  maxWaiting?: number;
  priority?: number;
}

/** `schemakit agent serve`: each agent is one tool at `/mcp`. */
export async function serveAgents(flags: ServeAgentsFlags, ...files: string[]): Promise<CommandResult> {
  const { events, tasks, work, concurrency, rateLimit, maxWaiting, priority } = flags;
  const listen = readListenFlags(flags);
  if (!listen.ok) return listen.result;
  const { auth } = listen.options;
  if (events && auth === undefined)
    return usageError('--events needs a token.', 'Use --token, or set SCHEMAKIT_TOKEN.');
  if (!work && tasks === undefined)
    return usageError('--no-work needs --tasks.', 'Name the store of the workers: --tasks redis://queue:6379');
  const ofWorkers = concurrency !== undefined ? '--concurrency' : rateLimit !== undefined && '--rate-limit';
  if (!work && ofWorkers)
    return usageError(
      `--no-work and ${ofWorkers} exclude each other.`,
      `Give it to the workers: schemakit agent worker … ${ofWorkers} 50`,
    );
  if (priority !== undefined && tasks === undefined)
    return usageError(
      '--priority needs --tasks.',
      'It orders the runs of servers with the same store: --tasks redis://queue:6379',
    );
  const a2a = await openA2A(flags);
  if (!a2a.ok) return a2a.result;
  const opened = await openAgents(files, flags, { works: work });
  if (!opened.ok) return opened.result;
  const { agents } = opened;
  let end: (() => Promise<void>) | undefined;
  try {
    const mcp = await opened.create({
      events,
      ...(auth !== undefined && { auth }),
      ...(maxWaiting !== undefined && { maxWaiting }),
      ...(!work && { maxRuns: 0 }),
    });
    end = () => mcp.close();
    const endpoints = a2a.endpointsOf?.({ mcp, manifest: agents.map(({ manifest }) => manifest) });
    const listening = await mcp.http({ ...listen.options, ...endpoints });
    closeOnSignals(end);
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
    // The store is open by now: its connection keeps the process, which would go on with runs.
    await end?.();
    return opened.failureOf(error) ?? listenFailure(error);
  }
}
