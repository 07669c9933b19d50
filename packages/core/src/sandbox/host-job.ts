/** How a host process is started. */
export interface HostCommand {
  args: readonly string[];
  folder: string;
  /** Heap that the arguments allow, in MiB, for messages. */
  heapMb: number;
  /** Most memory of the whole process, in MiB, where it is watched from outside. */
  memoryMb?: number;
  /** Stands in the error text of a host that ended itself for want of memory. */
  memoryMark?: string;
}

/** From a host to this process. `Result` is what a job gives, `Content` what it says while it runs. */
export type FromHost<Result, Failure, Content> =
  | { type: 'ready' | 'pong' }
  /** The host asks to be replaced once its jobs are done. */
  | { type: 'unfit' }
  /** The job loads its program; then its own code begins. A deadline runs from the later one. */
  | { type: 'opening' | 'started'; id: number }
  | { type: 'done'; id: number; result: Result }
  | { type: 'failed'; id: number; failure: Failure }
  /** The job was dropped; `settled` tells whether its code came to an end. */
  | { type: 'cancelled'; id: number; settled: boolean }
  | { type: 'said'; id: number; content: Content };

/** A piece of work for a host process. */
export interface HostJob<Content> {
  /** Sent as the job's message, with `type: 'task'` and its id. */
  task: object;
  /** What a host must have been sent once before. */
  program?: { key: string; message: object } | undefined;
  /** Milliseconds from the moment at which the host begins the job. */
  timeoutMs: number;
  /** Opens the way for what the job says while it runs. */
  open?: (reply: (message: object) => void) => JobLink<Content>;
}

export interface JobLink<Content> {
  take(content: Content): void;
  /** Nothing more is taken from the job. */
  close(): void;
  /** Tells whether the job may run again without changing something twice. */
  isRepeatable(): boolean;
}

export type JobOutcome<Result, Failure> =
  | { type: 'done'; result: Result }
  | { type: 'failed'; failure: Failure }
  | { type: 'late' }
  | { type: 'unsendable'; message: string }
  | LostJob;

/** A job whose host ended. */
export interface LostJob {
  type: 'lost';
  /** `anywhere`: it was not begun. `alone`: another job may have ended the host, and this one has changed nothing so far. */
  again?: 'anywhere' | 'alone' | undefined;
  reason: 'memory' | 'aborted' | 'crash';
  cause: string;
}
