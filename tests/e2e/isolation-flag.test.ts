import { resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { cliProject } from './support/cli-project.ts';
import { faultlessTool, mainWith, moduleText } from './support/schema-module.ts';
import { connect, serve } from './support/served.ts';

/** A project with a tool, active in the default group, that says what its handler runs in. */
async function project() {
  const tools = { getThing: { ...faultlessTool, parameters: [], output: undefined } };
  const main = mainWith({ root: 'local://shop', tools });
  const handlers = `() => ({ getThing: { executeRequest: async ({ struct }) => {
    struct.data = { place: typeof Buffer === 'undefined' ? 'wasm' : 'process' };
    return { struct };
  } } })`;
  const made = await cliProject({ 'project/shop.mjs': moduleText(main, handlers) });
  made.run('init', '--yes', '--no-import');
  return made;
}

const word = 'shop.mjs::tool::getThing';

test('call runs handlers where it is told', async () => {
  const { run } = await project();
  expect(run('call', word)).toMatchObject({ status: 0, json: { content: { place: 'process' } } });
  expect(run('call', word, '--isolation', 'wasm')).toMatchObject({ status: 0, json: { content: { place: 'wasm' } } });
  const { status, stderr, json } = run('call', word, '--isolation', 'none');
  expect(status).not.toBe(0);
  expect(`${stderr}${JSON.stringify(json)}`).toContain('wasm');
});

test('run and serve do so too, also after one that did not', async () => {
  const { folder, home } = await project();
  const placeOf = async (client: Client) => (await client.callTool({ name: 'shop__getThing', arguments: {} })).content;
  for (const place of ['process', 'wasm']) {
    const args = ['.', '--isolation', place];
    const served = await serve(args, { SCHEMAKIT_HOME: home }, { cwd: folder });
    expect(await placeOf(await connect(served.url))).toEqual([{ type: 'text', text: JSON.stringify({ place }) }]);
    const client = new Client({ name: 'test', version: '1.0.0' });
    onTestFinished(() => client.close());
    const command = [resolve('packages/cli/bin/schemakit.js'), 'run', ...args];
    const env = { SCHEMAKIT_HOME: home };
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: command, cwd: folder, env, stderr: 'ignore' }),
    );
    expect(await placeOf(client)).toEqual([{ type: 'text', text: JSON.stringify({ place }) }]);
  }
});
