import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mainWith, withParameter } from '../../schema/rules/fixtures/rule-case.ts';
import { loadSchema } from '../load-schema.ts';

let folder: string;
let number = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'schemakit-filters-'));
  await mkdir(join(folder, '_lists'));
  const entries = [
    { id: 1, alias: 'ethereum', tags: ['main'], note: null },
    { id: 10, alias: 'optimism', tags: ['rollup'], note: null },
  ];
  const list = { meta: { name: 'chains', version: '1.0.0' }, entries };
  await writeFile(join(folder, '_lists', 'chains.mjs'), `export const list = ${JSON.stringify(list)};`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What is said of a schema with an enum of the list. */
async function loadWith(filters: readonly unknown[], field = 'alias') {
  const sharedLists = filters.map((filter) => ({ ref: 'chains', version: '1.0.0', ...(filter ? { filter } : {}) }));
  const main = mainWith({ ...withParameter({}, { primitive: `enum({{chains:${field}}})` }), sharedLists });
  number += 1;
  const filePath = join(folder, `schema-${number}.mjs`);
  await writeFile(filePath, `export const main = ${JSON.stringify(main)};`);
  const { status, findings } = await loadSchema({ filePath });
  const said = findings.filter(({ code }) => /^VAL0(4|7)/.test(code));
  return { status, said: said.map(({ code, message, hint }) => `${code} ${message} | ${hint}`) };
}

const empty = (hint: string) => [
  `VAL074 the filter of shared list 'chains' does not match any of its 2 entries (main.sharedLists[0].filter) | ${hint}`,
  "VAL049 shared list 'chains' has no values for alias: its filter matches no entry (enum of id in getThing) | See the filter in main.sharedLists[0].",
];

test.each([
  [{ key: 'id', value: 99 }, '"id" has the values 1, 10.'],
  [{ key: 'id', in: ['1'] }, '"id" has values of type number there: write 1.'],
  [{ key: 'idd', exists: true }, 'Did you mean id?'],
  [{ key: 'colour', value: 'red' }, 'Their fields are: id, alias, tags, note.'],
  [{ key: 'id', exists: false }, 'All of them have "id".'],
  [{ key: 'note', exists: true }, 'None of them has a value for "note".'],
])('a filter that no entry passes says why: %j', async (filter, hint) => {
  expect(await loadWith([filter])).toEqual({ status: false, said: empty(hint) });
});

test('a filter that some entries match gives no finding', async () => {
  expect(await loadWith([{ key: 'id', value: 10 }])).toEqual({ status: true, said: [] });
});

test.each([
  ['tags', 'Its values are lists or objects; an enum takes a field with text, numbers, or true and false.'],
  ['note', 'All of its values are null.'],
  ['aliass', 'Did you mean alias?'],
])('a field without values for an enum says why: %s', async (field, hint) => {
  const message = `VAL049 shared list 'chains' has no values for ${field} (enum of id in getThing)`;
  expect((await loadWith([undefined], field)).said).toEqual([`${message} | ${hint}`]);
});
