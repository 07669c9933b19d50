import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import { hostCommand } from './host-command.ts';
import type { FromHost, ToHost } from './host-message.ts';
import { readHostMessage } from './read-host-message.ts';

/** A child process that runs `handler-host.ts`, and the channel to it. */
export interface HostChild {
  send(message: ToHost): void;
  /** Keeps our process alive, or lets it end, while the child runs. */
  keepAlive(keep: boolean): void;
  kill(): void;
}

const running = new Set<ChildProcess>();
// A child in an endless loop does not see that its channel closed.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a host. It has no environment, no input, and no output but the end of its error text, for a failed start. */
export function spawnHost({
  folders,
  memoryMb,
  onMessage,
  onEnd,
}: {
  folders: readonly string[];
  memoryMb: number;
  onMessage: (message: FromHost) => void;
  /** Called once; `cause` says in words how it ended. */
  onEnd: (cause: string) => void;
}): HostChild {
  const { file, args } = hostCommand({ folders, memoryMb });
  const child = spawn(file, args, {
    env: {},
    cwd: dirname(args.at(-1) ?? file),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
  running.add(child);

  let errorText = '';
  let isOver = false;
  const end = (cause: string): void => {
    if (isOver) return;
    isOver = true;
    running.delete(child);
    onEnd(cause);
  };
  child.stderr?.on('data', (chunk: Buffer) => {
    errorText = (errorText + chunk.toString()).slice(-2000);
  });
  child.on('message', (message) => {
    const read = readHostMessage(message);
    if (read !== undefined && !isOver) onMessage(read);
  });
  child.on('error', (error) => end(`it could not be started or reached: ${error.message}`));
  child.on('exit', (code, signal) => end(describeExit({ code, signal, memoryMb, errorText })));
  if (child.stderr instanceof Socket) child.stderr.unref();

  const keepAlive = (keep: boolean): void => {
    if (keep) child.ref();
    else child.unref();
    if (keep) child.channel?.ref();
    else child.channel?.unref();
  };

  return {
    send: (message) => {
      // The callback takes the error of a channel that closes just now; `exit` follows and settles what waits.
      if (child.connected) child.send(message, () => undefined);
    },
    keepAlive,
    kill: () => {
      // Its end comes at once, and somebody may wait to see it.
      keepAlive(true);
      child.kill('SIGKILL');
    },
  };
}

function describeExit({
  code,
  signal,
  memoryMb,
  errorText,
}: {
  code: number | null;
  signal: NodeJS.Signals | null;
  memoryMb: number;
  errorText: string;
}): string {
  if (errorText.includes('heap out of memory')) return `it needed more than ${memoryMb} MiB of memory`;
  const reason = errorText.split('\n').find((line) => /^\w*Error/.test(line));
  const how = signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`;
  return reason === undefined ? how : `${how}: ${reason}`;
}
