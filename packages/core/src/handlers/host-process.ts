import { type FetchBroker, type FetchDesk, openFetchDesk } from './answer-fetch.ts';
import type { HandlerFailure } from './handler-error.ts';
import type { HandlerProgram } from './handler-program.ts';
import { spawnHost } from './host-child.ts';
import { type FromHost, type HostTask, type LogLevel, MAX_RESULT_LENGTH } from './host-message.ts';

const START_TIMEOUT_MS = 10_000;
/** How long a host may take to say that it stopped a task; one in a loop never says it. */
const CANCEL_TIMEOUT_MS = 250;
/** A task that is not begun after this time stands behind something that does not yield. */
const STALL_MS = 50;
/** How long a host without running tasks may take to begin one, before it counts as stuck in what an old task left. */
const SILENCE_MS = 5000;

/** A task with what our process adds to it. */
export interface HostJob {
  task: HostTask;
  /** Tells programs apart; empty where the task needs none. */
  key: string;
  program?: HandlerProgram | undefined;
  /** From the moment at which the host begins the task. */
  timeoutMs: number;
  fetch?: FetchBroker | undefined;
  onLog?: ((level: LogLevel, text: string) => void) | undefined;
}

/** How a job ended. `lost` is the end of the host; `started` tells whether the job's code may have had effects. */
export type JobOutcome =
  | { type: 'done'; json: string }
  | { type: 'failed'; failure: HandlerFailure }
  | { type: 'lost'; started: boolean; cause: string };

/** One host process and the jobs in it. It lives until `kill`, or until it crashes. */
export interface HostProcess {
  /** Number of jobs in it, those included that it was told to drop and did not yet. */
  busy(): number;
  /** True while a job that was sent is not begun, so that more would only queue up behind it. */
  isStalled(): boolean;
  /** True when the program is there already. */
  knows(key: string): boolean;
  /** Number of programs that were sent to it. */
  programs(): number;
  run(job: HostJob): { outcome: Promise<JobOutcome>; cancel: () => void };
  /** Ends the process now, for no fault of the code in it; its jobs are lost. */
  close(cause: string): void;
}

/** What a host tells its pool. */
export interface HostEvents {
  /** A job began or ended: there may be room. */
  onChange: () => void;
  /** The host should get no more jobs. */
  onUnfit: () => void;
  /** The process is gone; `suspects` are the keys of the programs whose code may be why. */
  onEnd: (suspects: readonly string[]) => void;
}

interface ActiveJob {
  job: HostJob;
  sentAt: number;
  /** `opening`: its program's statements run; whatever they do, nothing is lost when they run again. */
  phase: (typeof phases)[number];
  timer: NodeJS.Timeout | undefined;
  desk: FetchDesk;
  resolve: (outcome: JobOutcome) => void;
}

const phases = ['sent', 'opening', 'started'] as const;
let lastId = 0;

/** Starts a host process. */
export function startHost(
  { folders, memoryMb }: { folders: readonly string[]; memoryMb: number },
  { onChange, onUnfit, onEnd }: HostEvents,
): HostProcess {
  const jobs = new Map<number, ActiveJob>();
  const stopping = new Map<number, { key: string; timer: NodeJS.Timeout }>();
  const known = new Set<string>();
  const unsent: number[] = [];
  let isReady = false;
  let killedFor: string | undefined;
  let isClosed = false;

  const child = spawnHost({ folders, memoryMb, onMessage: take, onEnd: end });
  const startTimer = setTimeout(() => kill('it did not start in time'), START_TIMEOUT_MS);

  function run(job: HostJob): { outcome: Promise<JobOutcome>; cancel: () => void } {
    const id = ++lastId;
    const { promise, resolve } = Promise.withResolvers<JobOutcome>();
    const desk = openFetchDesk(job.fetch, child.send);
    jobs.set(id, { job, sentAt: performance.now(), phase: 'sent', timer: undefined, desk, resolve });
    if (jobs.size === 1) child.setBusy(true);
    if (isReady) sendJob(id);
    else unsent.push(id);
    return { outcome: promise, cancel: () => stop(id) };
  }

  function sendJob(id: number): void {
    const active = jobs.get(id);
    if (active === undefined) return;
    const { key, program, task } = active.job;
    active.sentAt = performance.now();
    active.timer = setTimeout(() => takeSilence(id), SILENCE_MS);
    try {
      if (program !== undefined && !known.has(key)) child.send({ type: 'program', key, program });
      known.add(key);
      child.send({ type: 'task', id, key, task });
    } catch (error) {
      settle(id, { type: 'failed', failure: { code: 'HANDLER_ARGUMENT_INVALID', message: String(error) } });
    }
  }

  function take(message: FromHost): void {
    if (message.type === 'ready') {
      isReady = true;
      clearTimeout(startTimer);
      for (const id of unsent.splice(0)) sendJob(id);
    } else if (message.type === 'unfit') {
      onUnfit();
    } else if (message.type === 'abort-fetch') {
      for (const { desk } of jobs.values()) desk.abort(message.fetchId);
    } else if (message.type === 'cancelled') {
      clearTimeout(stopping.get(message.id)?.timer);
      stopping.delete(message.id);
      onChange();
    } else {
      takeFromJob(message);
    }
  }

  function takeFromJob(message: Extract<FromHost, { id: number }>): void {
    const active = jobs.get(message.id);
    if (active === undefined) return;
    switch (message.type) {
      case 'opening':
      case 'started':
        advance(message.id, active, message.type);
        break;
      case 'done':
        settle(message.id, checkSize(message.json));
        break;
      case 'failed':
        settle(message.id, { type: 'failed', failure: message.failure });
        break;
      case 'fetch':
        void active.desk.answer(message.fetchId, message.request);
        break;
      case 'log':
        active.job.onLog?.(message.level, message.text);
    }
  }

  /** A deadline runs from the last step forward; a message that repeats one, which no sound host sends, gains no time. */
  function advance(id: number, active: ActiveJob, phase: ActiveJob['phase']): void {
    if (phases.indexOf(phase) <= phases.indexOf(active.phase)) return;
    active.phase = phase;
    clearTimeout(active.timer);
    active.timer = setTimeout(() => takeDeadline(id), active.job.timeoutMs);
    onChange();
  }

  /** A job that waits for others to yield is safe: they have deadlines. One that waits for nobody would wait forever. */
  function takeSilence(id: number): void {
    const isOccupied = stopping.size > 0 || [...jobs.values()].some(({ phase }) => phase !== 'sent');
    if (isOccupied) jobs.get(id)?.timer?.refresh();
    else kill('it did not react');
  }

  function takeDeadline(id: number): void {
    const active = jobs.get(id);
    if (active === undefined) return;
    const { timeoutMs } = active.job;
    stopTask(id, active.job.key, 'another handler in it ran past its deadline and did not yield');
    onUnfit();
    settle(id, {
      type: 'failed',
      failure: {
        code: 'HANDLER_TIMEOUT',
        message: `The handler gave no answer within ${timeoutMs} ms`,
        hint: 'Check it for a loop or a wait without an end, or allow more time with SCHEMAKIT_HANDLER_TIMEOUT_MS.',
      },
    });
  }

  function stop(id: number): void {
    const active = jobs.get(id);
    if (active === undefined) return;
    if (active.timer !== undefined) {
      stopTask(id, active.job.key, 'another handler in it was cancelled and did not yield');
      onUnfit();
    }
    settle(id, { type: 'lost', started: active.phase === 'started', cause: 'it was cancelled' });
  }

  /** Has the host drop what is left of a task; a host that cannot even say so is ended. */
  function stopTask(id: number, key: string, cause: string): void {
    child.send({ type: 'cancel', id });
    stopping.set(id, { key, timer: setTimeout(() => kill(cause), CANCEL_TIMEOUT_MS) });
  }

  function settle(id: number, outcome: JobOutcome): void {
    const active = jobs.get(id);
    if (active === undefined) return;
    jobs.delete(id);
    clearTimeout(active.timer);
    active.desk.abortAll();
    active.resolve(outcome);
    if (jobs.size === 0) child.setBusy(false);
    onChange();
  }

  function kill(cause: string): void {
    killedFor ??= cause;
    child.kill();
  }

  function close(cause: string): void {
    isClosed = true;
    kill(cause);
  }

  function end(exitCause: string): void {
    const cause = killedFor ?? exitCause;
    clearTimeout(startTimer);
    for (const { timer } of stopping.values()) clearTimeout(timer);
    const running = [...jobs.values()].filter(({ phase }) => phase !== 'sent').map(({ job }) => job.key);
    onEnd(isClosed ? [] : [...running, ...[...stopping.values()].map(({ key }) => key)]);
    for (const [id, { phase }] of [...jobs]) settle(id, { type: 'lost', started: phase === 'started', cause });
  }

  return {
    busy: () => jobs.size + stopping.size,
    isStalled: () =>
      isReady &&
      [...jobs.values()].some(({ phase, sentAt }) => phase === 'sent' && performance.now() - sentAt > STALL_MS),
    knows: (key) => known.has(key),
    programs: () => known.size,
    run,
    close,
  };
}

function checkSize(json: string): JobOutcome {
  if (json.length <= MAX_RESULT_LENGTH) return { type: 'done', json };
  const message = `The handler's answer is larger than ${MAX_RESULT_LENGTH} characters of JSON.`;
  return { type: 'failed', failure: { code: 'HANDLER_RESULT_TOO_LARGE', message } };
}
