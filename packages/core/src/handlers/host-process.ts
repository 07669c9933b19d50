import { lengthOf, type ResultText } from './answer-apart.ts';
import { type FetchDesk, openFetchDesk } from './answer-fetch.ts';
import { lateFailure } from './handler-error.ts';
import type { SpawnHost } from './host-child.ts';
import type { HostJob, JobOutcome, LostJob } from './host-job.ts';
import { watchLoad } from './host-load.ts';
import { type FromHost, MAX_RESULT_LENGTH } from './host-message.ts';
import { watchPulse } from './host-pulse.ts';

const START_TIMEOUT_MS = 10_000;
/** How long a host may take to say that it stopped a task; one in a loop never says it. */
const CANCEL_TIMEOUT_MS = 500;
/** A task that is not begun after this time stands behind something that does not yield. */
const STALL_MS = 50;
/** How long a host without running tasks may take to begin one, before it counts as stuck in what an old task left. */
const SILENCE_MS = 1500;

/** One host process and the jobs in it. It lives until `kill`, or until it crashes. */
export interface HostProcess {
  /** Number of jobs in it, those included that it was told to drop and did not yet. */
  busy(): number;
  /** True while a job that was sent is not begun, or one is being stopped, so that more would only queue up behind it. */
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
  /** The host crashed or hangs; one of the programs with these keys is why. */
  onSuspects: (keys: readonly string[]) => void;
  /** The process is gone. */
  onEnd: () => void;
}

interface ActiveJob {
  job: HostJob;
  sentAt: number;
  begunAt: number | undefined;
  /** `opening`: its program's statements run; whatever they do, nothing is lost when they run again. */
  phase: (typeof phases)[number];
  timer: NodeJS.Timeout | undefined;
  desk: FetchDesk;
  resolve: (outcome: JobOutcome) => void;
}

const phases = ['sent', 'opening', 'started'] as const;
let lastId = 0;

/** Starts a host. @param spawn - What it is: a process, or a thread with VMs. */
export function startHost(
  { spawn, folders, memoryMb }: { spawn: SpawnHost; folders: readonly string[]; memoryMb: number },
  { onChange, onUnfit, onSuspects, onEnd }: HostEvents,
): HostProcess {
  const jobs = new Map<number, ActiveJob>();
  const stopping = new Map<number, { key: string; timer: NodeJS.Timeout }>();
  const known = new Set<string>();
  /** Programs with calls that ended, and when, as long as it is not sure that no code of them is left and runs. */
  const ended = new Map<string, number>();
  const unsent: number[] = [];
  let isReady = false;
  let killedFor: string | undefined;
  let isClosed = false;

  const child = spawn({ folders, memoryMb, onMessage: take, onEnd: end });
  const pulse = watchPulse({ ping: () => child.send({ type: 'ping' }), onStall: takeStall });
  const isLoaded = watchLoad();
  const startTimer = setTimeout(() => kill('it did not start in time'), START_TIMEOUT_MS);

  function run(job: HostJob): { outcome: Promise<JobOutcome>; cancel: () => void } {
    const id = ++lastId;
    const { promise, resolve } = Promise.withResolvers<JobOutcome>();
    const desk = openFetchDesk(job.fetch, child.send);
    const sentAt = performance.now();
    jobs.set(id, { job, sentAt, begunAt: undefined, phase: 'sent', timer: undefined, desk, resolve });
    if (jobs.size === 1) child.setBusy(true);
    watchOver();
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
      watchOver();
    } else if (message.type === 'pong') {
      forgetEnded(pulse.beat());
      if (isLoaded(message.cpuMs, { isIdle: jobs.size + stopping.size === 0 }))
        kill('something in it went on after its call');
    } else if (message.type === 'leftover') {
      takeLeftover(message.key);
    } else if (message.type === 'unfit') {
      onUnfit();
    } else if (message.type === 'abort-fetch') {
      for (const { desk } of jobs.values()) desk.abort(message.fetchId);
    } else if (message.type === 'cancelled') {
      clearTimeout(stopping.get(message.id)?.timer);
      stopping.delete(message.id);
      // What is left of its code may go on in there.
      if (!message.settled) onUnfit();
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
        settle(message.id, checkSize(message));
        break;
      case 'failed':
        settle(message.id, { type: 'failed', failure: message.failure });
        break;
      case 'fetch':
        void active.desk.answer(message.fetchId, message.request);
        break;
      case 'log':
        active.job.onLog?.(message.level, message.text);
        break;
      case 'secret':
        active.job.onSecret?.(message.use, message.name);
    }
  }

  /** A deadline runs from the last step forward; a message that repeats one, which no sound host sends, gains no time. */
  function advance(id: number, active: ActiveJob, phase: ActiveJob['phase']): void {
    if (phases.indexOf(phase) <= phases.indexOf(active.phase)) return;
    active.phase = phase;
    active.begunAt ??= performance.now();
    forgetEnded(active.sentAt);
    clearTimeout(active.timer);
    active.timer = setTimeout(() => takeDeadline(id), active.job.timeoutMs);
    onChange();
  }

  /** A job that waits for others to yield is safe: they have deadlines. One that waits for what a call left waits forever. */
  function takeSilence(id: number): void {
    const isOccupied = stopping.size > 0 || begun().length > 0;
    if (isOccupied) jobs.get(id)?.timer?.refresh();
    else kill('it did not react');
  }

  function takeDeadline(id: number): void {
    const active = jobs.get(id);
    if (active === undefined) return;
    const { timeoutMs, limitMs = timeoutMs } = active.job;
    stopTask(id, active.job.key, 'another handler in it ran past its deadline and did not yield');
    settle(id, { type: 'failed', failure: lateFailure(limitMs) });
  }

  function stop(id: number): void {
    const active = jobs.get(id);
    if (active === undefined) return;
    if (active.timer !== undefined) {
      stopTask(id, active.job.key, 'another handler in it was cancelled and did not yield');
    }
    settle(id, lost(active, 'it was cancelled'));
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
    if (active.begunAt !== undefined) ended.set(active.job.key, performance.now());
    watchOver();
    if (jobs.size === 0) child.setBusy(false);
    onChange();
  }

  /**
   * Something in the host does not yield, and what it is cannot be seen from here: all calls that may run again do so, each
   * alone, where the one that hangs meets its own deadline. The others stay, since a long computation has an end.
   */
  function takeStall(): void {
    const cause = 'something in it did not yield to the others';
    const moved = outcomesOfLoss(cause).filter(({ outcome }) => outcome.again !== 'never');
    if (moved.length === 0 && jobs.size > 0) return;
    blame(suspects());
    moveOut(moved, cause);
  }

  /** A call is over and keeps threads busy, for which the others would wait. None of them is to blame for it. */
  function takeLeftover(key: string): void {
    const cause = 'work went on in it after its call';
    const moved = [...jobs].map(([id, active]) => ({ id, outcome: lost(active, cause, { isSuspect: false }) }));
    blame([key]);
    moveOut(
      moved.filter(({ outcome }) => outcome.again !== 'never'),
      cause,
    );
  }

  /** Takes these calls out of the host, which gets no others and ends after those that stay. */
  function moveOut(moved: { id: number; outcome: LostJob }[], cause: string): void {
    onUnfit();
    for (const { id, outcome } of moved) {
      child.send({ type: 'cancel', id });
      settle(id, outcome);
    }
    // Who is to blame was said; these have only left.
    ended.clear();
    if (jobs.size === 0) kill(cause);
  }

  /** Whose code may be running: that of calls which go on, which are being stopped, or which have just ended. */
  function suspects(): string[] {
    return [...begun().map(({ job }) => job.key), ...[...stopping.values()].map(({ key }) => key), ...ended.keys()];
  }

  function blame(keys: readonly string[]): void {
    onSuspects(keys);
    ended.clear();
  }

  /** The host has reacted to something that was sent at this time: what ended before is over. */
  function forgetEnded(sentAt: number | undefined): void {
    if (sentAt === undefined) return;
    for (const [key, endedAt] of ended) if (endedAt < sentAt) ended.delete(key);
  }

  /** A call that is alone may take all its time. Several must be answered, and a host without any must be quiet. */
  function watchOver(): void {
    pulse.setOn(isReady && jobs.size !== 1);
  }

  function outcomesOfLoss(cause: string): { id: number; outcome: LostJob }[] {
    return [...jobs].map(([id, active]) => ({ id, outcome: lost(active, cause) }));
  }

  function begun(): ActiveJob[] {
    return [...jobs.values()].filter(({ phase }) => phase !== 'sent');
  }

  function lost(
    { job, phase, begunAt, desk }: ActiveJob,
    cause: string,
    { isSuspect = true }: { isSuspect?: boolean } = {},
  ): LostJob {
    const usedMs = begunAt === undefined ? 0 : performance.now() - begunAt;
    const isCulprit = isSuspect && suspects().every((key) => key === job.key) && begun().length + stopping.size === 1;
    const again = phase === 'sent' ? 'anywhere' : isCulprit || desk.hasChanged() ? 'never' : 'alone';
    return { type: 'lost', again, usedMs, cause };
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
    isReady = false;
    pulse.setOn(false);
    const outcomes = outcomesOfLoss(cause);
    if (!isClosed) blame(suspects());
    onEnd();
    for (const { id, outcome } of outcomes) settle(id, outcome);
  }

  return {
    busy: () => jobs.size + stopping.size,
    isStalled: () =>
      stopping.size > 0 ||
      (isReady &&
        [...jobs.values()].some(({ phase, sentAt }) => phase === 'sent' && performance.now() - sentAt > STALL_MS)),
    knows: (key) => known.has(key),
    programs: () => known.size,
    run,
    close,
  };
}

function checkSize({ json, answer }: ResultText): JobOutcome {
  const result: ResultText = { json, ...(answer && { answer }) };
  const length = lengthOf(result);
  if (length <= MAX_RESULT_LENGTH) return { type: 'done', ...result };
  const message = `The handler's answer has ${length} characters of JSON; at most ${MAX_RESULT_LENGTH} are taken.`;
  return { type: 'failed', failure: { code: 'HANDLER_RESULT_TOO_LARGE', message } };
}
