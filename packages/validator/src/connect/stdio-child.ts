import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import type { StdioServer } from '../input/start-options.ts';

/** A server that runs as a process, with all that it starts. */
export interface StdioChild {
  process: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Ends the process and its helpers, whatever they think of it, in about a second at most. */
  end(): Promise<void>;
}

/** A server that finds its input ended may tidy up, then it is asked, then it is killed. */
const TIDY_MS = 300;
const ASKED_MS = 300;
/** Groups of processes are a thing of POSIX. */
const hasGroups = process.platform !== 'win32';

/** Starts a server by its command, in a group of its own: helpers that it leaves behind must end with it. */
export function startChild({ command, args = [], cwd, env }: StdioServer): StdioChild {
  const child = spawn(command, [...args], {
    env: { ...getDefaultEnvironment(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: hasGroups,
    windowsHide: true,
    ...(cwd !== undefined && { cwd }),
  });
  const kill = (signal: NodeJS.Signals): void => {
    if (child.pid === undefined) return;
    try {
      if (hasGroups) process.kill(-child.pid, signal);
      else child.kill(signal);
    } catch {
      // Nothing of it runs any more.
    }
  };
  const killAtExit = (): void => kill('SIGKILL');
  process.once('exit', killAtExit);
  // `close` would wait for whoever holds the pipes.
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  let ending: Promise<void> | undefined;
  async function end(): Promise<void> {
    child.stdin.end();
    if (!(await happensWithin(exited, TIDY_MS))) {
      kill('SIGTERM');
      await happensWithin(exited, ASKED_MS);
    }
    kill('SIGKILL');
    process.off('exit', killAtExit);
    // Who left the group may hold the other ends for ever; this process must be able to end.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    child.unref();
  }
  return { process: child, end: () => (ending ??= end()) };
}

async function happensWithin(promise: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const happened = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return happened;
}
