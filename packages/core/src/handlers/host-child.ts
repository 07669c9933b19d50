import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { hostCommand } from './host-command.ts';
import { guardHost } from './host-guard.ts';
import type { FromHost, ToHost } from './host-message.ts';
import { watchMemory } from './memory-watch.ts';
import { readHostMessage } from './read-host-message.ts';

/** A child process that runs `handler-host.ts`, and the channel to it. */
export interface HostChild {
  send(message: ToHost): void;
  /** While the child is busy it keeps our process alive; else our process may end. */
  setBusy(busy: boolean): void;
  kill(): void;
}

/** Starts a child in which handlers run. */
export type SpawnHost = (options: {
  folders: readonly string[];
  memoryMb: number;
  onMessage: (message: FromHost) => void;
  /** Called once; `cause` says in words how it ended. */
  onEnd: (cause: string) => void;
}) => HostChild;

/** What a host may hold outside of its heap: Node.js itself and the bytes of buffers. */
const BUFFERS_MB = 256;

/** Starts a host. It has no environment, no input, and no output but the end of its error text, for a failed start. */
export const spawnHost: SpawnHost = ({ folders, memoryMb, onMessage, onEnd }) => {
  const { file, args, folder } = hostCommand({ folders, memoryMb });
  const child = spawn(file, args, {
    env: {},
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
  guardHost(child);

  let errorText = '';
  let isOver = false;
  let isTooLarge = false;
  const end = (cause: string): void => {
    if (isOver) return;
    isOver = true;
    watch.stop();
    onEnd(isTooLarge ? `it needed more than ${memoryMb + BUFFERS_MB} MiB of memory` : cause);
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
  const onExceed = (): void => {
    isTooLarge = true;
    kill();
  };
  const kill = (): void => {
    // Its end comes at once, and somebody may wait to see it.
    keepAlive(true);
    child.kill('SIGKILL');
  };

  // Also while it has nothing to do: what a call left behind may go on.
  const watch = watchMemory(child.pid, { limitBytes: (memoryMb + BUFFERS_MB) * 1024 * 1024, onExceed });

  return {
    send: (message) => {
      // The callback takes the error of a channel that closes just now; `exit` follows and settles what waits.
      if (child.connected) child.send(message, () => undefined);
    },
    setBusy: keepAlive,
    kill,
  };
};

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
