import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const command = fileURLToPath(new URL('../../packages/cli/bin/schemakit.js', import.meta.url));

test('the demo calls its tools over MCP and leaves nothing in the home of the user', async () => {
  const home = await mkdtemp(join(tmpdir(), 'schemakit-demo-home-'));
  const env = { PATH: process.env.PATH, HOME: home };
  const { stdout } = await promisify(execFile)(process.execPath, [command, 'demo'], { env });
  expect(stdout).toContain('garden__searchPlants {"q":"allium"');
  expect(stdout).toContain('<- ');
  expect(stdout).toContain('schemakit-validator');
  expect(await readdir(home)).toEqual([]);
  await rm(home, { recursive: true });
});
