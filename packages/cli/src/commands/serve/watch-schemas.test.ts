import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { scanFolders, scanText } from '../../index/scan-folders.ts';
import { watchSchemas } from './watch-schemas.ts';

let folder: string;
const look = () => scanText(scanFolders([{ source: '', folder }]));
const remember = async () => {};
const complain = (message: string) => expect.fail(message);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'schemakit-watch-'));
  writeFileSync(join(folder, 'tides.mjs'), 'export const main = {};\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a file that changes between loading and watching is reloaded', async () => {
  const state = look();
  writeFileSync(join(folder, 'tides.mjs'), 'export const main = { tools: {} };\n');
  const reloaded = Promise.withResolvers<void>();
  const onReload = () => reloaded.resolve();
  const stop = await watchSchemas({
    paths: () => [folder],
    look,
    state,
    remember,
    reload: async () => [],
    onReload,
    complain,
  });
  await reloaded.promise;
  await stop();
});

test('unchanged files are not reloaded until one changes', async () => {
  const reload = vi.fn(async () => []);
  const reloaded = Promise.withResolvers<void>();
  const onReload = () => reloaded.resolve();
  const stop = await watchSchemas({
    paths: () => [folder],
    look,
    state: look(),
    remember,
    reload,
    onReload,
    complain,
  });
  writeFileSync(join(folder, 'waves.mjs'), 'export const main = {};\n');
  await reloaded.promise;
  await stop();
  expect(reload).toHaveBeenCalledTimes(1);
});
