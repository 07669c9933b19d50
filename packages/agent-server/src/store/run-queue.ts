import { randomUUID } from 'node:crypto';
import { type IQueueBackend, withBackend } from 'bullmq';

/** The jobs of runs that wait for a worker. Who has a run, and for how long, is in the run itself. */
export interface RunQueue {
  /** Makes the job of a run; one, however often it is called. */
  add(run: QueuedRun): Promise<void>;
  /** The first job of all these tools, which others do not get until it is done, postponed or given back. */
  next(tools: readonly string[]): Promise<RunJob | undefined>;
  /** Deletes the job of a run that needs no worker any more. One that a worker has just taken is left to it. */
  remove(run: QueuedRun): Promise<void>;
  close(): Promise<void>;
}

/** A run as it waits: each time that it waits it has another `fence`. */
export interface QueuedRun {
  id: string;
  tool: string;
  fence: number;
  priority?: number;
}

export interface RunJob {
  id: string;
  fence: number;
  /** When it was queued, in milliseconds since 1970. */
  queuedAt: number;
  done(): Promise<unknown>;
  /** Lets workers have it after `ms` milliseconds. */
  postpone(ms: number): Promise<unknown>;
  /** Lets workers have it at once, before others of its priority. */
  giveBack(): Promise<unknown>;
}

interface JobData {
  id: string;
  fence: number;
}

/** How long a worker has a job that it has taken, and how often workers look for those whose time is over. */
export const queueSettings = {
  lockDuration: 5_000,
  stalledInterval: 2_000,
  // How often a worker is lost counts in the run: no job fails.
  maxStalledCount: 1_000_000,
  // Nobody reads events: waiting servers are told by the store.
  streams: { events: { maxLen: 100 } },
};

/**
 * Runs that wait, in queues of BullMQ: one for each tool, named `schemakit-<tool>`. All share the connection of `root`, as no queue waits
 * for its next job: workers are told by the store that there is one.
 *
 * @param root Of {@link queueSettings}.
 */
export function createRunQueue(root: IQueueBackend): RunQueue {
  const bullmq = withBackend((name) => root.forQueue(name));
  const options = { ...queueSettings, connection: {} };
  const queueOf = once((tool) => {
    const queue = new bullmq.Queue<JobData>(nameOf(tool), options);
    queue.on('error', toldElsewhere);
    return queue;
  });
  const workers: { close(force: boolean): Promise<void> }[] = [];
  const workerOf = once((tool) => {
    const worker = new bullmq.Worker<JobData>(nameOf(tool), null, { ...options, autorun: false });
    worker.on('error', toldElsewhere);
    void worker.startStalledCheckTimer();
    workers.push(worker);
    return worker;
  });
  /** Those that have runs, by the first of each. One that was postponed counts: only its own queue knows whether its time has come. */
  const byFirst = async (tools: readonly string[]) => {
    const found = tools.map(async (tool) => {
      const jobs = await queueOf(tool).getJobs(['wait', 'prioritized', 'delayed'], 0, 0, true);
      return jobs.map(({ priority, timestamp }) => ({ tool, priority, timestamp }));
    });
    const firsts = (await Promise.all(found)).flat();
    firsts.sort((a, b) => a.priority - b.priority || a.timestamp - b.timestamp);
    return new Set(firsts.map(({ tool }) => tool));
  };

  return {
    async add({ id, tool, fence, priority = 0 }) {
      // Of two with one priority, a run that has begun goes first.
      const rank = (9 - priority) * 2 + (fence === 0 ? 2 : 1);
      const settings = { jobId: jobId(id, fence), priority: rank, removeOnComplete: true, removeOnFail: true };
      await queueOf(tool).add('run', { id, fence }, settings);
    },
    async next(tools) {
      // Each looks after its jobs that were taken and not released, also while no other waits.
      for (const tool of tools) workerOf(tool);
      for (const tool of tools.length === 1 ? tools : await byFirst(tools)) {
        const token = randomUUID();
        const job = await workerOf(tool).getNextJob(token, { block: false });
        if (job === undefined) continue;
        return {
          ...job.data,
          queuedAt: job.timestamp,
          done: () => job.moveToCompleted(undefined, token, false),
          postpone: (ms) => job.moveToDelayed(Date.now() + ms, token),
          giveBack: () => job.moveToWait(token),
        };
      }
      return undefined;
    },
    async remove({ id, tool, fence }) {
      await queueOf(tool)
        .remove(jobId(id, fence))
        .catch((error: { code?: unknown }) => {
          // What BullMQ itself answers has a number: the job is gone, or a worker has it.
          if (typeof error.code !== 'number') throw error;
        });
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.close(true)));
      await root.close();
    },
  };
}

const nameOf = (tool: string) => `schemakit-${tool}`;
const jobId = (id: string, fence: number) => `${id}-${fence}`;

/** Who calls a method is told of its failure, too. */
const toldElsewhere = () => {};

/** Makes one for each key, when it is first asked for. */
function once<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}
