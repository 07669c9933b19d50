import { randomBytes } from 'node:crypto';
import type { Assessment, AssessOptions, LayerName, LayerResult } from '@schemakit/validator';
import { finding, type ServiceFinding } from '../problems/finding.ts';
import { type Problem, toProblem } from '../problems/problem.ts';
import type { ReportStore } from '../reports/report-store.ts';
import type { Check, CheckInput } from './check.ts';
import type { JobQueue, RunOptions } from './job-queue.ts';

/** An assessment and where it is kept. */
export type CheckAnswer = Assessment & {
  /** Null if it could not be kept. */
  reportId: string | null;
  deleteToken: string | null;
  /** Why it could not be kept. */
  reportProblem?: ServiceFinding;
};

/** What happens to a job, numbered from 1. */
export type CheckEvent = { number: number } & (
  | { name: 'queued'; data: { position: number } }
  | { name: 'layer'; data: { name: LayerName; layer: LayerResult } }
  | { name: 'end'; data: CheckAnswer }
  | { name: 'problem'; data: Problem }
);

export interface CheckJob {
  /** Nobody can guess it. */
  id: string;
  /** The address as it was given. */
  url: string;
  /** All events after a number, as they happen. Ends after `end` or `problem`. */
  follow(after: number): AsyncGenerator<CheckEvent, void>;
  /** Whether nothing comes after an event. */
  isOver(after: number): boolean;
}

/** Assessments that run in the queue and are kept as reports. */
export interface CheckJobs {
  run(input: CheckInput, options: Pick<RunOptions, 'signal' | 'owner'>): Promise<CheckAnswer>;
  /** The same, to be followed. Ends even if nobody does. */
  start(input: CheckInput, owner: string): CheckJob;
  /** A job that runs, or ended less than five minutes ago. */
  find(id: string): CheckJob | undefined;
}

/** How long a client may take to come back for the rest of a stream, and how many ended jobs are remembered for that. */
const rememberMs = 5 * 60_000;
const maxRemembered = 100;

export function createCheckJobs({
  queue,
  check,
  reports,
  onEnd,
  onError,
}: {
  queue: JobQueue;
  check: Check;
  reports: ReportStore;
  onEnd: (input: CheckInput, assessment: Assessment) => void;
  onError: (error: unknown) => void;
}): CheckJobs {
  const jobs = new Map<string, CheckJob>();
  const remembered = new Map<string, NodeJS.Timeout>();

  function remember(id: string): void {
    remembered.set(id, setTimeout(forget, rememberMs, id).unref());
    const [oldest] = remembered.keys();
    if (remembered.size > maxRemembered && oldest !== undefined) forget(oldest);
  }

  function forget(id: string): void {
    clearTimeout(remembered.get(id));
    remembered.delete(id);
    jobs.delete(id);
  }

  function keep(assessment: Assessment, { url, headers, layers }: CheckInput): CheckAnswer {
    try {
      const { endpoint } = assessment.entries;
      const shown = typeof endpoint === 'string' ? endpoint : url;
      const isForBadge = Object.keys(headers ?? {}).length === 0 && layers === undefined;
      const { id: reportId, deleteToken } = reports.save(assessment, { url: shown, isForBadge });
      return { ...assessment, reportId, deleteToken };
    } catch (error) {
      onError(error);
      return { ...assessment, reportId: null, deleteToken: null, reportProblem: finding('SVC060') };
    }
  }

  function run(input: CheckInput, options: RunOptions & Pick<AssessOptions, 'onLayer'>): Promise<CheckAnswer> {
    const { onLayer, ...others } = options;
    return queue.run(async (signal) => {
      const assessment = await check(input, { signal, ...(onLayer && { onLayer }) });
      // What was seen until then is no report.
      signal.throwIfAborted();
      onEnd(input, assessment);
      return keep(assessment, input);
    }, others);
  }

  return {
    run,
    find: (id) => jobs.get(id),
    start(input, owner) {
      const id = randomBytes(16).toString('base64url');
      const { add, ...log } = createEventLog();
      const answer = run(input, {
        owner,
        onPlace: (position) => add({ name: 'queued', data: { position } }),
        onLayer: (name, layer) => add({ name: 'layer', data: { name, layer } }),
      });
      answer
        .then(
          (data) => add({ name: 'end', data }),
          (error: unknown) => add({ name: 'problem', data: toProblem(error) }),
        )
        .then(() => remember(id));
      const job = { id, url: input.url, ...log };
      jobs.set(id, job);
      return job;
    },
  };
}

type NewEvent = CheckEvent extends infer Event ? (Event extends CheckEvent ? Omit<Event, 'number'> : never) : never;

/** The events of a job, which several clients may read. */
function createEventLog(): Omit<CheckJob, 'id' | 'url'> & { add(event: NewEvent): void } {
  const events: CheckEvent[] = [];
  let last = 0;
  let added = Promise.withResolvers<void>();
  return {
    add(event) {
      // Only the last place in the queue matters.
      if (events.at(-1)?.name === 'queued' && event.name === 'queued') events.pop();
      last += 1;
      events.push({ ...event, number: last } as CheckEvent);
      added.resolve();
      added = Promise.withResolvers();
    },
    async *follow(after) {
      let seen = after;
      for (;;) {
        const next = events.find(({ number }) => number > seen);
        if (next === undefined) {
          await added.promise;
          continue;
        }
        seen = next.number;
        yield next;
        if (isLast(next)) return;
      }
    },
    isOver(after) {
      const end = events.at(-1);
      return end !== undefined && isLast(end) && end.number <= after;
    },
  };
}

function isLast({ name }: CheckEvent): boolean {
  return name === 'end' || name === 'problem';
}
