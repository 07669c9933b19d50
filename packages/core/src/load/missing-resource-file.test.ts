import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadSchema } from './load-schema.ts';

test('a resource whose file is missing is a warning with its line, and the schema loads', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'schema-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const filePath = join(folder, 'a.mjs');
  writeFileSync(
    filePath,
    `export const main = {
  namespace: 'a', name: 'A', description: 'A.', version: '3.0.0', root: '', requiredServerParams: [],
  requiredLibraries: [], headers: {}, tools: {},
  resources: {
    guide: { source: 'markdown', origin: 'inline', name: 'guide.md', description: 'How to.' },
  },
};`,
  );
  const { status, findings } = await loadSchema({ filePath });
  expect(status).toBe(true);
  expect(findings).toContainEqual(
    expect.objectContaining({ code: 'RES020', severity: 'warning', line: 5, path: 'main.resources.guide' }),
  );
  writeFileSync(join(folder, 'guide.md'), '# Guide');
  expect((await loadSchema({ filePath })).findings.map(({ code }) => code)).not.toContain('RES020');
});
