import type { TaskState, TaskStatus } from '@schemakit/server';
import type { RunEvent } from '../run/events.ts';
import { createRunState } from '../run/run-state.ts';
import { elicit } from '../serve/elicitation.ts';
import { progressText } from '../serve/progress-text.ts';
import { runResult } from '../serve/run-result.ts';
import { type StoredRun, UnreadableError } from '../store/run-store.ts';

/** How often clients should ask, in milliseconds. */
const pollIntervalMs = 1_000;

/** The status of a stored run as a task. Once somebody has cancelled it, it is cancelled, however far its worker gets. */
export function taskStatus({ phase, isCancelled }: StoredRun): TaskStatus {
  if (isCancelled) return 'cancelled';
  if (phase === 'ended') return 'completed';
  return phase === 'paused' ? 'input_required' : 'working';
}

/** A stored run as a task, with what its events say about it. */
export function taskState(
  run: StoredRun,
  events: readonly RunEvent[],
  statusMessage: string | undefined = lastMessage(events),
): TaskState {
  const { id, createdAt, updatedAt, expiresAt } = run;
  const status = taskStatus(run);
  const message = status === 'cancelled' ? 'Cancelled by the client.' : statusMessage;
  const { paused, ...state } = createRunState(events);
  return {
    taskId: id,
    status,
    ...(message !== undefined && { statusMessage: message }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs: expiresAt - createdAt,
    pollIntervalMs,
    ...(status === 'completed' && { result: runResult(id, state) }),
    ...(status === 'input_required' && paused && { inputRequests: elicit(paused.question, questionKey(paused)) }),
  };
}

/** The last of the messages that events are to people. */
export function lastMessage(events: readonly RunEvent[]): string | undefined {
  return events.map(progressText).findLast((text) => text !== undefined);
}

/** The key of a question, which a task uses once. */
export function questionKey({ seq }: { seq: number }): string {
  return `question-${seq}`;
}

/**
 * Events from the entries of a journal.
 *
 * @throws {@link UnreadableError} if they are damaged.
 */
export function parseEvents(id: string, entries: readonly string[]): RunEvent[] {
  try {
    return entries.map((entry) => JSON.parse(entry) as RunEvent);
  } catch (error) {
    throw new UnreadableError(`Cannot read the journal of run ${id}: it is damaged`, { cause: error });
  }
}
