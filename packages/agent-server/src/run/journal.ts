import type { RunEvent, RunStep } from './events.ts';

/** Adds a step to the journal of a run. Resolves when it is stored. */
export type Append = (step: RunStep) => Promise<void>;

/** Where the events of one run are stored. */
export interface Journal {
  readonly runId: string;
  /** The events that are there when the run starts or goes on. */
  readonly events: readonly RunEvent[];
  append(event: RunEvent): void | Promise<void>;
}

/** A journal that lives as long as its run. */
export function createMemoryJournal(runId: string): Journal {
  const events: RunEvent[] = [];
  return { runId, events, append: (event) => void events.push(event) };
}

/**
 * Makes the function that adds steps: it numbers them, stores them, and passes them on.
 *
 * @param options.onEvent Receives each event after it is stored.
 */
export function createAppend(
  journal: Journal,
  { clock, onEvent }: { clock: () => Date; onEvent: (event: RunEvent) => void },
): Append {
  let seq = journal.events.length;
  let last = Promise.resolve();
  return (step) => {
    const event: RunEvent = { ...step, runId: journal.runId, seq, time: clock().toISOString() };
    seq += 1;
    // One after the other: calls of one round end at the same time, and storing may take differently long.
    last = last.then(() => journal.append(event)).then(() => onEvent(event));
    return last;
  };
}
