import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cliProject, shopSchema } from './support/cli-project.ts';

const command = resolve('packages/cli/bin/schemakit.js');
const bad = shopSchema(['getThing'], { version: 'v3' });

/** Starts `schemakit validate … --watch` for as long as the test goes on. */
function watch(args: readonly string[], { folder, home }: { folder: string; home: string }) {
  const env = { ...process.env, SCHEMAKIT_HOME: home };
  const child = spawn(process.execPath, [command, 'validate', ...args, '--watch'], { cwd: folder, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return {
    /** Waits until so many results were shown. */
    async shown(count: number): Promise<string[]> {
      const results = () => stderr.match(/\d+ of \d+ schemas? valid\./g) ?? [];
      const waits = () => stderr.split('Watching for changes. Press Ctrl-C to stop.').length - 1;
      while (waits() < count) await once(child.stderr, 'data');
      return results();
    },
    async end(): Promise<{ status: number | null; stdout: string }> {
      child.kill('SIGINT');
      const [status] = (await once(child, 'close')) as [number | null];
      return { status, stdout };
    },
  };
}

describe.skipIf(process.platform === 'win32')('schemakit validate --watch', () => {
  test('checks again when a file changes, comes or goes, and ends with the last status', async () => {
    const project = await cliProject({ 'project/schemas/shop.mjs': shopSchema() });
    const watching = watch(['schemas'], project);
    expect(await watching.shown(1)).toEqual(['1 of 1 schema valid.']);
    await writeFile(join(project.folder, 'schemas/shop.mjs'), bad);
    expect((await watching.shown(2)).at(-1)).toBe('0 of 1 schema valid.');
    await writeFile(join(project.folder, 'schemas/more.mjs'), shopSchema(['other']));
    expect((await watching.shown(3)).at(-1)).toBe('1 of 2 schemas valid.');
    const { status, stdout } = await watching.end();
    expect(status).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ status: false, total: 2, passed: 1, failed: 1 });
  });

  test('ends with 0 once all is well, and writes SARIF at the end if that was asked for', async () => {
    const project = await cliProject({ 'project/shop.mjs': bad });
    const watching = watch(['shop.mjs', '--format', 'sarif'], project);
    await watching.shown(1);
    await writeFile(join(project.folder, 'shop.mjs'), shopSchema());
    await watching.shown(2);
    const { status, stdout } = await watching.end();
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ version: '2.1.0', runs: [{ results: [] }] });
  });
});
