import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { scanFolders } from '../../index/scan-folders.ts';
import { lookText } from './open-serving.ts';
import type { SourceLook } from './serving-source.ts';
import { watchSchemas } from './start-serving.ts';

let folder: string;
const look = (): SourceLook => ({
  scan: scanFolders([{ source: '', folder }]),
  ...{ state: '', refused: [], groups: new Map() },
  serves: () => true,
  lostAmong: () => [],
});
const remember = async () => {};
const complain = (message: string) => expect.fail(message);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'schemakit-watch-'));
  writeFileSync(join(folder, 'tides.mjs'), 'export const main = {};\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a file that changes between loading and watching is reloaded', async () => {
  const state = lookText(look());
  writeFileSync(join(folder, 'tides.mjs'), 'export const main = { tools: {} };\n');
  const { promise: said, resolve: say } = Promise.withResolvers<string>();
  const reload = async () => [];
  const stop = await watchSchemas({ paths: [folder], look }, { state, remember, reload }, { say, complain });
  expect(await said).toBe('Schemas reloaded.');
  await stop();
});

test('unchanged files are not reloaded until one changes', async () => {
  const reload = vi.fn(async () => []);
  const { promise: said, resolve: say } = Promise.withResolvers<string>();
  const state = lookText(look());
  const stop = await watchSchemas({ paths: [folder], look }, { state, remember, reload }, { say, complain });
  writeFileSync(join(folder, 'waves.mjs'), 'export const main = {};\n');
  await said;
  await stop();
  expect(reload).toHaveBeenCalledTimes(1);
});
