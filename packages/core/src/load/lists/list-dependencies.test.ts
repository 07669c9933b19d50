import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSharedLists } from './shared-lists.ts';

let base: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'list-dependencies-'));
});
afterAll(() => rm(base, { recursive: true, force: true }));

type Graph = Readonly<Record<string, readonly unknown[]>>;

/** Writes a list for each name, with its dependencies, and reads the requested ones. */
async function read(graph: Graph, refs: readonly string[] = Object.keys(graph).slice(0, 1)) {
  const folder = await mkdtemp(join(base, 'lists-'));
  for (const [name, dependsOn] of Object.entries(graph)) {
    const list = { meta: { name, version: '1.0.0', fields: [], dependsOn }, entries: [{ alias: name }] };
    await writeFile(join(folder, `${name}.mjs`), `export const list = ${JSON.stringify(list, null, 2)};`);
  }
  const { sharedLists, findings } = await readSharedLists(
    refs.map((ref) => ({ ref })),
    folder,
  );
  return { folder, sharedLists, findings, messages: findings.map(({ message }) => message) };
}

test('dependencies of a list are not returned with it', async () => {
  const { sharedLists, findings } = await read({ a: ['b'], b: [] });
  expect({ sharedLists, findings }).toEqual({ sharedLists: { a: [{ alias: 'a' }] }, findings: [] });
});

test('a finding names the chain of lists, and the position of the dependency', async () => {
  const { findings, folder } = await read({ a: ['b'], b: [{ ref: 'none', version: '1.0.0' }] });
  expect(findings).toMatchObject([
    {
      code: 'VAL072',
      severity: 'error',
      path: 'list.meta.dependsOn[0]',
      message: "Shared list 'none' not found in lists directory (a -> b -> none)",
      file: join(folder, 'b.mjs'),
      line: 7,
    },
  ]);
  const { messages } = await read({ a: ['b'], b: [{ ref: 'c', version: '2.0.0' }], c: [] });
  expect(messages).toEqual(["Shared list 'c' has version 1.0.0, not 2.0.0 (a -> b -> c)"]);
});

test('cycles are shown from their beginning', async () => {
  const { messages } = await read({ a: ['b'], b: ['c', 'b'], c: ['b'] });
  expect(messages).toEqual([
    'shared lists depend on each other in a circle: b -> c -> b',
    'shared lists depend on each other in a circle: b -> b',
  ]);
});

test('the longest chain counts, in any order of discovery', async () => {
  const graph = { a: ['e', 'b'], b: ['c'], c: ['d'], d: ['e'], e: [] };
  expect((await read(graph)).messages).toEqual([
    "the shared list 'a' depends on a list that is 4 steps away: a -> b -> c -> d -> e",
  ]);
  expect((await read(graph, ['b', 'a', 'e'])).messages).toHaveLength(1);
});

test('a list that many depend on is checked once', async () => {
  const middle = Array.from({ length: 5 }, (_, index) => `m${index}`);
  const graph = { a: middle, ...Object.fromEntries(middle.map((name) => [name, ['z']])), z: ['none', 5] };
  expect((await read(graph, ['a', 'm1', 'z'])).findings.map(({ code }) => code)).toEqual(['LST009', 'VAL072']);
});

test('a broken dependency reports its own errors', async () => {
  const folder = await mkdtemp(join(base, 'lists-'));
  const a = { meta: { name: 'a', version: '1.0.0', fields: [], dependsOn: ['b'] }, entries: [1] };
  await writeFile(join(folder, 'a.mjs'), `export const list = ${JSON.stringify(a)};`);
  await writeFile(join(folder, 'b.mjs'), 'export const list = {');
  const { sharedLists, findings } = await readSharedLists([{ ref: 'a' }], folder);
  expect(findings).toMatchObject([{ code: 'MOD001', severity: 'error', file: join(folder, 'b.mjs') }]);
  expect(sharedLists.a).toEqual([1]);
});

test('a chain of a thousand lists gives a short message', async () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `l${index}`);
  const graph = Object.fromEntries(names.map((name, index) => [name, [names[index + 1] ?? 'l0']]));
  const { findings, messages } = await read(graph);
  expect(findings.map(({ code }) => code)).toEqual(['LST010', 'LST011']);
  expect(messages.every((message) => message.length < 200)).toBe(true);
});

test('finds cycles and depth in any graph', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const reference = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...names) },
    { weight: 1, arbitrary: fc.constantFrom('none', '__proto__', '../a', '') },
    { weight: 1, arbitrary: fc.constantFrom(null, 7, {}, []) },
  );
  const graphs = fc.record(Object.fromEntries(names.map((name) => [name, fc.array(reference, { maxLength: 3 })])));
  await fc.assert(
    fc.asyncProperty(graphs, fc.subarray(names, { minLength: 1 }), async (graph, refs) => {
      const { findings, folder } = await read(graph as Graph, refs);
      await rm(folder, { recursive: true });
      const codes = new Set(findings.map(({ code }) => code));
      const reachable = reach(graph as Graph, refs);
      const circle = [...reachable].some((name) => reach(graph as Graph, stepsOf(graph as Graph, name)).has(name));
      expect(codes.has('LST010')).toBe(circle);
      if (!circle) expect(codes.has('LST011')).toBe(refs.some((ref) => depth(graph as Graph, ref) > 3));
      const said = findings.map((finding) => JSON.stringify(finding));
      expect(new Set(said).size).toBe(said.length);
    }),
    { numRuns: 150 },
  );
});

function stepsOf(graph: Graph, name: string): readonly string[] {
  return (graph[name] ?? []).filter((ref) => typeof ref === 'string' && Object.hasOwn(graph, ref)) as string[];
}

function reach(graph: Graph, from: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...from];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    waiting.push(...stepsOf(graph, name));
  }
  return found;
}

function depth(graph: Graph, name: string): number {
  return Math.max(0, ...stepsOf(graph, name).map((next) => 1 + depth(graph, next)));
}
