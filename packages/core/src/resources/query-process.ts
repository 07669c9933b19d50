import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import { queryCommand } from './query-command.ts';
import { type FromQueryHost, memoryMark, type QueryFailure, type QueryRows, type QueryTask } from './query-message.ts';

/** How a query ended. `lost` is the end of its host. */
export type QueryOutcome =
  | { type: 'done'; rows: QueryRows }
  | { type: 'failed'; failure: QueryFailure }
  | { type: 'lost'; reason: 'deadline' | 'memory' | 'aborted' | 'crash'; cause: string };

/** A host process for one database. It works on one query at a time and keeps our process alive only while it does. */
export interface QueryProcess {
  run(task: QueryTask, timeoutMs: number): Promise<QueryOutcome>;
  /** Ends the process now, with the query in it. */
  kill(reason: 'deadline' | 'aborted', cause: string): void;
}

const START_TIMEOUT_MS = 10_000;
const running = new Set<ChildProcess>();

function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Starts a host. It has no environment, no input, and no output but the end of its error text. */
export function startQueryProcess({
  database,
  memoryMb,
  onEnd,
}: {
  database: string;
  memoryMb: number;
  /** Called once, when the process is gone. */
  onEnd: () => void;
}): QueryProcess {
  const { file, args } = queryCommand({ database, memoryMb });
  const child = spawn(file, args, {
    env: {},
    cwd: dirname(database),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
  // A child inside of a query does not see that its channel closed.
  if (running.size === 0) process.on('exit', killAll);
  running.add(child);

  let active: { task: QueryTask; timeoutMs: number; resolve: (outcome: QueryOutcome) => void } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let killed: { reason: 'deadline' | 'aborted'; cause: string } | undefined;
  let isReady = false;
  let isOver = false;
  let errorText = '';

  child.stderr?.on('data', (chunk: Buffer) => {
    errorText = (errorText + chunk.toString()).slice(-2000);
  });
  child.on('message', (message) => take(message as FromQueryHost));
  child.on('error', (error) => end(`it could not be started or reached: ${error.message}`));
  // Not `exit`: the error text has to be there.
  child.on('close', (code, signal) =>
    end(signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`),
  );
  keepAlive(false);

  function run(task: QueryTask, timeoutMs: number): Promise<QueryOutcome> {
    return new Promise((resolve) => {
      active = { task, timeoutMs, resolve };
      keepAlive(true);
      if (isReady) send();
      else timer = setTimeout(() => kill('deadline', 'its host did not start in time'), START_TIMEOUT_MS);
    });
  }

  function send(): void {
    if (active === undefined) return;
    const { task, timeoutMs } = active;
    clearTimeout(timer);
    timer = setTimeout(() => kill('deadline', `it gave no answer within ${timeoutMs} ms`), timeoutMs);
    // The callback takes the error of a channel that closes just now; the end of the process settles what waits.
    child.send({ task }, () => undefined);
  }

  function take(message: FromQueryHost): void {
    if (message.type === 'ready') {
      isReady = true;
      send();
    } else {
      settle(message);
    }
  }

  function settle(outcome: QueryOutcome): void {
    clearTimeout(timer);
    keepAlive(false);
    const settled = active;
    active = undefined;
    settled?.resolve(outcome);
  }

  function kill(reason: 'deadline' | 'aborted', cause: string): void {
    killed ??= { reason, cause };
    // Its end comes at once, and somebody may wait to see it.
    keepAlive(true);
    child.kill('SIGKILL');
  }

  function end(exit: string): void {
    if (isOver) return;
    isOver = true;
    running.delete(child);
    if (running.size === 0) process.off('exit', killAll);
    onEnd();
    settle({ type: 'lost', ...(killed ?? describeEnd({ exit, errorText, memoryMb })) });
  }

  function keepAlive(keep: boolean): void {
    const handles = [child, child.channel, child.stderr instanceof Socket ? child.stderr : undefined];
    for (const handle of handles) {
      if (keep) handle?.ref();
      else handle?.unref();
    }
  }

  return { run, kill };
}

function describeEnd({ exit, errorText, memoryMb }: { exit: string; errorText: string; memoryMb: number }): {
  reason: 'memory' | 'crash';
  cause: string;
} {
  if (errorText.includes(memoryMark) || errorText.includes('heap out of memory')) {
    return { reason: 'memory', cause: `it needed more than ${memoryMb} MiB of memory` };
  }
  const error = errorText.split('\n').find((line) => /^\w*Error/.test(line));
  return { reason: 'crash', cause: error === undefined ? exit : `${exit}: ${error}` };
}
