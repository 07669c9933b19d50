import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { updateFile } from './update-file.ts';

describe('updateFile', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'schemakit-update-'));
    file = join(folder, 'count.txt');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('loses nothing when many change one file, and leaves nothing else behind', async () => {
    const add = () => updateFile(file, async (text = '0') => String(Number(text) + 1));
    await Promise.all(Array.from({ length: 25 }, add));
    expect(readFileSync(file, 'utf8')).toBe('25');
    expect(readdirSync(folder)).toEqual(['count.txt']);
  });

  test('does not write what is the same, nor where it is told to leave the file alone', async () => {
    writeFileSync(file, 'a');
    const { ino } = statSync(file);
    await updateFile(file, (text) => text);
    await updateFile(file, () => undefined);
    expect(statSync(file).ino).toBe(ino);
  });

  test('leaves the file as it was where the change throws', async () => {
    writeFileSync(file, 'a');
    const change = () => {
      throw new Error('no');
    };
    await expect(updateFile(file, change)).rejects.toThrow('no');
    expect(readFileSync(file, 'utf8')).toBe('a');
    expect(readdirSync(folder)).toEqual(['count.txt']);
  });

  test.runIf(process.platform !== 'win32')(
    'makes a file with the mode that is asked for, and keeps that of one that is there',
    async () => {
      await updateFile(file, () => 'a', { mode: 0o600 });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      chmodSync(file, 0o640);
      await updateFile(file, () => 'b', { mode: 0o600 });
      expect(statSync(file).mode & 0o777).toBe(0o640);
    },
  );

  test('does not take a folder for a file', async () => {
    mkdirSync(file);
    await expect(updateFile(file, () => 'a')).rejects.toThrow('no regular file');
  });
});
