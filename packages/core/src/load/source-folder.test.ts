import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostGroup, sourceFolder } from './load-schema.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'schemakit-sources-'));
  await mkdir(join(root, 'imports', 'peaks', 'alps'), { recursive: true });
  await mkdir(join(root, 'own', 'tides'), { recursive: true });
  await mkdir(join(root, 'bare'));
  await writeFile(join(root, 'imports', 'peaks', '_source.json'), '{}');
  await writeFile(join(root, 'imports', 'schemakit.lock.json'), '{}');
  await writeFile(join(root, 'own', 'schemakit.lock.json'), '{}');
});
afterAll(() => rm(root, { recursive: true, force: true }));

test.each([
  [
    'an imported folder, which wins over other paths',
    'imports/peaks/alps/peaks.mjs',
    'imports/peaks',
    { source: '/a' },
  ],
  ['the folder that was loaded as a whole', 'own/tides/tides.mjs', 'own/tides', { source: 'own/tides' }],
  ['the folder of the nearest lock file', 'own/tides/tides.mjs', 'own', {}],
  ['the folder of the lock file that is named', 'bare/tides.mjs', 'own', { lockFile: 'own/schemakit.lock.json' }],
  ['the folder of the file', 'bare/tides.mjs', 'bare', {}],
])('the source of a schema is %s', (_, file, folder, { source, lockFile }: { source?: string; lockFile?: string }) => {
  const options = {
    ...(source && { source: source.startsWith('/') ? source : join(root, source) }),
    ...(lockFile && { lockFile: join(root, lockFile) }),
  };
  expect(sourceFolder(join(root, file), options)).toBe(join(root, folder));
});

test('programs share hosts only with the same source, owner and grants, in any order of the grants', () => {
  const grants = { network: ['https://a.example', 'https://b.example'], secrets: ['A', 'B'] };
  const group = hostGroup('/a', { grants });
  const turned = { network: ['https://b.example', 'https://a.example'], secrets: ['B', 'A'] };
  expect(hostGroup('/a', { grants: turned })).toBe(group);
  const others = [
    hostGroup('/b', { grants }),
    hostGroup('/a', { grants, owner: 'one' }),
    hostGroup('/a', { grants, owner: 'two' }),
    hostGroup('/a', { grants: {} }),
    hostGroup('/a', { grants: { ...grants, network: 'any' } }),
    hostGroup('/a', { grants: { ...grants, secrets: ['A'] } }),
  ];
  expect(new Set([group, ...others]).size).toBe(7);
});
