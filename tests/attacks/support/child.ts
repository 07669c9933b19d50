import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** How a child was watched until it sent a message, ended by itself or was ended. */
export type ChildOutcome = { type: 'message'; message: unknown } | { type: 'exit' | 'deadline' | 'memory' };

/** Starts a program, on the built packages, with nothing in its environment but what is given and where Node keeps what it compiled. */
export function startChild(file: URL, args: readonly string[], env: Record<string, string>): ChildProcess {
  const nodeArgs = ['--max-old-space-size=192', '--disable-warning=ExperimentalWarning'];
  const { NODE_COMPILE_CACHE = '' } = process.env;
  return spawn(process.execPath, [...nodeArgs, fileURLToPath(file), ...args], {
    env: { ...env, NODE_COMPILE_CACHE },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

/** Waits for the next message of a child or for its end. A child that takes too long or too much memory is ended. */
export function watchChild(
  child: ChildProcess,
  { deadlineMs, memoryMb }: { deadlineMs: number; memoryMb: number },
): Promise<ChildOutcome> {
  return new Promise((resolve) => {
    const finish = (outcome: ChildOutcome): void => {
      clearTimeout(deadline);
      clearInterval(watch);
      child.off('message', onMessage);
      child.off('exit', onExit);
      resolve(outcome);
    };
    const endFor = (type: 'deadline' | 'memory'): void => {
      child.off('exit', onExit);
      child.once('exit', () => finish({ type }));
      child.kill('SIGKILL');
    };
    const onMessage = (message: unknown): void => finish({ type: 'message', message });
    // What V8 does when its heap is full.
    const onExit = (_: unknown, signal: string | null): void =>
      finish({ type: signal === 'SIGABRT' ? 'memory' : 'exit' });
    const deadline = setTimeout(() => endFor('deadline'), deadlineMs);
    const watch = setInterval(() => {
      if (residentMb(child.pid) > memoryMb) endFor('memory');
    }, 50);
    child.on('message', onMessage);
    child.on('exit', onExit);
  });
}

/** What a process and its children hold in memory, in MiB; 0 where the system does not say. */
function residentMb(pid: number | undefined): number {
  try {
    const own = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + residentMb(Number(child)), own);
  } catch {
    return 0; // It has just ended, or this is no Linux.
  }
}
