import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeBlocks, projectFolder, readPage } from './markdown.ts';
import { execute } from './page-folder.ts';

const folders = readdirSync(join(projectFolder, 'examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const outputs = codeBlocks(readPage('examples/README.md')).filter(({ words }) => words[0] === 'prints');

test('examples/README.md shows what each example prints', () => {
  expect(outputs.map(({ words }) => words[1]).sort()).toEqual(folders.sort());
});

test.each(folders)('examples/%s', async (name) => {
  const home = await mkdtemp(join(tmpdir(), 'schemakit-example-'));
  const { exitCode, stdout, stderr } = await execute('node', [join(projectFolder, 'examples', name, 'main.ts')], home);
  await rm(home, { recursive: true, force: true });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toBe(outputs.find(({ words }) => words[1] === name)?.text);
});
