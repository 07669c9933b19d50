import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createPlaces, databaseOf, documentOf, openFolder } from './fixtures/places.ts';
import { findMissingFiles } from './locate-file.ts';

const folder = openFolder();
afterAll(() => folder.remove());
const schemaFile = join(folder.path, 'schema', 'places.mjs');
const resources = join(folder.path, 'schema', 'resources');
mkdirSync(resources, { recursive: true });
createPlaces(join(resources, 'here.db'));
writeFileSync(join(resources, 'here.md'), '# Here');
symlinkSync('/etc/hostname', join(resources, 'link.md'));

const places = { schemaFile, cwd: folder.path, home: join(folder.path, 'home') };
const here = databaseOf({ origin: 'inline', name: 'here.db' });
const gone = databaseOf({ origin: 'inline', name: 'gone.db' });

test('existing files and documents on the web give no finding', async () => {
  const page = documentOf({ source: 'http', url: 'https://example.com/guide.md' });
  const guide = documentOf({ origin: 'inline', name: 'here.md' });
  expect(await findMissingFiles([here, guide, page], places)).toEqual([]);
});

test('a missing database is a warning with the paths where it may be', async () => {
  const [finding, ...others] = await findMissingFiles([here, gone], places);
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ code: 'RES020', severity: 'warning', path: 'main.resources.places' });
  expect(finding?.message).toContain('Failed to open database "gone.db": there is no such file. Looked for it at');
  expect(finding?.message).toContain(join(resources, 'gone.db'));
  expect(finding?.hint).toContain(resources);
});

test('a missing document is one too', async () => {
  const [finding] = await findMissingFiles([documentOf({ origin: 'global', name: 'guide.md' })], places);
  expect(finding).toMatchObject({ code: 'RES020', severity: 'warning' });
  expect(finding?.message).toContain(join(folder.path, 'home', '.schemakit', 'resources', 'guide.md'));
});

test('a file that the schema may not read is a warning', async () => {
  const outside = documentOf({ origin: 'inline', name: 'link.md' });
  expect(await findMissingFiles([outside], { ...places, read: ['/etc'] })).toEqual([]);
  const [finding] = await findMissingFiles([outside], places);
  expect(finding).toMatchObject({ code: 'RES020', severity: 'warning' });
  expect(finding?.message).toContain('outside of the folders');
});
