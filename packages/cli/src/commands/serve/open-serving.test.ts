import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { filesSource } from './files-source.ts';
import { openServing } from './open-serving.ts';

const tides = `export const main = {
  namespace: 'tides', name: 'Tides', description: 'When the sea comes and goes', version: '3.0.0',
  root: 'http://127.0.0.1:9', requiredServerParams: [], headers: {},
  tools: { getTide: { method: 'GET', path: '/tide', description: 'The next tide', parameters: [] } },
};
`;

let schemas: string;
let home: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'schemakit-open-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  [schemas, home] = [join(folder, 'schemas'), join(folder, 'home')];
  vi.stubEnv('SCHEMAKIT_HOME', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  mkdirSync(schemas);
  writeFileSync(join(schemas, 'tides.mjs'), tides);
});

const open = () => openServing(filesSource([schemas], { lock: undefined, isolation: 'process' }), { serverParams: {} });

/** Opens what is in the index: nothing of it is loaded yet. */
async function openKept() {
  await open();
  expect(readdirSync(join(home, 'cache', 'index'))).toHaveLength(1);
  return open();
}

const names = ({ catalog }: Awaited<ReturnType<typeof open>>) => catalog.current.tools.list.map(({ name }) => name);
const breakFile = () => writeFileSync(join(schemas, 'tides.mjs'), 'export const main = {');
const callTide = async ({ catalog }: Awaited<ReturnType<typeof open>>) => {
  const { content } = (await catalog.current.tools.byName.get('tides__getTide')?.call({})) ?? {};
  return JSON.stringify(content);
};

test('a file that breaks after a start from the index keeps its tools', async () => {
  const serving = await openKept();
  await serving.remember();
  breakFile();
  await serving.reload();
  expect(names(serving)).toEqual(['tides__getTide']);
  // It is called, and nobody listens there.
  expect(await callTide(serving)).toContain('ECONNREFUSED');
});

test('tools of a broken file that was not loaded stay in the list until it is fixed', async () => {
  const serving = await openKept();
  breakFile();
  await serving.reload();
  expect(names(serving)).toEqual(['tides__getTide']);
  expect(await callTide(serving)).toContain('is gone');
  writeFileSync(join(schemas, 'tides.mjs'), tides);
  await serving.reload();
  expect(await callTide(serving)).toContain('ECONNREFUSED');
});

test('schemas of a damaged index are loaded again, and the index is rebuilt', async () => {
  await openKept();
  const [name = ''] = readdirSync(join(home, 'cache', 'index'));
  const file = join(home, 'cache', 'index', name);
  const whole = readFileSync(file);
  writeFileSync(file, whole.subarray(0, -1));
  expect(names(await open())).toEqual(['tides__getTide']);
  const times = /"checked":[\d.]+/g;
  expect(readFileSync(file, 'utf8').replace(times, '')).toBe(whole.toString().replace(times, ''));
});

test('the next start detects files that were added, changed, removed or broken', async () => {
  await openKept();
  writeFileSync(join(schemas, 'waves.mjs'), tides.replaceAll('tides', 'waves'));
  expect(names(await open())).toEqual(['tides__getTide', 'waves__getTide']);
  writeFileSync(join(schemas, 'waves.mjs'), tides.replaceAll('tides', 'winds'));
  expect(names(await open())).toEqual(['tides__getTide', 'winds__getTide']);
  breakFile();
  const { findings, ...serving } = await open();
  expect(names({ findings, ...serving })).toEqual(['winds__getTide']);
  expect(findings).toContainEqual(expect.objectContaining({ severity: 'error', file: join(schemas, 'tides.mjs') }));
  rmSync(join(schemas, 'tides.mjs'));
  expect(names(await open())).toEqual(['winds__getTide']);
});

test('missing secrets are reported at each start from the index', async () => {
  writeFileSync(
    join(schemas, 'tides.mjs'),
    tides.replace('requiredServerParams: []', "requiredServerParams: ['TIDES_KEY']"),
  );
  const { findings } = await openKept();
  expect(findings).toContainEqual(expect.objectContaining({ code: 'SECRET_MISSING', path: 'serverParams.TIDES_KEY' }));
});
