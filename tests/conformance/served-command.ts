import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { openTides } from '../../packages/server/src/fixtures/tides.ts';
import type { SuiteServer } from './fixture-server.ts';

const command = join(import.meta.dirname, '../../packages/cli/bin/schemakit.js');

/** `schemakit serve` with the schemas of the plain server, in a process and a home of its own. */
export async function startServedCommand(): Promise<SuiteServer> {
  const tides = openTides();
  const home = await mkdtemp(join(tmpdir(), 'conformance-'));
  const suite = join(import.meta.dirname, 'fixtures', 'suite.mjs');
  const child = spawn(process.execPath, [command, 'serve', suite, tides.file, '--port', '0'], {
    cwd: home,
    env: { ...process.env, HOME: home, SCHEMAKIT_HOME: join(home, 'settings') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  return {
    url: await servedUrl(child),
    async close() {
      child.kill();
      await ended;
      tides.remove();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Where the command says that it serves, once it has said it. */
function servedUrl(child: ChildProcessByStdio<null, Readable, Readable>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const url = /"url": "([^"]+)"/.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    });
  }
  child.once('close', () => reject(new Error(`serve has ended: ${output}`)));
  return promise;
}
