import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { moduleKind } from './module-kind.ts';

test.each([
  ['schema', 'export const main = { namespace: "tides" };'],
  ['schema', 'const main = {}; export { main };'],
  [
    'schema',
    'export const schema = { flowMCP: "1.2.0", routes: { get: { requestMethod: "GET" } }, handlers: [() => 1] };',
  ],
  ['schema', 'export const main = {'],
  ['agent', 'export const agent = { name: "guide" };'],
  ['agent', 'export const main = { version: "schemakit/3.0.0" };'],
  ['list', 'export const list = { meta: {}, entries: [] };'],
  ['skill', 'const content = "Do it."; export const skill = { content };'],
  ['prompt', 'export const content = `Ask first.`;'],
  ['prompt', 'export const prompt = { content: "Ask first." };'],
  [undefined, 'export const schema = { type: "object" };'],
  [undefined, 'export function seed() {}'],
  [undefined, 'import fs from "node:fs"; fs.writeFileSync("a.db", "");'],
  [undefined, ''],
])('%s: %s', async (kind, text) => {
  const folder = await mkdtemp(join(tmpdir(), 'schemakit-kind-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'module.mjs'), text);
  expect(moduleKind(join(folder, 'module.mjs'))).toBe(kind);
  expect(moduleKind(join(folder, 'absent.mjs'))).toBe('schema');
});
