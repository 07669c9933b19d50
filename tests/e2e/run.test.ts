import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { mainWith, moduleText } from './support/schema-module.ts';
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
  expect(await said).toMatchObject([{ id: 1 }, { id: 2, error: { message: expect.stringContaining('has ended') } }]);
  expect(await exited).toEqual([0, null]);
});
