import { createHash, createHmac } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SchemaKit } from '@schemakit/core';
import { expect, test } from 'vitest';
import { mainWith, moduleText } from './support/schema-module.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { startUpstream } from './support/upstream.ts';

const handlers = `({ libraries }) => ({ getThing: { preRequest: async ({ struct, serverParams }) => {
  struct.headers['x-signature'] = libraries.crypto.createHmac('sha256', serverParams.KEY).update(struct.url).digest('hex');
  return { struct };
} } })`;

async function writeSchema(): Promise<{ filePath: string; pin: string; origin: string; requests: readonly unknown[] }> {
  const upstream = await startUpstream();
  const main = mainWith({ root: upstream.origin, requiredServerParams: ['KEY'], requiredLibraries: ['crypto'] });
  const folder = await temporaryFolder({ 'schema.mjs': moduleText(main, handlers) });
  const filePath = join(folder, 'schema.mjs');
  return { filePath, pin: await hashOf(filePath), ...upstream };
}

async function hashOf(file: string): Promise<string> {
  return `sha256:${createHash('sha256')
    .update(await readFile(file))
    .digest('hex')}`;
}

test('trusted handlers run in this process and see the values of secrets', async () => {
  const { filePath, pin, origin, requests } = await writeSchema();
  const schema = await SchemaKit.loadSchema({ filePath, isolation: 'trusted', pin });
  expect(schema.messages).toEqual([]);
  const { status } = await SchemaKit.fetch({ schema, routeName: 'getThing', serverParams: { KEY: 'the-real-key' } });
  expect(status).toBe(true);
  const signature = createHmac('sha256', 'the-real-key').update(`${origin}/thing`).digest('hex');
  expect(requests).toMatchObject([{ headers: { 'x-signature': signature } }]);
});

test('without a pin the hint says the one to write', async () => {
  const { filePath, pin } = await writeSchema();
  const { status, findings } = await SchemaKit.loadSchema({ filePath, isolation: 'trusted' });
  expect(status).toBe(false);
  expect(findings).toContainEqual(expect.objectContaining({ code: 'PIN_MISSING', hint: expect.stringContaining(pin) }));
});

test('a file that changed is refused', async () => {
  const { filePath, pin } = await writeSchema();
  await writeFile(filePath, `${await readFile(filePath, 'utf8')}\n// another line`);
  const { status, findings } = await SchemaKit.loadSchema({ filePath, isolation: 'trusted', pin });
  expect(status).toBe(false);
  expect(findings.map(({ code }) => code)).toContain('PIN_MISMATCH');
});
