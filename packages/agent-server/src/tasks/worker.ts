import type { CallResult } from '@schemakit/server';
import type { OpenAgent } from '../manifest/open-agent.ts';
import type { UserAnswer } from '../run/built-in-tools.ts';
import type { RunEvent, RunStatus, RunStep } from '../run/events.ts';
import type { RunEnd } from '../run/next-step.ts';
import type { RunOptions } from '../run/run-agent.ts';
import { createRunState } from '../run/run-state.ts';
import { goOn, refusalOf } from '../serve/run-tool.ts';
import { LeaseLostError, type RunPhase, type RunStore, type StoredRun, UnreadableError } from '../store/run-store.ts';
import { appendSurely } from './append-surely.ts';
import type { WorkerCounts } from './run-metrics.ts';
import { parseEvents } from './task-state.ts';
import type { Every } from './timers.ts';

export interface WorkerOptions {
  store: RunStore;
  /** By the name of the MCP tool. Runs of other tools are left to other processes. */
  agents: ReadonlyMap<string, OpenAgent>;
  onEvent: (event: RunEvent, run: StoredRun) => void;
  /** Called when a run has ended, and its end is stored. One that was cancelled has failed, however far it got. */
  onResult: (taskId: string, result: CallResult) => unknown;
  onError: (error: unknown) => void;
  recordContent: boolean | undefined;
  awaitModel: RunOptions['awaitModel'];
  /** Runs at once. */
  maxRuns: number;
  /** How long requests in flight may take when it closes, in milliseconds. */
  graceMs: number;
  every: Every;
}

export interface Worker {
  counts(): WorkerCounts;
  /** Ends a run that was cancelled while it waited: it needs no worker with room. */
  end(id: string): Promise<void>;
  /** Hands its runs back. */
  close(): Promise<void>;
}

/** A run that this process works on. */
interface Job {
  id: string;
  fence: number;
  /** Its user has cancelled it. */
  cancel: AbortController;
  /** Another worker has it, or this one is closing: nothing more is sent or written. */
  stop: AbortController;
  isRenewing: boolean;
  done: Promise<void>;
}

const leaseMs = 5_000;
const renewMs = 1_600;
const lookMs = 2_000;
/** A run that has ended its worker so often would go on doing so. */
const maxKills = 20;

/** Works on the runs of a store: claims those that wait or whose worker is gone, and keeps its leases until they end. */
export function createWorker({ store, agents, onError, every, maxRuns, graceMs, ...options }: WorkerOptions): Worker {
  const jobs = new Set<Job>();
  const ended: Map<RunStatus | 'cancelled', number> = new Map();
  const handBack = new AbortController();
  /** Runs for those who have their keys. */
  const unreadable = new Set<string>();
  let looking: Promise<void> | undefined;
  let again = false;

  /** Claims runs as long as there is room. */
  const look = () => {
    again = true;
    looking ??= claimAll()
      .catch((error) => {
        // The store may be closed by then.
        if (!handBack.signal.aborted) onError(error);
      })
      .finally(() => {
        looking = undefined;
        if (again && hasRoom()) look();
      });
  };
  const hasRoom = () => !handBack.signal.aborted && jobs.size < maxRuns;
  const claimAll = async () => {
    while (again && hasRoom()) {
      again = false;
      const run = await store.claim({ leaseMs, tools: [...agents.keys()], except: [...unreadable] });
      if (run === undefined) continue;
      again = true;
      begin(run);
    }
  };
  const begin = (run: StoredRun) => {
    // This process was stopped for longer than its lease.
    for (const job of jobs) if (job.id === run.id) job.stop.abort(new LeaseLostError(`The lease of ${run.id} ran out`));
    const job: Job = {
      id: run.id,
      fence: run.fence,
      cancel: new AbortController(),
      stop: new AbortController(),
      isRenewing: false,
      done: Promise.resolve(),
    };
    jobs.add(job);
    job.done = work(run, job)
      .catch((error) => {
        if (!(error instanceof LeaseLostError)) onError(error);
      })
      .finally(() => {
        jobs.delete(job);
        look();
      });
  };

  /** Undefined, and the run waits again, if its journal cannot be read: then its work is not to blame. */
  const readJournal = async ({ id, fence }: StoredRun) => {
    try {
      const events = parseEvents(id, await store.read(id));
      return { events, answer: await store.readAnswer(id) };
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      unreadable.add(id);
      onError(new Error(`The run ${id} waits for a server that can read it: ${error.message}`));
      await store.append(id, { fence, entries: [], phase: 'waiting' });
      return undefined;
    }
  };

  const work = async (run: StoredRun, job: Job): Promise<void> => {
    const { id, fence } = run;
    const journal = await readJournal(run);
    if (journal === undefined) return;
    const { events } = journal;
    const [started] = events;
    const at: { from: number; phase: RunPhase } = { from: events.length, phase: 'running' };
    const write = async (event: RunEvent) => {
      job.stop.signal.throwIfAborted();
      at.phase = phaseAfter(event);
      const added = { ...at, fence, entries: [JSON.stringify(event)] };
      const { isCancelled } = await appendSurely(store, id, added, { signal: job.stop.signal, every });
      at.from += 1;
      if (isCancelled) job.cancel.abort();
      if (event.type !== 'run.ended') return;
      const status = job.cancel.signal.aborted ? 'cancelled' : event.status;
      ended.set(status, (ended.get(status) ?? 0) + 1);
    };
    const agent = agents.get(run.tool);
    if (agent === undefined || started?.type !== 'run.started') throw new Error(`The run ${id} cannot be read.`);
    const add = async (step: RunStep) => {
      const event = { ...step, runId: id, seq: at.from, time: agent.settings().clock().toISOString() };
      await write(event);
      options.onEvent(event, run);
      events.push(event);
    };
    const { args, depth, canAsk } = started;
    if (run.isCancelled) job.cancel.abort();
    const refusal = reasonToRefuse(run) ?? refusalOf(agent, args, depth);
    if (refusal !== undefined) {
      await add({ type: 'run.ended', ...failedEnd(refusal) });
      return void (await options.onResult(id, failedResult));
    }
    const { paused } = createRunState(events);
    if (events.length > 1 && paused === undefined) await add({ type: 'run.resumed' });
    const userAnswer = paused !== undefined && JSON.parse(journal.answer ?? '{"action":"cancel"}');
    try {
      const outcome = await goOn(
        agent,
        {
          journal: { runId: id, events, append: write },
          args,
          ...(userAnswer && { userAnswer: userAnswer as UserAnswer }),
        },
        {
          signal: AbortSignal.any([job.cancel.signal, job.stop.signal]),
          handBack: handBack.signal,
          onEvent: (event) => options.onEvent(event, run),
          canAsk: canAsk ?? false,
          depth: depth ?? 0,
          recordContent: options.recordContent,
          awaitModel: options.awaitModel,
        },
      );
      // Whoever goes on with it begins a trace of its own.
      if ('paused' in outcome) outcome.paused.trace?.end();
      if (at.phase === 'ended' && 'result' in outcome)
        await options.onResult(id, job.cancel.signal.aborted ? failedResult : outcome.result);
    } catch (error) {
      if (job.stop.signal.reason !== closing) throw error;
    }
    if (at.phase === 'running') await store.append(id, { fence, from: at.from, entries: [], phase: 'waiting' });
  };

  const renew = async (job: Job) => {
    // A store that is slow would get more and more of them, until it does nothing else.
    if (job.isRenewing) return;
    job.isRenewing = true;
    try {
      const { isCancelled } = await store.renew(job.id, job.fence, leaseMs);
      if (isCancelled) job.cancel.abort();
    } catch (error) {
      if (error instanceof LeaseLostError) job.stop.abort(error);
      else onError(error);
    } finally {
      job.isRenewing = false;
    }
  };
  const check = async ({ id, cancel }: Job) => {
    const run = await store.get(id);
    if (run?.isCancelled) cancel.abort();
  };
  const endCancelled = async (id: string) => {
    const run = handBack.signal.aborted ? undefined : await store.get(id);
    if (run === undefined || !agents.has(run.tool)) return;
    const claimed = await store.claimWaiting(id, leaseMs);
    if (claimed !== undefined) begin(claimed);
  };
  const endings = [
    every(lookMs, look),
    every(renewMs, () => {
      for (const job of jobs) void renew(job);
    }),
    store.watch((id, change) => {
      if (change === undefined || change.phase === 'waiting') look();
      // By whoever is first of those that hear of it.
      if (id !== undefined && change?.phase === 'waiting' && change.isCancelled) endCancelled(id).catch(onError);
      for (const job of jobs) {
        const isAbout = id === undefined || job.id === id;
        // What it wrote itself needs no look.
        if (isAbout && change?.isCancelled !== false && !job.cancel.signal.aborted) check(job).catch(onError);
      }
    }),
  ];
  look();

  return {
    counts: () => ({ running: jobs.size, ended }),
    end: endCancelled,
    async close() {
      handBack.abort();
      const done = async () => {
        await looking;
        await Promise.all([...jobs].map((job) => job.done));
      };
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const endGrace = every(graceMs, resolve);
      await Promise.race([done(), late]);
      endGrace();
      for (const { stop } of jobs) stop.abort(closing);
      await Promise.all([...jobs].map((job) => job.done));
      for (const end of endings) end();
    },
  };
}

const failedResult: CallResult = { content: [], isError: true };

const closing = new Error('The server is closing.');

function phaseAfter({ type }: RunEvent): RunPhase {
  if (type === 'run.ended') return 'ended';
  return type === 'run.paused' ? 'paused' : 'running';
}

function failedEnd(reason: string): RunEnd {
  return { status: 'error', answer: null, reason };
}

function reasonToRefuse({ isCancelled, kills }: StoredRun): string | undefined {
  if (isCancelled) return 'The run was cancelled.';
  if (kills <= maxKills) return undefined;
  return `The server ended ${kills} times while it worked on this run, which is not started again.`;
}
