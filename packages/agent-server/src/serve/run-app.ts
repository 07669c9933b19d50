import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { type ServedApp, type ServedTool, subjectOwner } from '@schemakit/server';
import type { RunEvent } from '../run/events.ts';
import type { TaskEngine } from '../tasks/task-engine.ts';
import { withoutWords } from './event-stream.ts';

/** The page of runs, which `packages/web` builds: what an agent does while it does it, then its answer. */
export interface RunApp {
  app: ServedApp;
  /** Keeps an event for the page that the caller of its run sees. Those of a stored run are read from its journal, which others write as well. */
  add(event: RunEvent, run: RunOfCaller & { isStored?: boolean }): void;
}

export interface RunAppOptions {
  /** As in `createEventStream`. */
  isPaid: (tool: string) => boolean;
  /** Reads the journals of stored runs. */
  readJournal: TaskEngine['events'] | undefined;
}

interface RunOfCaller {
  tool: string;
  owner?: string | undefined;
}

interface WatchedRun extends RunOfCaller {
  args: Record<string, unknown>;
  hasEnded: boolean;
  /** Undefined for a stored run. */
  events: RunEvent[] | undefined;
}

const built = import.meta.url.endsWith('.ts') ? '../../dist/apps/run.html' : './apps/run.html';

/** Of a text, in characters: people look at the beginning. */
const maxText = 2_000;
/** Runs that are kept, the newest. */
const maxRuns = 100;

const description = 'What a run of an agent has done since the event `after`, for the page that shows it.';
const inputSchema = {
  type: 'object',
  properties: {
    tool: { type: 'string' },
    runId: { type: 'string' },
    arguments: { type: 'object', description: 'Of the call, if its run is not known yet' },
    after: { type: 'integer', default: -1 },
  },
  required: ['tool'],
} satisfies ServedTool['listing']['inputSchema'];

export function createRunApp({ isPaid, readJournal }: RunAppOptions): RunApp {
  // Insertion order is age.
  const runs = new Map<string, WatchedRun>();

  const shown = (events: readonly RunEvent[], tool: string) =>
    (isPaid(tool) ? events.flatMap(withoutWords) : events).map(shortened);

  /** Those of a run that is not of this caller and tool are none. */
  async function eventsOf(runId: string, { tool, owner }: RunOfCaller, from = 0): Promise<readonly RunEvent[]> {
    const run = runs.get(runId);
    if (run?.events !== undefined) return run.tool === tool && run.owner === owner ? run.events : [];
    return shown((await readJournal?.(runId, owner, { tool, from })) ?? [], tool);
  }

  /** A page knows the arguments of its call, and from its first event on the run. */
  async function eventsOfCall(args: unknown, { tool, owner }: RunOfCaller): Promise<readonly RunEvent[]> {
    for (const [runId, run] of [...runs].reverse()) {
      if (run.hasEnded || run.tool !== tool || run.owner !== owner || !isDeepStrictEqual(run.args, args)) continue;
      const events = await eventsOf(runId, run);
      if (events.at(-1)?.type !== 'run.ended') return events;
      run.hasEnded = true;
    }
    return [];
  }

  const name = 'run_progress';
  const progress: ServedTool = {
    listing: {
      name,
      title: 'Run progress',
      description,
      inputSchema,
      annotations: {
        title: 'Run progress',
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    ...{ aliases: [], namespace: '', tags: [], toolName: name, requiredServerParams: [] },
    async call(args, { client } = {}) {
      const { tool, runId, arguments: of, after } = Object(args) as Record<string, unknown>;
      const run = { tool: String(tool), owner: client?.authInfo && subjectOwner(client.authInfo) };
      const from = Number.isSafeInteger(after) && Number(after) >= 0 ? Number(after) + 1 : 0;
      const found = runId === undefined ? eventsOfCall(of, run) : eventsOf(String(runId), run, from);
      const structuredContent = { events: (await found).filter(({ seq }) => seq >= from) };
      return { content: [{ type: 'text', text: `${structuredContent.events.length} events` }], structuredContent };
    },
  };
  return {
    app: {
      uri: 'ui://schemakit/run',
      title: 'Run',
      html: () => readFile(new URL(built, import.meta.url), 'utf8'),
      tools: [progress],
    },
    add(event, { tool, owner, isStored = false }) {
      if (event.type === 'run.started')
        runs.set(event.runId, { tool, owner, args: event.args, hasEnded: false, events: isStored ? undefined : [] });
      const [oldest = ''] = runs.keys();
      if (runs.size > maxRuns) runs.delete(oldest);
      runs.get(event.runId)?.events?.push(...shown([event], tool));
    },
  };
}

/** The answer comes with the result. */
function shortened(event: RunEvent): RunEvent {
  if (event.type === 'run.ended') return { ...event, answer: null };
  // For the model: the whole text of a long answer, and the provider's form of a message.
  const { whole: _whole, message: _message, ...short } = event as RunEvent & Record<string, unknown>;
  return JSON.parse(JSON.stringify(short), (_key, value) =>
    typeof value === 'string' && value.length > maxText ? `${value.slice(0, maxText)}…` : value,
  );
}
