import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from './support/temporary-folder.ts';

const cli = 'packages/cli';
const manifest = readFileSync(join(cli, 'package.json'), 'utf8');
const { version } = JSON.parse(manifest) as { version: string };

function schemakit(words: readonly string[], folder = cli): { status: number | null; stdout: string; stderr: string } {
  const args = [join(folder, 'bin/schemakit.js'), ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 });
  return { status, stdout, stderr };
}

describe('the version', () => {
  test.each([[['--version']], [['-v']], [['--version', '--json']], [['--cwd', '.', '--version']]])(
    'schemakit %j',
    (words) => {
      expect(schemakit(words)).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
    },
  );

  test('is there before the command is loaded', async () => {
    const folder = await temporaryFolder({
      'bin/schemakit.js': readFileSync(join(cli, 'bin/schemakit.js')),
      'package.json': manifest,
    });
    expect(schemakit(['--version'], folder)).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
    expect(schemakit(['--help'], folder).status).not.toBe(0);
  });
});

describe('help', () => {
  test.each([
    [['help'], ['--help']],
    [
      ['help', 'group', 'append'],
      ['group', 'append', '--help'],
    ],
    [
      ['help', 'call', '--help'],
      ['call', '--help'],
    ],
  ])('%j is that of %j', (words, same) => {
    const { status, stdout, stderr } = schemakit(words);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^USAGE\n {2}schemakit /);
    expect(stdout).toBe(schemakit(same).stdout);
  });
});
