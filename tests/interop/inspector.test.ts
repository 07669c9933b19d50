import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../e2e/support/temporary-folder.ts';
import { findPackage, schemakit } from './support/find-package.ts';
import { listeningShop, openShop, thing } from './support/open-shop.ts';

const require = createRequire(import.meta.url);
const inspector = findPackage('the MCP Inspector', () =>
  require.resolve('@modelcontextprotocol/inspector/clients/launcher/build/index.js'),
);

/** Runs the Inspector's command line, with a home of its own. Answers what it prints. */
async function inspect(...args: string[]): Promise<Record<string, unknown>> {
  const home = await temporaryFolder();
  const child = spawn(process.execPath, [inspector ?? '', '--cli', ...args], {
    cwd: home,
    env: { ...process.env, HOME: home, USERPROFILE: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const [exitCode] = await once(child, 'close');
  if (exitCode !== 0) throw new Error(`The Inspector ended with ${exitCode}: ${output.stdout}${output.stderr}`);
  return JSON.parse(output.stdout);
}

const targets: [string, () => Promise<string[]>][] = [
  ['stdio', async () => [process.execPath, schemakit, 'run', (await openShop()).file]],
  ['Streamable HTTP', async () => [`${await listeningShop()}/mcp`, '--transport', 'http']],
  ['events', async () => [`${await listeningShop()}/sse`, '--transport', 'sse']],
];

describe.skipIf(inspector === undefined)('the MCP Inspector', () => {
  test.each(targets)('lists and calls over %s', async (_, open) => {
    const target = await open();
    const { tools } = await inspect(...target, '--method', 'tools/list');
    expect(tools).toEqual([expect.objectContaining({ name: thing.name, description: 'Get one thing.' })]);
    const call = ['--method', 'tools/call', '--tool-name', thing.name, '--tool-arg', 'name=lamp'];
    expect(await inspect(...target, ...call)).toMatchObject({ content: [{ type: 'text', text: thing.text }] });
  });
});
