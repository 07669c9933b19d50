import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { faultlessTool, mainWith, moduleText } from './support/schema-module.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { startUpstream } from './support/upstream.ts';

const command = resolve('packages/cli/bin/schemakit.js');

const request = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const initialize = request({
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});
const call = request({ id: 2, method: 'tools/call', params: { name: 'shop__getThing', arguments: {} } });

/** `schemakit run` for an API that answers when `answer` is called, and all that it says. */
async function run() {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  onTestFinished(() => answer.resolve());
  const { origin } = await startUpstream(async () => {
    asked.resolve();
    await answer.promise;
    return { body: { price: 4 } };
  });
  const folder = await temporaryFolder({ 'shop.mjs': moduleText(mainWith({ root: origin })) });
  const child: ChildProcess = spawn(process.execPath, [command, 'run', join(folder, 'shop.mjs')], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('There are pipes');
  const said = text(stdout).then((lines) =>
    lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
  return { child, stdin, said, asked: asked.promise, answer: answer.resolve, exited: once(child, 'exit') };
}

const price = { id: 2, result: { content: [{ type: 'text', text: '{"price":4}' }] } };

test('everything that was asked is answered, where the input closes at once', async () => {
  const { stdin, said, answer, exited } = await run();
  answer();
  stdin.end(`${initialize}${call}`);
  expect(await said).toMatchObject([{ id: 1 }, price]);
  expect(await exited).toEqual([0, null]);
});

test('a call that is going on when the input closes is finished', async () => {
  const { stdin, said, asked, answer, exited } = await run();
  stdin.write(`${initialize}${call}`);
  await asked;
  stdin.end();
  await once(stdin, 'close');
  answer();
  expect(await said).toMatchObject([{ id: 1 }, price]);
  expect(await exited).toEqual([0, null]);
});

test('a call that a server which is told to end does not finish is answered so', async () => {
  const { child, stdin, said, asked, exited } = await run();
  stdin.write(`${initialize}${call}`);
  await asked;
  child.kill('SIGTERM');
  expect(await said).toMatchObject([
    { id: 1 },
    { id: 2, error: { message: expect.stringContaining('server ended before') } },
  ]);
  expect(await exited).toEqual([0, null]);
});

/** Pages of the list of tools that one server answers, as it answers them. */
async function pagesOf(folder: string, home: string, meta: object | undefined): Promise<object[]> {
  const child = spawn(process.execPath, [command, 'run', folder, '--no-watch'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { SCHEMAKIT_HOME: home },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const params = meta && { _meta: meta };
  const list = (id: number, cursor?: string) => request({ id, method: 'tools/list', params: { ...params, cursor } });
  child.stdin.write(meta === undefined ? `${initialize}${list(2)}` : list(2));
  const pages: object[] = [];
  for await (const line of createInterface(child.stdout)) {
    const { id, result } = JSON.parse(line);
    if (id === 1) continue;
    pages.push(result);
    if (result.nextCursor === undefined) child.stdin.end();
    else child.stdin.write(list(id + 1, result.nextCursor));
  }
  return pages;
}

test('a second start lists thousands of tools from disk as the first one listed them', async () => {
  const tool = { ...faultlessTool, description: 'Ein Stück “Tide”' };
  const schemas = Array.from({ length: 11 }, (_, file) => {
    const letter = String.fromCharCode(97 + file);
    const tools = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`get${letter.toUpperCase()}${index}`, tool]),
    );
    return [`${letter}.mjs`, moduleText(mainWith({ namespace: `shop${letter}`, tools }))] as const;
  });
  const folder = await temporaryFolder(Object.fromEntries(schemas));
  const home = await temporaryFolder({ 'config.json': '{}' });
  const said = { protocolVersion: '2026-07-28', clientInfo: { name: 'test', version: '1' }, clientCapabilities: {} };
  const meta = Object.fromEntries(
    Object.entries(said).map(([key, value]) => [`io.modelcontextprotocol/${key}`, value]),
  );
  const revisions = [undefined, meta];
  const ask = () => Promise.all(revisions.map((revision) => pagesOf(folder, home, revision)));
  const first = await ask();
  expect(first).toMatchObject([
    [{ nextCursor: expect.any(String) }, {}],
    [{ nextCursor: expect.any(String), ttlMs: 60_000 }, {}],
  ]);
  expect(existsSync(join(home, 'cache', 'index'))).toBe(true);
  expect(await ask()).toEqual(first);
});
