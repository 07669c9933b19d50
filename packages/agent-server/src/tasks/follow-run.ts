import type { TaskChange, TaskOwner, TaskState } from '@schemakit/server';
import type { RunEvent } from '../run/events.ts';
import { progressText } from '../serve/progress-text.ts';
import type { ClientStore } from './client-store.ts';
import type { TaskReader } from './task-reader.ts';
import { taskStatus } from './task-state.ts';
import type { Every } from './timers.ts';

export interface FollowOptions {
  store: ClientStore;
  reader: TaskReader;
  id: string;
  /** Number of the first event to read. */
  from: number;
  onError: (error: unknown) => void;
  every: Every;
}

/** How often a journal is read without word of a change: a worker that is killed may have written, and not told. */
const recheckMs = 15_000;

/** Reads a journal from number `from` on, and again whenever its run has changed. Returns the function that ends this. */
export function followRun(
  { store, reader, id, from, onError, every }: FollowOptions,
  onRead: (events: RunEvent[]) => unknown,
): () => void {
  let next = from;
  let isOpen = true;
  let reading = Promise.resolve();
  const pull = async () => {
    const events = isOpen ? await reader.events(id, next) : [];
    next += events.length;
    if (isOpen) await onRead(events);
  };
  const changed = () => {
    reading = reading.then(pull).catch(onError);
  };
  const endings = [
    store.watch((changedId) => {
      if (changedId === id || changedId === undefined) changed();
    }),
    every(recheckMs, changed),
  ];
  changed();
  return () => {
    isOpen = false;
    for (const end of endings) end();
  };
}

/** Tells the messages of a task from number `from` on, and how it stands after each change. Says nothing of unknown tasks. */
export function watchTask(
  { owner, ...options }: FollowOptions & { owner: TaskOwner },
  listener: (change: TaskChange) => void,
): () => void {
  const { reader, id, onError } = options;
  let status: TaskState['status'] | undefined;
  let stop: (() => void) | undefined;
  let isOpen = true;
  const begin = async () => {
    if ((await reader.find(id, owner)) === undefined || !isOpen) return;
    stop = followRun(options, async (events) => {
      for (const event of events) {
        const message = progressText(event);
        if (message !== undefined) listener({ type: 'message', seq: event.seq, message });
      }
      const run = await reader.find(id, owner);
      if (run === undefined) {
        stop?.();
        return listener({ type: 'gone' });
      }
      if (taskStatus(run) === status) return;
      status = taskStatus(run);
      const state = await reader.state(run);
      if (isOpen) listener({ type: 'state', state });
    });
  };
  begin().catch(onError);
  return () => {
    isOpen = false;
    stop?.();
  };
}
