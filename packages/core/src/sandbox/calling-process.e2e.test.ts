import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const calling = fileURLToPath(new URL('./fixtures/program.ts', import.meta.url));
const runNode = promisify(execFile);

interface Ended {
  signal: NodeJS.Signals | null;
  stdout: string;
}

/** Runs a script in a process of its own; fails when it does not end by itself. */
async function script(code: string): Promise<string> {
  const text = `import { run } from ${JSON.stringify(calling)}; ${code}`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '--eval', text];
  const ran = runNode(process.execPath, args, { timeout: 45_000, killSignal: 'SIGQUIT' });
  const { stdout } = await ran.catch((error: Ended) => {
    if (error.signal === 'SIGKILL' || error.signal === 'SIGTERM') return error;
    throw error;
  });
  return stdout;
}

describe('a process that calls handlers', () => {
  test('exits when its calls are done', async () => {
    expect(await script(`console.log(await run('return 1'))`)).toBe('1\n');
  });

  test('stays alive while it waits for a result', async () => {
    expect(await script(`console.log(await run('await new Promise((r) => setTimeout(r, 300)); return 2'))`)).toBe(
      '2\n',
    );
  });

  test('stays alive until a crash of a host is reported', async () => {
    const crash = `await run('const all = []; while (true) all.push([all.length])').catch((e) => console.log(e.code))`;
    expect(await script(crash)).toMatch(/^HANDLER_/);
  });

  describe.skipIf(process.platform !== 'linux')('ends a host in an endless loop', () => {
    test.each([
      ['exits', 'process.exit()'],
      ['is killed', `process.kill(process.pid, 'SIGKILL')`],
      ['is terminated', `process.kill(process.pid, 'SIGTERM')`],
    ])('when it %s', async (_, end) => {
      const code = `
        import { readFileSync, writeSync } from 'node:fs';
        run('console.log(1); while (true) {}', {}, {
          onLog: () => {
            writeSync(1, readFileSync(\`/proc/self/task/\${process.pid}/children\`, 'utf8'));
            ${end};
          },
        }).catch(() => {});`;
      const children = (await script(code)).trim().split(' ').map(Number);
      // The host, and the guard that outlives us for a moment to end it.
      expect(children).toHaveLength(2);
      await expect.poll(() => Promise.all(children.map(isRunning))).toEqual([false, false]);
    });
  });
});

async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return status !== '' && !status.includes('State:\tZ');
}
