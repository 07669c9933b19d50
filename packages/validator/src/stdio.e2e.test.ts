import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Step, steps } from './input/start-options.ts';
import { start } from './start.ts';

const file = new URL('../fixtures/stdio-server.mjs', import.meta.url).pathname;

it.each([
  ['second', [file], '2026-07-28'],
  ['first', [file, 'first'], '2025-11-25'],
])('a server on the %s SDK that is started by its command is seen', async (_, args, protocolVersion) => {
  const stdio = { command: process.execPath, args };
  const { status, categories, entries } = await start({ stdio });
  expect(status).toBe(true);
  expect(categories).toMatchObject({ isReachable: true, supportsMcp: true, hasTools: true });
  const endpoint = [process.execPath, ...args].join(' ');
  expect(entries).toMatchObject({ transport: 'stdio', serverName: 'local', endpoint, protocolVersion });
});

it.each([
  ['does not exist', { command: '/does/not/exist' }, 'CON-001'],
  ['never answers', { command: process.execPath, args: [file, 'hang'] }, 'CON-003'],
  ['ends at once', { command: process.execPath, args: ['-e', '0'] }, 'CON-001'],
])('a command that %s is told', async (_, stdio, code) => {
  const { findings, categories } = await start({ stdio, timeout: 2000 });
  expect(findings.map((found) => found.code)).toContain(code);
  expect(categories.supportsMcp).toBe(false);
});

it('a command with endless output is ended in time', async () => {
  const { status } = await start({ stdio: { command: process.execPath, args: [file, 'noise'] }, timeout: 2000 });
  expect(status).toBe(false);
});

it('progress is reported step by step, and a listener that throws does not end the run', async () => {
  const told: `${Step} ${string}`[] = [];
  const { status } = await start({
    stdio: { command: process.execPath, args: [file] },
    onProgress: ({ step, state }) => {
      told.push(`${step} ${state}`);
      throw new Error('no');
    },
  });
  expect(status).toBe(true);
  expect(told).toEqual(steps.flatMap((step) => [`${step} begin`, `${step} end`]));
});

it('a signal ends the run early and keeps its results', async () => {
  const signal = AbortSignal.abort();
  const { status, findings } = await start({ endpoint: 'http://127.0.0.1:1/', signal });
  expect(status).toBe(false);
  expect(findings.length).toBeGreaterThan(0);
});

/** The id of a process that the server wrote into a file. */
async function idIn(file: string): Promise<number> {
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toMatch(/^\d+$/);
  return Number(readFileSync(file, 'utf8'));
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

const helper = `const { spawn } = require('node:child_process'), { writeFileSync } = require('node:fs');
writeFileSync(process.argv[1], String(spawn('sleep', ['77'], { stdio: 'inherit' }).pid));`;

it.skipIf(process.platform === 'win32')(
  'a helper that a server left behind ends with it, and does not delay the run',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'validator-'));
    const pid = join(folder, 'pid');
    const begin = performance.now();
    await start({ stdio: { command: process.execPath, args: ['-e', helper, pid] }, timeout: 2000 });
    expect(performance.now() - begin).toBeLessThan(12_000);
    const id = await idIn(pid);
    await expect.poll(() => isRunning(id)).toBe(false);
    await rm(folder, { recursive: true });
  },
);

it.skipIf(process.platform === 'win32')('a signal ends a server that ignores every request to end', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'validator-'));
  const pid = join(folder, 'pid');
  const stubborn = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); require('node:fs').writeFileSync(process.argv[1], String(process.pid));`;
  const controller = new AbortController();
  const run = start({
    stdio: { command: process.execPath, args: ['-e', stubborn, pid] },
    timeout: 600_000,
    signal: controller.signal,
  });
  const id = await idIn(pid);
  controller.abort();
  expect((await run).status).toBe(false);
  await expect.poll(() => isRunning(id)).toBe(false);
  await rm(folder, { recursive: true });
});

it('the last output of a command that ends is reported', async () => {
  const script = 'console.error("missing API_KEY"); process.exit(3)';
  const { messages } = await start({ stdio: { command: process.execPath, args: ['-e', script] } });
  expect(messages).toEqual(['CON-001 connect: stdio: the command ended with exit code 3; it wrote: missing API_KEY']);
});

it('values of the environment are masked in output of the server', async () => {
  const stdio = {
    command: process.execPath,
    args: ['-e', 'console.error("bad", process.env.API_KEY)'],
    env: { API_KEY: 'top-secret' },
  };
  expect((await start({ stdio })).messages[0]).toContain('it wrote: bad [REDACTED]');
});

it.each([
  ['one line', 'const text = "x".repeat(65536);'],
  [
    'notifications',
    'const text = (JSON.stringify({ jsonrpc: "2.0", method: "notifications/x" }) + "\\n").repeat(999);',
  ],
])('a server that writes %s without end is cut off', async (_, text) => {
  const script = `${text} const write = () => { while (process.stdout.write(text)); }; process.stdout.on('drain', write); write();`;
  const { messages } = await start({ stdio: { command: process.execPath, args: ['-e', script] }, timeout: 20_000 });
  expect(messages.join()).toContain('the server wrote ');
});
