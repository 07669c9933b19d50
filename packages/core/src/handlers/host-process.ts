import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import type { HandlerFailure } from './handler-error.ts';
import type { HandlerProgram } from './handler-program.ts';
import { hostCommand } from './host-command.ts';
import type { BrokerRequest, BrokerResponse, FromHost, HostTask, LogLevel, ToHost } from './host-message.ts';
import { readHostMessage } from './read-host-message.ts';

const START_TIMEOUT_MS = 10_000;
/** How long a host may take to say that it stopped a task; one that is busy in a loop does not say it. */
const CANCEL_TIMEOUT_MS = 250;
/** A task that a host has not begun after this time stands behind something that does not yield. */
const STALL_MS = 50;
const MAX_REQUESTS_PER_JOB = 1000;

/** Makes the requests of a handler. `signal` is aborted when the handler gives up or its call ends. */
export type FetchBroker = (request: BrokerRequest, signal: AbortSignal) => Promise<BrokerResponse>;

/** A task with what our process adds to it. */
export interface HostJob {
  task: HostTask;
  /** Tells programs apart; empty where the task needs none. */
  key: string;
  program?: HandlerProgram | undefined;
  timeoutMs: number;
  fetch?: FetchBroker | undefined;
  onLog?: ((level: LogLevel, text: string) => void) | undefined;
}

/** How a job ended. `lost` is the end of the host; `started` tells whether the job's code may have had effects. */
export type JobOutcome =
  | { type: 'done'; json: string }
  | { type: 'failed'; failure: HandlerFailure }
  | { type: 'lost'; started: boolean; cause: string };

/** One host process. It lives until `kill`, or until it crashes. */
export interface HostProcess {
  /** Jobs in it. */
  readonly busy: number;
  /** True while a job that was sent is not begun, so that more would only queue up behind it. */
  isStalled(): boolean;
  knows(key: string): boolean;
  run(job: HostJob): { outcome: Promise<JobOutcome>; cancel: () => void };
  kill(cause: string): void;
  /** Settles when the process is gone. */
  readonly ended: Promise<void>;
}

/** What a host tells its pool. */
export interface HostEvents {
  /** A job ended or began: there may be room. */
  onChange: () => void;
  /** The host should get no more jobs. */
  onUnfit: (reason: string) => void;
  /** The host is gone; `suspects` are the keys of the programs that were running. */
  onEnd: (suspects: readonly string[]) => void;
}

interface ActiveJob {
  job: HostJob;
  sentAt: number;
  started: boolean;
  timer: NodeJS.Timeout;
  requests: Map<number, AbortController>;
  requestCount: number;
  settle: (outcome: JobOutcome) => void;
}

let lastId = 0;

/** Starts a host process. */
export function startHost(
  options: { folders: readonly string[]; memoryMb: number },
  { onChange, onUnfit, onEnd }: HostEvents,
): HostProcess {
  const jobs = new Map<number, ActiveJob>();
  const known = new Set<string>();
  const cancels = new Map<number, NodeJS.Timeout>();
  const child = spawnHost(options);
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const startTimer = setTimeout(() => kill('it did not start in time'), START_TIMEOUT_MS);
  let isReady = false;
  let endCause: string | undefined;
  let errorText = '';

  child.stderr?.on('data', (chunk: Buffer) => {
    errorText = (errorText + chunk.toString()).slice(-2000);
  });
  child.on('message', (message) => {
    const read = readHostMessage(message);
    if (read !== undefined) take(read);
  });
  child.on('error', (error) => end(error.message));
  child.on('exit', (code, signal) => end(describeExit(code, signal)));

  function take(message: FromHost): void {
    switch (message.type) {
      case 'ready':
        isReady = true;
        clearTimeout(startTimer);
        ready.resolve();
        break;
      case 'started':
        begin(message.id);
        break;
      case 'done':
        settle(message.id, { type: 'done', json: message.json });
        break;
      case 'failed':
        settle(message.id, { type: 'failed', failure: message.failure });
        break;
      case 'cancelled':
        clearTimeout(cancels.get(message.id));
        cancels.delete(message.id);
        break;
      case 'fetch':
        void makeRequest(message);
        break;
      case 'abort-fetch':
        for (const { requests } of jobs.values()) requests.get(message.fetchId)?.abort();
        break;
      case 'log':
        jobs.get(message.id)?.job.onLog?.(message.level, message.text);
        break;
      case 'unfit':
        onUnfit(message.reason);
    }
  }
