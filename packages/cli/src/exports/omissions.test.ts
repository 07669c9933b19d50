import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type LoadedSchema, SchemaKit } from '@schemakit/core';
import { expect, onTestFinished, test } from 'vitest';
import { mainWith, moduleText, parameter } from '../../../../tests/e2e/support/schema-module.ts';
import { schemaFiles } from './bundle-schemas.ts';
import { exportedSchema } from './fixtures/exported-schema.ts';
import { openApiDocument } from './openapi-document.ts';

async function loadMain(parts: Record<string, unknown>): Promise<LoadedSchema> {
  const folder = mkdtempSync(join(tmpdir(), 'schemakit-export-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const filePath = join(folder, 'shop.mjs');
  writeFileSync(filePath, moduleText(mainWith(parts)));
  const schema = await SchemaKit.loadSchema({ filePath });
  expect(schema.status).toBe(true);
  return schema;
}

const tool = (parts: object) => ({
  tools: { get: { method: 'GET', path: '/a', description: 'A', parameters: [], ...parts } },
});
const pages = { pagination: { style: 'link', items: '', maxPages: 3 } };

test.each([
  ['EXP012', tool({}), ['the resource guide']],
  ['EXP021', tool(pages), []],
  ['EXP025', tool({ parameters: [parameter('text', 'body')] }), []],
])('%s is noted in the document', async (code, parts, others) => {
  const loaded = await loadMain(parts);
  const { omissions, operationCount } = openApiDocument([{ ...exportedSchema(loaded), others }], {
    title: 'T',
    version: '1',
  });
  expect(omissions).toMatchObject([{ code, message: expect.any(String), hint: expect.any(String) }]);
  expect(operationCount).toBe(1);
});

test('EXP013: a tool without an http address is left out', async () => {
  const loaded = await loadMain({ ...tool({}), root: 'local://shop' });
  const { omissions, operationCount } = openApiDocument([exportedSchema(loaded)], { title: 'T', version: '1' });
  expect(omissions).toMatchObject([{ code: 'EXP013' }]);
  expect(operationCount).toBe(0);
});

test('EXP014: a file at an absolute path is not in a bundle', async () => {
  const resources = { guide: { source: 'markdown', description: 'A guide.', name: '/none/guide.md' } };
  const loaded = await loadMain({ ...tool({}), resources });
  const { omissions } = await schemaFiles([{ loaded, folder: dirname(loaded.file), lockFile: undefined }]);
  expect(omissions).toMatchObject([{ code: 'EXP014' }]);
});
