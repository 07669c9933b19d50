import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

/** Saves and loads 180 MB of versions of a file, then prints how much memory is still used. */
const program = `
  import { writeFileSync } from 'node:fs';
  import { SchemaKit } from ${JSON.stringify(new URL('../schemakit.ts', import.meta.url).href)};
  const filePath = 'depths.mjs';
  for (let version = 0; version < 100; version += 1) {
    const main = {
      namespace: 'depths', name: 'Depths', description: 'd'.repeat(1_800_000) + version, version: '3.0.0',
      root: 'https://depths.example',
      tools: { getDepth: { method: 'GET', path: '/', description: 'The depth', parameters: [] } },
    };
    const handlers = 'export const handlers = () => ({ getDepth: { postRequest: async ({ response }) => ({ response }) } });';
    writeFileSync(filePath, 'export const main = ' + JSON.stringify(main) + ';' + handlers);
    const { status } = await SchemaKit.loadSchema({ filePath });
    if (!status) throw new Error('version ' + version + ' did not load');
  }
  gc();
  const { heapUsed, external } = process.memoryUsage();
  console.log(heapUsed + external);`;

test('Versions of a large file do not fill the memory of a program that watches it', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'many-versions-'));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const flags = ['--expose-gc', '--conditions=@schemakit/source', '--input-type=module', '-e', program];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd });
  expect(Number(stdout)).toBeLessThan(120_000_000);
}, 60_000);
