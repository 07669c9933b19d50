import type { TaskOwner, TaskState } from '@schemakit/server';
import type { RunEvent } from '../run/events.ts';
import { type StoredRun, UnreadableError } from '../store/run-store.ts';
import type { ClientStore } from './client-store.ts';
import { lastMessage, parseEvents, taskState, taskStatus } from './task-state.ts';

/** Reads stored runs as the tasks of their owners. */
export interface TaskReader {
  /** Undefined for unknown runs, and for those of others. */
  find(id: string, owner: TaskOwner): Promise<StoredRun | undefined>;
  /** The events of a run from number `from` (0) on. */
  events(id: string, from?: number): Promise<RunEvent[]>;
  state(run: StoredRun): Promise<TaskState>;
}

/** Running tasks whose last messages are kept. */
const maxMessages = 1_000;

export function createTaskReader(store: ClientStore): TaskReader {
  const events = async (id: string, from?: number) => parseEvents(id, await store.read(id, from));
  const lastMessages = new Map<string, { from: number; message: string | undefined }>();
  /** Clients ask for running tasks again and again: of a journal, only what is new is read. */
  const messageOf = async (id: string) => {
    const { from, message } = lastMessages.get(id) ?? { from: 0, message: undefined };
    const added = await events(id, from);
    const known = { from: from + added.length, message: lastMessage(added) ?? message };
    lastMessages.delete(id);
    lastMessages.set(id, known);
    const [oldest] = lastMessages.keys();
    if (lastMessages.size > maxMessages && oldest !== undefined) lastMessages.delete(oldest);
    return known.message;
  };
  return {
    events,
    async find(id, owner) {
      // PostgreSQL takes no NUL in a text. No id has one.
      const run = id.includes('\0') ? undefined : await store.get(id);
      return run?.owner === undefined || run.owner === owner ? run : undefined;
    },
    async state(run) {
      const status = taskStatus(run);
      try {
        if (status === 'working') return taskState(run, [], await messageOf(run.id));
        lastMessages.delete(run.id);
        return taskState(run, await events(run.id));
      } catch (error) {
        if (!(error instanceof UnreadableError)) throw error;
        // Of these, the journal has only the message.
        if (status === 'working' || status === 'cancelled') return taskState(run, []);
        return store.fail(error);
      }
    },
  };
}
