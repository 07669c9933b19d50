import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { guardHost, watchMemory } from './host-guard.ts';
import type { FromHost, HostCommand, HostJob, JobLink, JobOutcome, LostJob } from './host-job.ts';

const START_TIMEOUT_MS = 10_000;
/** A job that is not begun after this time stands behind code that does not yield; the first one may wait for libraries to load. */
const BEGIN_TIMEOUT_MS = 1500;
/** How long a host has to have been idle before it is asked whether it still reacts, and how long it may take to answer. */
const REST_MS = 500;
const REST_TIMEOUT_MS = 4500;
/** After so many programs a host is replaced: what it loaded is never given back. */
const MAX_PROGRAMS = 500;
const MAX_ERROR_TEXT = 2000;

interface ActiveJob<Result, Failure, Content> {
  job: HostJob<Content>;
  link: JobLink<Content> | undefined;
  phase: 'waiting' | 'opening' | 'started';
  /** Set while the host is asked to drop it. */
  stopped: 'late' | 'cancelled' | undefined;
  timer: NodeJS.Timeout | undefined;
  resolve: (outcome: JobOutcome<Result, Failure>) => void;
}

export interface HostOptions<Result, Failure, Content> {
  /** Reads a message of the host, which may run code of strangers; undefined for one that is not understood. */
  read: (message: unknown) => FromHost<Result, Failure, Content> | undefined;
  /** How long the host may take to drop a job before it is ended; 0 ends it at once. */
  graceMs: number;
  /** A job began or ended. */
  onChange: () => void;
  /** The host should get no more jobs. */
  onUnfit: () => void;
  /** The process is gone; jobs are settled afterwards. */
  onEnd: () => void;
}

let lastId = 0;

/** A host process and its jobs. It keeps this process alive only while it has some. */
export class HostProcess<Result, Failure, Content> {
  readonly #command: HostCommand;
  readonly #options: HostOptions<Result, Failure, Content>;
  readonly #child: ChildProcess;
  readonly #jobs = new Map<number, ActiveJob<Result, Failure, Content>>();
  readonly #programs = new Set<string>();
  readonly #memory: { stop: () => void };
  #restTimer: NodeJS.Timeout;
  #isReady = false;
  #hasBegun = false;
  #isOver = false;
  #isTooLarge = false;
  #killed: Pick<LostJob, 'reason' | 'cause'> | undefined;
  #errorText = '';

  constructor(command: HostCommand, options: HostOptions<Result, Failure, Content>) {
    this.#command = command;
    this.#options = options;
    const child = spawn(process.execPath, command.args, {
      env: {},
      cwd: command.folder,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
    this.#child = child;
    guardHost(child);
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#errorText = (this.#errorText + chunk.toString()).slice(-MAX_ERROR_TEXT);
    });
    child.on('message', (message) => {
      const read = options.read(message);
      if (read !== undefined && !this.#isOver) this.#take(read);
    });
    child.on('error', (error) => this.#end(`it could not be started or reached: ${error.message}`));
    // Not `exit`: the error text has to be there.
    child.on('close', (code, signal) =>
      this.#end(signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`),
    );
    // Also while it has no jobs: what one left behind may go on.
    this.#memory = watchMemory(child.pid, {
      limitMb: command.memoryMb,
      onExceed: () => {
        this.#isTooLarge = true;
        this.kill('it needed too much memory');
      },
    });
    this.#restTimer = setTimeout(() => this.kill('it did not start in time'), START_TIMEOUT_MS);
  }

  /** Number of jobs in it, those included that it was told to drop and has not yet. */
  get jobs(): number {
    return this.#jobs.size;
  }

  /** True while it is to drop a job: whether it can go on is not known yet. */
  get isStopping(): boolean {
    return [...this.#jobs.values()].some(({ stopped }) => stopped !== undefined);
  }

  run(job: HostJob<Content>): { outcome: Promise<JobOutcome<Result, Failure>>; cancel: () => void } {
    const id = ++lastId;
    const { promise, resolve } = Promise.withResolvers<JobOutcome<Result, Failure>>();
    const link = job.open?.((message) => this.#send(message));
    this.#jobs.set(id, { job, link, phase: 'waiting', stopped: undefined, timer: undefined, resolve });
    this.#keepAlive(true);
    if (this.#isReady) this.#sendJob(id);
    return { outcome: promise, cancel: () => this.#stop(id, 'cancelled') };
  }

  /** Ends the process now; its jobs are lost. */
  kill(cause: string, reason: LostJob['reason'] = 'crash'): void {
    this.#killed ??= { reason, cause };
    // Its end comes at once, and somebody may wait to see it.
    this.#keepAlive(true);
    this.#child.kill('SIGKILL');
  }

  #sendJob(id: number): void {
    const active = this.#jobs.get(id);
    if (active === undefined) return;
    clearTimeout(this.#restTimer);
    const { task, program } = active.job;
    active.timer = setTimeout(() => this.#moveOn(id), this.#hasBegun ? BEGIN_TIMEOUT_MS : START_TIMEOUT_MS);
    try {
      if (program !== undefined && !this.#programs.has(program.key)) {
        this.#send({ type: 'program', key: program.key, ...program.message });
        this.#programs.add(program.key);
        if (this.#programs.size >= MAX_PROGRAMS) this.#options.onUnfit();
      }
      this.#send({ type: 'task', id, ...task });
    } catch (error) {
      this.#settle(id, { type: 'unsendable', message: String(error) });
    }
  }

  #send(message: object): void {
    // The callback takes the error of a channel that closes just now; the end of the process settles what waits.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  #take(message: FromHost<Result, Failure, Content>): void {
    switch (message.type) {
      case 'ready':
        this.#isReady = true;
        clearTimeout(this.#restTimer);
        for (const id of [...this.#jobs.keys()]) this.#sendJob(id);
        break;
      case 'pong':
        clearTimeout(this.#restTimer);
        break;
      case 'unfit':
        this.#options.onUnfit();
        break;
      default:
        this.#takeFromJob(message);
    }
  }

  #takeFromJob(message: Extract<FromHost<Result, Failure, Content>, { id: number }>): void {
    const { id } = message;
    const active = this.#jobs.get(id);
    if (active === undefined) return;
    if (message.type === 'cancelled') {
      // What is left of its code may go on in there.
      if (!message.settled) this.#options.onUnfit();
      this.#settle(id, this.#outcomeOfStopped(active));
    } else if (active.stopped !== undefined) {
      // It was given up; only the end of its code is still of interest.
    } else if (message.type === 'done') {
      this.#settle(id, { type: 'done', result: message.result });
    } else if (message.type === 'failed') {
      this.#settle(id, { type: 'failed', failure: message.failure });
    } else if (message.type === 'said') {
      active.link?.take(message.content);
    } else {
      this.#advance(id, active, message.type);
    }
  }

  /** A message that repeats a step, which no sound host sends, gains no time. */
  #advance(id: number, active: ActiveJob<Result, Failure, Content>, phase: 'opening' | 'started'): void {
    if (active.phase === phase || active.phase === 'started') return;
    if (active.phase === 'waiting') {
      // The jobs that are begun stand behind the others in the order in which they began.
      this.#jobs.delete(id);
      this.#jobs.set(id, active);
    }
    active.phase = phase;
    this.#hasBegun = true;
    clearTimeout(active.timer);
    active.timer = setTimeout(() => this.#stop(id, 'late'), active.job.timeoutMs);
    this.#options.onChange();
  }

  /** Code that does not yield keeps a job from being begun: it goes to another host, and this one ends after its other jobs. */
  #moveOn(id: number): void {
    this.#options.onUnfit();
    this.#send({ type: 'cancel', id });
    this.#settle(id, { type: 'lost', again: 'anywhere', reason: 'crash', cause: 'it did not react' });
  }

  /** Has the host drop a job. One that does not even answer this is ended. */
  #stop(id: number, why: 'late' | 'cancelled'): void {
    const active = this.#jobs.get(id);
    if (active === undefined || active.stopped !== undefined) return;
    active.stopped = why;
    active.link?.close();
    clearTimeout(active.timer);
    const { graceMs } = this.#options;
    const cause = `another job in it ${why === 'late' ? 'ran past its deadline' : 'was cancelled'} and did not yield`;
    if (!this.#isReady) this.#settle(id, this.#outcomeOfStopped(active));
    else if (graceMs === 0) this.kill(cause);
    else {
      this.#send({ type: 'cancel', id });
      active.timer = setTimeout(() => this.kill(cause), graceMs);
    }
  }

  #settle(id: number, outcome: JobOutcome<Result, Failure>): void {
    const active = this.#jobs.get(id);
    if (active === undefined) return;
    this.#jobs.delete(id);
    clearTimeout(active.timer);
    active.link?.close();
    active.resolve(outcome);
    if (this.#jobs.size === 0 && !this.#isOver) this.#rest();
    this.#options.onChange();
  }

  /** Code that goes on after its job has no deadline: an idle host that does not react is ended. */
  #rest(): void {
    this.#keepAlive(false);
    if (!this.#isReady) return;
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => {
      this.#send({ type: 'ping' });
      this.#restTimer = setTimeout(() => this.kill('it did not react'), REST_TIMEOUT_MS).unref();
    }, REST_MS).unref();
  }

  #end(exit: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#restTimer);
    this.#memory.stop();
    this.#options.onEnd();
    const loss = this.#loss(exit);
    const outcomes = [...this.#jobs].map(([id, active]) => ({ id, outcome: this.#outcomeOfLoss(active, loss) }));
    for (const { id, outcome } of outcomes) this.#settle(id, outcome);
  }

  #loss(exit: string): LostJob {
    const { heapMb, memoryMb = heapMb, memoryMark = 'heap out of memory' } = this.#command;
    const isHeap = this.#errorText.includes('heap out of memory');
    if (isHeap || this.#isTooLarge || this.#errorText.includes(memoryMark)) {
      const limit = this.#isTooLarge ? memoryMb : heapMb;
      return { type: 'lost', reason: 'memory', cause: `it needed more than ${limit} MiB of memory` };
    }
    const error = this.#errorText.split('\n').find((line) => /^\w*Error/.test(line));
    const cause = error === undefined ? exit : `${exit}: ${error}`;
    return { type: 'lost', ...(this.#killed ?? { reason: 'crash', cause }) };
  }

  #outcomeOfLoss(active: ActiveJob<Result, Failure, Content>, loss: LostJob): JobOutcome<Result, Failure> {
    if (active.phase === 'waiting') return { ...loss, again: this.#isReady ? 'anywhere' : undefined };
    const begun = [...this.#jobs.values()].filter(({ phase }) => phase !== 'waiting');
    // Code that loops lets no other job begin, so a late job is not to blame where one began after it.
    const isCulprit = begun.length === 1 || (active.stopped === 'late' && begun.at(-1) === active);
    if (isCulprit || active.link?.isRepeatable() !== true) {
      return active.stopped === undefined ? loss : this.#outcomeOfStopped(active);
    }
    return { ...loss, again: 'alone' };
  }

  #outcomeOfStopped({ stopped }: ActiveJob<Result, Failure, Content>): JobOutcome<Result, Failure> {
    return stopped === 'late' ? { type: 'late' } : { type: 'lost', reason: 'aborted', cause: 'it was cancelled' };
  }

  #keepAlive(keep: boolean): void {
    const { stderr, channel } = this.#child;
    for (const handle of [this.#child, channel, stderr instanceof Socket ? stderr : undefined]) {
      if (keep) handle?.ref();
      else handle?.unref();
    }
  }
}
