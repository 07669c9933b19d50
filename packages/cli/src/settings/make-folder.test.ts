import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeFolder } from './make-folder.ts';

describe('makeFolder', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'make-folder-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test('creates missing folders and keeps existing ones', () => {
    mkdirSync(join(root, 'there'), { mode: 0o755 });
    makeFolder(join(root, 'there/a/b'), { mode: 0o700 });
    makeFolder(join(root, 'there/a/b'), { mode: 0o755 });
    expect(statSync(join(root, 'there/a/b')).isDirectory()).toBe(true);
    if (process.platform === 'win32') return;
    const modes = ['there', 'there/a', 'there/a/b'].map((path) => statSync(join(root, path)).mode & 0o777);
    expect(modes).toEqual([0o755, 0o700, 0o700]);
  });

  test('fails if a file is in the way', () => {
    writeFileSync(join(root, 'file'), '');
    for (const path of ['file', 'file/a/b']) expect(() => makeFolder(join(root, path))).toThrow('EEXIST');
  });

  test.runIf(process.platform === 'linux')('fails where the system has no folders to make', () => {
    expect(() => makeFolder('/proc/nowhere/below')).toThrow('cannot create a folder in /proc');
  });
});
