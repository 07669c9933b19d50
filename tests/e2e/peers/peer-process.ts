import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { PeerProgram } from './find-peer.ts';

/** A server that a test started. */
export interface Peer {
  url: string;
  /** Ends the process and removes its files. */
  stop(): Promise<void>;
}

interface PeerStart {
  program: PeerProgram;
  url: string;
  /** Prepares the temporary folder and gives the command line. */
  prepare(folder: string): Promise<string[]> | string[];
  /** Asked again and again until it says yes. A refused connection means no. */
  isReady(): Promise<boolean>;
}

const READY_WITHIN_MS = 45_000;

/** Starts a server program in a temporary folder and waits until it is ready; fails with its last words if it ends before. */
export async function startPeerProcess({ program, url, prepare, isReady }: PeerStart): Promise<Peer> {
  if (program.path === undefined) throw new Error(program.install);
  const folder = await mkdtemp(join(tmpdir(), 'schemakit-peer-'));
  const args = await prepare(folder);
  const child = spawn(program.path, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const exit = once(child, 'exit');
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-4_000);
  });

  const stop = async () => {
    child.kill('SIGTERM');
    const patience = new AbortController();
    const killed = setTimeout(5_000, undefined, { signal: patience.signal }).then(killWithUs, () => undefined);
    await exit;
    patience.abort();
    await killed;
    process.off('exit', killWithUs);
    await rm(folder, { recursive: true, force: true });
  };

  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await isReady().catch(() => false))) {
    const problem = child.exitCode !== null ? `ended with code ${child.exitCode}` : 'was not ready in time';
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`${program.path} ${problem}\n${log}`);
    }
    await setTimeout(50);
  }
  return { url, stop };
}
