import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const calling = fileURLToPath(new URL('./fixtures/program.ts', import.meta.url));
const runNode = promisify(execFile);

/** Runs a script in a process of its own; fails when it does not end by itself. */
async function script(code: string): Promise<string> {
  const text = `import { run } from ${JSON.stringify(calling)}; ${code}`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '--eval', text];
  const { stdout } = await runNode(process.execPath, args, { timeout: 15_000 });
  return stdout;
}

describe('a process that calls handlers', () => {
  test('ends by itself when its calls are answered', async () => {
    expect(await script(`console.log(await run('return 1'))`)).toBe('1\n');
  });

  test('stays for an answer that it waits for', async () => {
    expect(await script(`console.log(await run('await new Promise((r) => setTimeout(r, 300)); return 2'))`)).toBe(
      '2\n',
    );
  });

  test('stays until a host that crashed is reported', async () => {
    const crash = `await run('const all = []; while (true) all.push([all.length])').catch((e) => console.log(e.code))`;
    expect(await script(crash)).toMatch(/^HANDLER_/);
  });

  test.skipIf(process.platform !== 'linux')('takes a host in an endless loop with it', async () => {
    const code = `
      import { readFileSync } from 'node:fs';
      run('console.log(1); while (true) {}', {}, {
        onLog: () => {
          console.log(readFileSync(\`/proc/self/task/\${process.pid}/children\`, 'utf8'));
          process.exit();
        },
      }).catch(() => {});`;
    const host = Number(await script(code));
    expect(host).toBeGreaterThan(0);
    await expect.poll(() => isRunning(host), { timeout: 5000 }).toBe(false);
  });
});

async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return status !== '' && !status.includes('State:\tZ');
}
