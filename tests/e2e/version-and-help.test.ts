import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasTerminal } from './support/command.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { openTerminal } from './support/terminal-session.ts';

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
    expect(stdout).toMatch(/^[A-Z].*\.\n\nUSAGE\n {2}schemakit /);
    expect(stdout).toBe(schemakit(same).stdout);
  });

  test('--select is about tools in `new`, and about results in `call`', () => {
    expect(schemakit(['new', '--help']).stdout).toMatch(/CHOOSE TOOLS\n {2}--select/);
    expect(schemakit(['call', '--help']).stdout).toMatch(/RESULTS\n {2}--select/);
  });

  test('--tasks of runs names every kind of store', () => {
    const { stdout } = schemakit(['agent', 'runs', 'list', '--help']);
    expect(stdout).toContain('--tasks <url>');
    for (const kind of ['sqlite:<file>', 'redis://…', 'postgres://…']) expect(stdout).toContain(kind);
  });

  test('the first page fits a screen, and groups the commands', () => {
    const lines = schemakit(['--help']).stdout.split('\n');
    expect(lines.length).toBeLessThanOrEqual(55);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100);
    const headings = lines.filter((line) => /^[A-Z ]+$/.test(line));
    expect(headings).toEqual([
      'USAGE',
      'START HERE',
      'USE TOOLS',
      'WRITE SCHEMAS',
      'BRING IN SCHEMAS',
      'SERVE',
      'CHECK SERVERS',
      'FLAGS OF EVERY COMMAND',
      'EXAMPLES',
    ]);
  });

  test.each([
    ['call', '--no-cache'],
    ['run', '--no-watch'],
    ['init', '--no-import'],
  ])('%s offers %s, which does something, and not its opposite', (command, flag) => {
    const { stdout } = schemakit([command, '--help']);
    expect(stdout).toContain(`  ${flag}`);
    expect(stdout).not.toContain(` ${flag.replace('no-', '')} `);
  });

  test.runIf(hasTerminal)('lines are as long as the terminal is wide, without colour for NO_COLOR', async () => {
    const shell = await openTerminal({ cwd: process.cwd(), env: { NO_COLOR: '1' } });
    const { screen } = await shell.run('stty cols 60; schemakit serve --help');
    const lines = screen.split('\n').map((line) => line.trimEnd());
    expect(lines).toContain('LIMITS AND LOGS');
    expect(
      Math.max(...lines.filter((line) => !line.includes('schemakit serve')).map(({ length }) => length)),
    ).toBeLessThanOrEqual(60);
    expect(screen).not.toContain('\u001b[');
  });
});
