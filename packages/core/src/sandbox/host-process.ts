import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { killOnExit, watchMemory } from './watchdog.ts';

const START_TIMEOUT_MS = 10_000;
/** Other code blocks a host in which a job does not start in this time. The first job gets longer: libraries may have to load. */
const JOB_START_TIMEOUT_MS = 1500;
/** A host that has been idle for this long gets a ping. */
const IDLE_PING_MS = 500;
const PONG_TIMEOUT_MS = 4500;
/** A host is replaced after this many programs, because it never frees their memory. */
const MAX_PROGRAMS = 500;
const MAX_ERROR_TEXT = 2000;

/** How to start a host process. */
export interface HostCommand {
  args: readonly string[];
  folder: string;
  /** Heap limit in `args`, in MiB, for messages. */
  heapMb: number;
  /** Limit for the memory of the whole process, in MiB; checked from outside, on Linux only. */
  memoryMb?: number;
  /** Text in the error output of a host that ended itself because it ran out of memory. */
  memoryMark?: string;
}

/** From a host to this process. `Result` is the result of a job, `Content` a message that it sends while it runs. */
export type FromHost<Result, Failure, Content> =
  | { type: 'ready' | 'pong' }
  /** The host asks to be replaced once its jobs are done. */
  | { type: 'retire' }
  /** The job loads its program; then its own code starts. The deadline counts from the later one. */
  | { type: 'opening' | 'started'; id: number }
  | { type: 'done'; id: number; result: Result }
  | { type: 'failed'; id: number; failure: Failure }
  /** The job was cancelled; `finished` tells whether its code came to an end. */
  | { type: 'cancelled'; id: number; finished: boolean }
  | { type: 'message'; id: number; content: Content };

export interface HostJob<Content> {
  /** Sent as the job's message, with `type: 'task'` and its id. */
  task: object;
  /** Sent once to each host before its first job. */
  program?: { key: string; message: object } | undefined;
  /** Milliseconds from the moment at which the host starts the job. */
  timeoutMs: number;
  /** Handles the messages of the job while it runs. */
  open?: (reply: (message: object) => void) => JobChannel<Content>;
}

export interface JobChannel<Content> {
  receive(content: Content): void;
  /** Called once the job is over or given up. */
  close(): void;
  /** Whether the job can run again without repeating a side effect. */
  isRetryable(): boolean;
}

export type JobOutcome<Result, Failure> =
  | { type: 'done'; result: Result }
  | { type: 'failed'; failure: Failure }
  | { type: 'timeout' }
  | { type: 'unsendable'; message: string }
  | LostJob;

export interface LostJob {
  type: 'lost';
  /** `anywhere`: it had not started. `alone`: another job may have ended the host, and this one had no side effects yet. */
  retry?: 'anywhere' | 'alone' | undefined;
  reason: 'memory' | 'aborted' | 'crash';
  cause: string;
}

interface ActiveJob<Result, Failure, Content> {
  job: HostJob<Content>;
  channel: JobChannel<Content> | undefined;
  phase: 'waiting' | 'opening' | 'started';
  /** Set while the host is asked to cancel it. */
  stopped: 'timeout' | 'cancelled' | undefined;
  timer: NodeJS.Timeout | undefined;
  resolve: (outcome: JobOutcome<Result, Failure>) => void;
}

export interface HostOptions<Result, Failure, Content> {
  /** Checks a message of the host, which may run untrusted code; undefined for an unknown one. */
  read: (message: unknown) => FromHost<Result, Failure, Content> | undefined;
  /** How long the host may take to cancel a job before it is killed; 0 kills it at once. */
  graceMs: number;
  /** A job started or ended. */
  onChange: () => void;
  /** The host must not get more jobs. */
  onRetire: () => void;
  /** The process has ended; its jobs are settled afterwards. */
  onEnd: () => void;
}

let lastId = 0;

/** A host process and its jobs. It keeps this process alive only while it has jobs. */
export class HostProcess<Result, Failure, Content> {
  readonly #command: HostCommand;
  readonly #options: HostOptions<Result, Failure, Content>;
  readonly #child: ChildProcess;
  readonly #jobs = new Map<number, ActiveJob<Result, Failure, Content>>();
  readonly #programs = new Set<string>();
  readonly #stopMemoryWatch: () => void;
  #idleTimer: NodeJS.Timeout;
  #isReady = false;
  #hasStartedJob = false;
  #isOver = false;
  #exceededMemory = false;
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
    killOnExit(child);
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#errorText = (this.#errorText + chunk.toString()).slice(-MAX_ERROR_TEXT);
    });
    child.on('message', (message) => {
      const read = options.read(message);
      if (read !== undefined && !this.#isOver) this.#receive(read);
    });
    child.on('error', (error) => this.#end(`it could not be started or reached: ${error.message}`));
    // Not `exit`, which comes before the error text.
    child.on('close', (code, signal) =>
      this.#end(signal === null ? `it exited with code ${code}` : `it was killed by ${signal}`),
    );
    // Also while it has no jobs, since lingering work may go on.
    this.#stopMemoryWatch = watchMemory(child.pid, {
      limitMb: command.memoryMb,
      onExceed: () => {
        this.#exceededMemory = true;
        this.kill('it needed too much memory');
      },
    });
    this.#idleTimer = setTimeout(() => this.kill('it did not start in time'), START_TIMEOUT_MS);
  }

  /** Number of jobs, including cancelled ones that have not ended yet. */
  get jobs(): number {
    return this.#jobs.size;
  }

  /** True while it cancels a job: it may have to be killed. */
  get isStopping(): boolean {
    return [...this.#jobs.values()].some(({ stopped }) => stopped !== undefined);
  }

  run(job: HostJob<Content>): { outcome: Promise<JobOutcome<Result, Failure>>; cancel: () => void } {
    const id = ++lastId;
    const { promise, resolve } = Promise.withResolvers<JobOutcome<Result, Failure>>();
    const channel = job.open?.((message) => this.#send(message));
    this.#jobs.set(id, { job, channel, phase: 'waiting', stopped: undefined, timer: undefined, resolve });
    this.#keepAlive(true);
    if (this.#isReady) this.#sendJob(id);
    return { outcome: promise, cancel: () => this.#stop(id, 'cancelled') };
  }

  /** Kills the process; its jobs are lost. */
  kill(cause: string, reason: LostJob['reason'] = 'crash'): void {
    this.#killed ??= { reason, cause };
    // A caller may be waiting for the exit.
    this.#keepAlive(true);
    this.#child.kill('SIGKILL');
  }

  #sendJob(id: number): void {
    const active = this.#jobs.get(id);
    if (active === undefined) return;
    clearTimeout(this.#idleTimer);
    const { task, program } = active.job;
    active.timer = setTimeout(
      () => this.#retryElsewhere(id),
      this.#hasStartedJob ? JOB_START_TIMEOUT_MS : START_TIMEOUT_MS,
    );
    try {
      if (program !== undefined && !this.#programs.has(program.key)) {
        this.#send({ type: 'program', key: program.key, ...program.message });
        this.#programs.add(program.key);
        if (this.#programs.size >= MAX_PROGRAMS) this.#options.onRetire();
      }
      this.#send({ type: 'task', id, ...task });
    } catch (error) {
      this.#settle(id, { type: 'unsendable', message: String(error) });
    }
  }

  #send(message: object): void {
    // The callback swallows the error of a channel that is closing; the exit of the process settles the jobs.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  #receive(message: FromHost<Result, Failure, Content>): void {
    switch (message.type) {
      case 'ready':
        this.#isReady = true;
        clearTimeout(this.#idleTimer);
        for (const id of [...this.#jobs.keys()]) this.#sendJob(id);
        break;
      case 'pong':
        clearTimeout(this.#idleTimer);
        break;
      case 'retire':
        this.#options.onRetire();
        break;
      default:
        this.#receiveFromJob(message);
    }
  }

  #receiveFromJob(message: Extract<FromHost<Result, Failure, Content>, { id: number }>): void {
    const { id } = message;
    const active = this.#jobs.get(id);
    if (active === undefined) return;
    if (message.type === 'cancelled') {
      // Its code may still be running.
      if (!message.finished) this.#options.onRetire();
      this.#settle(id, this.#outcomeOfStopped(active));
    } else if (active.stopped !== undefined) {
      // Only the end of a stopped job matters.
    } else if (message.type === 'done') {
      this.#settle(id, { type: 'done', result: message.result });
    } else if (message.type === 'failed') {
      this.#settle(id, { type: 'failed', failure: message.failure });
    } else if (message.type === 'message') {
      active.channel?.receive(message.content);
    } else {
      this.#advance(id, active, message.type);
    }
  }

  /** A repeated message, which only a compromised host sends, does not extend the deadline. */
  #advance(id: number, active: ActiveJob<Result, Failure, Content>, phase: 'opening' | 'started'): void {
    if (active.phase === phase || active.phase === 'started') return;
    if (active.phase === 'waiting') {
      // Keeps started jobs in the order in which they started.
      this.#jobs.delete(id);
      this.#jobs.set(id, active);
    }
    active.phase = phase;
    this.#hasStartedJob = true;
    clearTimeout(active.timer);
    active.timer = setTimeout(() => this.#stop(id, 'timeout'), active.job.timeoutMs);
    this.#options.onChange();
  }

  /** Other code blocks the host: the job goes to another one, and this one ends after its other jobs. */
  #retryElsewhere(id: number): void {
    this.#options.onRetire();
    this.#send({ type: 'cancel', id });
    this.#settle(id, { type: 'lost', retry: 'anywhere', reason: 'crash', cause: 'it did not respond' });
  }

  /** Asks the host to cancel a job, and kills a host that does not answer. */
  #stop(id: number, why: 'timeout' | 'cancelled'): void {
    const active = this.#jobs.get(id);
    if (active === undefined || active.stopped !== undefined) return;
    active.stopped = why;
    active.channel?.close();
    clearTimeout(active.timer);
    const { graceMs } = this.#options;
    const cause = `another job in it ${why === 'timeout' ? 'ran past its deadline' : 'was cancelled'} and did not yield`;
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
    active.channel?.close();
    active.resolve(outcome);
    if (this.#jobs.size === 0 && !this.#isOver) this.#pingWhenIdle();
    this.#options.onChange();
  }

  /** Lingering work has no deadline, so an idle host that does not answer a ping is killed. */
  #pingWhenIdle(): void {
    this.#keepAlive(false);
    if (!this.#isReady) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      this.#send({ type: 'ping' });
      this.#idleTimer = setTimeout(() => this.kill('it did not respond'), PONG_TIMEOUT_MS).unref();
    }, IDLE_PING_MS).unref();
  }

  #end(exit: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#idleTimer);
    this.#stopMemoryWatch();
    this.#options.onEnd();
    const loss = this.#loss(exit);
    const outcomes = [...this.#jobs].map(([id, active]) => ({ id, outcome: this.#outcomeOfLoss(active, loss) }));
    for (const { id, outcome } of outcomes) this.#settle(id, outcome);
  }

  #loss(exit: string): LostJob {
    const { heapMb, memoryMb = heapMb, memoryMark = 'heap out of memory' } = this.#command;
    const isHeap = this.#errorText.includes('heap out of memory');
    if (isHeap || this.#exceededMemory || this.#errorText.includes(memoryMark)) {
      const limit = this.#exceededMemory ? memoryMb : heapMb;
      return { type: 'lost', reason: 'memory', cause: `it needed more than ${limit} MiB of memory` };
    }
    const error = this.#errorText.split('\n').find((line) => /^\w*Error/.test(line));
    const cause = error === undefined ? exit : `${exit}: ${error}`;
    return { type: 'lost', ...(this.#killed ?? { reason: 'crash', cause }) };
  }

  #outcomeOfLoss(active: ActiveJob<Result, Failure, Content>, loss: LostJob): JobOutcome<Result, Failure> {
    if (active.phase === 'waiting') return { ...loss, retry: this.#isReady ? 'anywhere' : undefined };
    const started = [...this.#jobs.values()].filter(({ phase }) => phase !== 'waiting');
    // A loop keeps other jobs from starting, so a job that timed out is to blame only if none started after it.
    const isCulprit = started.length === 1 || (active.stopped === 'timeout' && started.at(-1) === active);
    if (isCulprit || active.channel?.isRetryable() !== true) {
      return active.stopped === undefined ? loss : this.#outcomeOfStopped(active);
    }
    return { ...loss, retry: 'alone' };
  }

  #outcomeOfStopped({ stopped }: ActiveJob<Result, Failure, Content>): JobOutcome<Result, Failure> {
    return stopped === 'timeout' ? { type: 'timeout' } : { type: 'lost', reason: 'aborted', cause: 'it was cancelled' };
  }

  #keepAlive(keep: boolean): void {
    const { stderr, channel } = this.#child;
    for (const handle of [this.#child, channel, stderr instanceof Socket ? stderr : undefined]) {
      if (keep) handle?.ref();
      else handle?.unref();
    }
  }
}
