import type { TaskState } from '@schemakit/server';
import type { RunEvent } from '../run/events.ts';
import { createRunState } from '../run/run-state.ts';
import { elicit } from '../serve/elicitation.ts';
import { progressText } from '../serve/progress-text.ts';
import { runResult } from '../serve/run-result.ts';
import type { StoredRun } from '../store/run-store.ts';

/** How often clients should ask, in milliseconds. */
const pollIntervalMs = 1_000;

/** A stored run as a task. Once somebody has cancelled it, it is cancelled, however far its worker gets. */
export function taskState(run: StoredRun, events: readonly RunEvent[]): TaskState {
  const { id, createdAt, updatedAt, expiresAt, phase, isCancelled } = run;
  const state = createRunState(events);
  const statusMessage = events.map(progressText).findLast((text) => text !== undefined);
  const task = {
    taskId: id,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs: expiresAt - createdAt,
    pollIntervalMs,
  };
  if (isCancelled) return { ...task, status: 'cancelled' };
  if (phase === 'ended') return { ...task, status: 'completed', result: runResult(id, state) };
  if (phase === 'paused' && state.paused !== undefined) {
    const inputRequests = elicit(state.paused.question, questionKey(state.paused));
    return { ...task, status: 'input_required', inputRequests };
  }
  return { ...task, status: 'working' };
}

/** The key of a question, which a task uses once. */
export function questionKey({ seq }: { seq: number }): string {
  return `question-${seq}`;
}

/** Events from the entries of a journal. */
export function parseEvents(entries: readonly string[]): RunEvent[] {
  return entries.map((entry) => JSON.parse(entry) as RunEvent);
}
