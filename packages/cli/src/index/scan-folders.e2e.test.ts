import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scanFolders } from './scan-folders.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'scan-'));
  onTestFinished(() => void execFileSync('rm', ['-rf', folder]));
  return folder;
}

test('unreadable entries are reported once, and all others are found', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'a.mjs'), '');
  writeFileSync(join(folder, 'z.mjs'), '');
  // A path that is longer than the system takes, which stops even an administrator.
  const name = 'deep'.repeat(60);
  const steps = Array.from({ length: 16 }, () => `mkdir ${name} && cd ${name}`).join(' && ');
  const leave = `touch ${'x'.repeat(255)} ${'y'.repeat(255)}`;
  execFileSync('sh', ['-c', `${steps} && ${leave}`], { cwd: folder });
  const { files, findings } = scanFolders([{ source: 's', folder }]);
  expect(files.map(({ place }) => place)).toEqual(['s/a.mjs', 's/z.mjs']);
  expect(findings).toMatchObject([{ code: 'IDX002', message: expect.stringContaining('ENAMETOOLONG') }]);
});
