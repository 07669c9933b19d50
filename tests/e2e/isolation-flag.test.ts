import { resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { cliProject } from './support/cli-project.ts';
import { faultlessTool, mainWith, moduleText } from './support/schema-module.ts';
import { connect, serve } from './support/served.ts';

/** A project with two schemas, each with a tool that says when its host was started. */
async function project() {
  const tools = { getThing: { ...faultlessTool, parameters: [], output: undefined } };
  const handlers = `() => ({ getThing: { executeRequest: async ({ struct }) => {
    struct.data = { started: Math.round(Date.now() - performance.now()) };
    return { struct };
  } } })`;
  const textOf = (namespace: string) => moduleText(mainWith({ namespace, root: 'local://shop', tools }), handlers);
  const made = await cliProject({ 'project/shop.mjs': textOf('shop'), 'project/store.mjs': textOf('store') });
  made.run('init', '--yes', '--no-import');
  return made;
}

const word = 'shop.mjs::tool::getThing';

test('call takes the isolations that there are', async () => {
  const { run } = await project();
  for (const isolation of ['process', 'schema']) {
    expect(run('call', word, '--isolation', isolation)).toMatchObject({
      status: 0,
      json: { content: { started: expect.any(Number) } },
    });
  }
  for (const [isolation, said] of [
    ['wasm', 'WebAssembly isolation was removed; use process or schema'],
    ['none', 'neither process nor schema'],
  ] as const) {
    const { status, stderr, json } = run('call', word, '--isolation', isolation);
    expect(status).not.toBe(0);
    expect(`${stderr}${JSON.stringify(json)}`).toContain(said);
  }
});

test('run and serve start a host for the schemas of a folder, or one for each', async () => {
  const { folder, home } = await project();
  const startOf = async (client: Client, namespace: string): Promise<number> => {
    const { structuredContent, content } = await client.callTool({ name: `${namespace}__getThing`, arguments: {} });
    const [block] = content as { text: string }[];
    return (structuredContent as { started: number } | undefined)?.started ?? JSON.parse(block?.text ?? '').started;
  };
  /** The clock of a process and that of the system are compared anew each time. */
  const isOneHost = async (client: Client) =>
    Math.abs((await startOf(client, 'shop')) - (await startOf(client, 'store'))) <= 10;
  for (const [isolation, shared] of [
    ['process', true],
    ['schema', false],
  ] as const) {
    const args = ['.', '--isolation', isolation];
    const served = await serve(args, { SCHEMAKIT_HOME: home }, { cwd: folder });
    expect(await isOneHost(await connect(served.url))).toBe(shared);
    const client = new Client({ name: 'test', version: '1.0.0' });
    onTestFinished(() => client.close());
    const command = [resolve('packages/cli/bin/schemakit.js'), 'run', ...args];
    const env = { SCHEMAKIT_HOME: home };
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: command, cwd: folder, env, stderr: 'ignore' }),
    );
    expect(await isOneHost(client)).toBe(shared);
  }
});
