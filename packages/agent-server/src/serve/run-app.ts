import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { type ServedApp, type ServedTool, subjectOwner } from '@schemakit/server';
import type { RunEvent } from '../run/events.ts';
import { withoutWords } from './event-stream.ts';

/** The page of runs, which `packages/web` builds: what an agent does while it does it, then its answer. */
export interface RunApp {
  app: ServedApp;
  /** Keeps an event for the page that the caller of its run sees. */
  add(event: RunEvent, run: { tool: string; owner?: string }): void;
}

interface WatchedRun {
  tool: string;
  owner: string | undefined;
  args: Record<string, unknown>;
  events: RunEvent[];
}

const built = import.meta.url.endsWith('.ts') ? '../../dist/apps/run.html' : './apps/run.html';

/** Of a text, in characters: people look at the beginning. */
const maxText = 2_000;
/** Runs whose events are kept, the newest. */
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

/** @param options.isPaid As in `createEventStream`. */
export function createRunApp({ isPaid }: { isPaid: (tool: string) => boolean }): RunApp {
  // Insertion order is age.
  const runs = new Map<string, WatchedRun>();

  /** A page knows the arguments of its call, and from its first event on the run. */
  function find({ tool, runId, arguments: args }: Record<string, unknown>, owner: string | undefined) {
    const own = [...runs.entries()].filter(([, run]) => run.tool === tool && run.owner === owner);
    if (runId !== undefined) return own.find(([id]) => id === runId)?.[1];
    const isGoing = ({ events }: WatchedRun) => events.at(-1)?.type !== 'run.ended';
    return own.findLast(([, run]) => isGoing(run) && isDeepStrictEqual(run.args, args))?.[1];
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
      const given = Object(args) as Record<string, unknown>;
      const { events = [] } = find(given, client?.authInfo && subjectOwner(client.authInfo)) ?? {};
      const after = typeof given.after === 'number' ? given.after : -1;
      const structuredContent = { events: events.filter(({ seq }) => seq > after) };
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
    add(event, { tool, owner }) {
      if (event.type === 'run.started') runs.set(event.runId, { tool, owner, args: event.args, events: [] });
      const [oldest = ''] = runs.keys();
      if (runs.size > maxRuns) runs.delete(oldest);
      const shown = isPaid(tool) ? withoutWords(event) : [event];
      runs.get(event.runId)?.events.push(...shown.map(shortened));
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
