import { randomUUID } from 'node:crypto';
import { inputRequired } from '@modelcontextprotocol/server';
import type { CallResult, ClientContext, ServedTool } from '@schemakit/server';
import type { OpenAgent } from '../manifest/open-agent.ts';
import { defaultAnswerSchema } from '../run/built-in-tools.ts';
import type { RunEvent } from '../run/events.ts';
import type { RunOptions } from '../run/run-agent.ts';
import type { TaskEngine } from '../tasks/task-engine.ts';
import { depthOf, withoutToken } from './call-input.ts';
import { answerOf, canElicit, elicit } from './elicitation.ts';
import { progressText } from './progress-text.ts';
import { queuedRun } from './queued-run.ts';
import { goOn, type PausedRun, refusalOf, runTool, type ToolOutcome } from './run-tool.ts';

export interface ServedAgentOptions {
  /** Ends all runs. */
  closing: AbortSignal;
  onEvent: (event: RunEvent, client: ClientContext) => void;
  recordContent: boolean | undefined;
  awaitModel?: RunOptions['awaitModel'];
  /** Queues its runs for workers, and does not work on them here. */
  queue?: TaskEngine | undefined;
}

const expired: CallResult = {
  content: [{ type: 'text', text: 'This question has expired. Call the tool again.' }],
  isError: true,
};

/** How long a run waits for its user, and how many do. */
const maxPauseMinutes = 15;
const maxPaused = 1_000;

/** An agent as a tool of an MCP server. A question to the user is an elicitation, after which the client calls again. */
export function servedAgent(
  agent: OpenAgent,
  { closing, onEvent, recordContent, awaitModel, queue }: ServedAgentOptions,
): ServedTool {
  const { name, description, inputSchema, execution, ...config } = agent.config;
  const { answerSchema = defaultAnswerSchema } = config.agent;
  const paused = createPausedRuns(closing);
  const tool: ServedTool = {
    listing: {
      name,
      title: name,
      description,
      inputSchema,
      outputSchema: answerSchema,
      annotations: { title: name, readOnlyHint: false, idempotentHint: false, openWorldHint: true },
      ...(execution && { execution }),
    } as ServedTool['listing'],
    ...{ aliases: [], namespace: '', tags: [], toolName: name, requiredServerParams: [] },
    async call(args = {}, { signal, onProgress, client = {} } = {}) {
      const options = {
        signal: signal === undefined ? closing : AbortSignal.any([signal, closing]),
        onEvent(event: RunEvent) {
          onEvent(event, client);
          const text = progressText(event);
          if (text !== undefined) onProgress?.(text);
        },
        canAsk: canElicit(client),
        depth: depthOf(client),
        recordContent,
        awaitModel,
      };
      if (queue !== undefined) {
        const refusal = refusalOf(agent, args, depthOf(client));
        if (refusal !== undefined) return { content: [{ type: 'text', text: refusal }], isError: true };
        return (
          (await queuedRun(tool, args as Record<string, unknown>, { ...options, engine: queue, client })) ?? expired
        );
      }
      const waiting = paused.take(client.requestState);
      if (client.requestState !== undefined && waiting === undefined) return expired;
      const outcome: ToolOutcome =
        waiting === undefined
          ? await runTool(agent, withoutToken(args, client), options)
          : await goOn(agent, { ...waiting, userAnswer: answerOf(client.inputResponses) }, options);
      if ('result' in outcome) return outcome.result;
      const requestState = paused.add(outcome.paused, (event) => onEvent(event, client));
      return inputRequired({ inputRequests: elicit(outcome.paused.question), requestState }) as never;
    },
  };
  return tool;
}

/** Runs that wait for their users, each by a name that only its client knows. Those that nobody continues end. */
function createPausedRuns(closing: AbortSignal) {
  const runs = new Map<string, { run: PausedRun; timer: NodeJS.Timeout; onEvent: (event: RunEvent) => void }>();
  const take = (key: string | undefined) => {
    const found = key === undefined ? undefined : runs.get(key);
    if (found === undefined || key === undefined) return undefined;
    runs.delete(key);
    clearTimeout(found.timer);
    return found;
  };
  const end = (key: string | undefined, reason: string) => {
    const found = take(key);
    void found?.run.end(reason, found.onEvent);
  };
  const endAll = () => {
    for (const key of [...runs.keys()]) end(key, 'The server was closed before its user answered.');
  };
  closing.addEventListener('abort', endAll, { once: true });
  return {
    add(run: PausedRun, onEvent: (event: RunEvent) => void): string {
      const key = randomUUID();
      const expire = () => end(key, `Its user did not answer within ${maxPauseMinutes} minutes.`);
      runs.set(key, { run, onEvent, timer: setTimeout(expire, maxPauseMinutes * 60_000).unref() });
      // Insertion order is age.
      const [oldest] = runs.keys();
      if (runs.size > maxPaused)
        end(oldest, `More than ${maxPaused} runs wait for their users, and this was the oldest.`);
      if (closing.aborted) endAll();
      return key;
    },
    take: (key: string | undefined): PausedRun | undefined => take(key)?.run,
  };
}
