import { type CommandResult, usageError } from '../../output/command-result.ts';
import { counted } from '../../output/terminal-text.ts';
import { closeOnSignals } from '../end-on-signals.ts';
import { listenFailure, reachableUrl, readListenFlags } from '../serve/http-flags.ts';
import type { ListenFlags } from '../serve/listen-flags.ts';
import { openAgents, type WorkFlags } from './open-agents.ts';

export interface ServeAgentsFlags extends WorkFlags, ListenFlags {
  events: boolean;
  work: boolean;
  maxWaiting?: number;
  priority?: number;
}

/** `schemakit agent serve`: each agent is one tool at `/mcp`. */
export async function serveAgents(flags: ServeAgentsFlags, ...files: string[]): Promise<CommandResult> {
  const { events, tasks, work, maxWaiting } = flags;
  const listen = readListenFlags(flags);
  if (!listen.ok) return listen.result;
  const { auth } = listen.options;
  if (events && auth === undefined)
    return usageError('--events needs a token.', 'Use --token, or set SCHEMAKIT_TOKEN.');
  if (!work && tasks === undefined)
    return usageError('--no-work needs --tasks.', 'Name the store of the workers: --tasks redis://queue:6379');
  const opened = await openAgents(files, flags, { works: work });
  if (!opened.ok) return opened.result;
  const { agents } = opened;
  try {
    const mcp = await opened.create({
      events,
      ...(auth !== undefined && { auth }),
      ...(maxWaiting !== undefined && { maxWaiting }),
      ...(!work && { maxRuns: 0 }),
    });
    const listening = await mcp.http(listen.options);
    closeOnSignals(() => mcp.close());
    const url = `${reachableUrl(listening.url, listen.names)}/mcp`;
    return {
      document: { url, status: true, agents: agents.length },
      isOneLine: true,
      text: () => `Serving ${counted(agents.length, 'agent')} at ${url}. Stop with Ctrl-C.`,
    };
  } catch (error) {
    return opened.failureOf(error) ?? listenFailure(error);
  }
}
