import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { schemaText, temporaryFolder, writeFiles } from './fixtures/schema-files.ts';
import { openToolIndex, openToolSearch, type ToolIndex } from './tool-index.ts';

interface Place {
  file: string;
  folder: string;
  folders: { source: string; folder: string }[];
}

/** A folder of schemas that was written long ago, and a place for its index. */
function placeWith(files: Readonly<Record<string, string>>): Place {
  const home = temporaryFolder();
  const folder = join(home, 'schemas');
  writeFiles(folder, files);
  for (const name of Object.keys(files)) age(join(folder, name));
  mkdirSync(join(home, 'cache'));
  return { file: join(home, 'cache', 'index.jsonl'), folder, folders: [{ source: 'tests', folder }] };
}

/** So that the index may trust the file's time. */
function age(path: string): void {
  utimesSync(path, 1_700_000_000, 1_700_000_000);
}

async function openCounting(place: Place): Promise<{ index: ToolIndex; names: string[]; read: string[] }> {
  const read: string[] = [];
  const onProgress = ({ file }: { file: string }) => void read.push(file.slice(place.folder.length + 1));
  const index = await openToolIndex({ ...place, onProgress });
  return { index, names: index.tools().map(({ name }) => name), read: read.sort() };
}

const two = { 'a.mjs': schemaText('aa', { one: 'First' }), 'b.mjs': schemaText('bb', { one: 'Second' }) };

describe('an index that is reopened', () => {
  test('reads only new and changed files, and forgets removed ones', async () => {
    const place = placeWith(two);
    expect((await openCounting(place)).read).toEqual(['a.mjs', 'b.mjs']);
    expect((await openCounting(place)).read).toEqual([]);
    writeFiles(place.folder, {
      'b.mjs': schemaText('bb', { two: 'Third' }),
      'c/c.mjs': schemaText('cc', { one: 'x' }),
    });
    const changed = await openCounting(place);
    expect([changed.read, changed.names]).toEqual([
      ['b.mjs', 'c/c.mjs'],
      ['aa_one', 'bb_two', 'cc_one'],
    ]);
    expect(await changed.index.search('second')).toMatchObject({ matchCount: 0, unknownWords: ['second'] });
    rmSync(join(place.folder, 'a.mjs'));
    const less = await openCounting(place);
    expect([less.read, less.names]).toEqual([[], ['bb_two', 'cc_one']]);
    expect((await less.index.schemas()).map(({ namespace }) => namespace)).toEqual(['bb', 'cc']);
  });

  test('reads a file that is too large for a schema only once, even if it is new', async () => {
    const place = placeWith(two);
    writeFileSync(join(place.folder, 'large.mjs'), 'x'.repeat(5 * 1024 * 1024));
    const first = await openCounting(place);
    expect([first.names, first.index.findings]).toEqual([['aa_one', 'bb_one'], []]);
    expect((await openCounting(place)).read).toEqual([]);
    writeFiles(place.folder, { 'large.mjs': schemaText('large', { one: 'x' }) });
    expect((await openCounting(place)).names).toEqual(['aa_one', 'bb_one', 'large_one']);
  });

  test('detects a change that keeps size and time', async () => {
    const place = placeWith(two);
    await openCounting(place);
    writeFiles(place.folder, { 'b.mjs': schemaText('bb', { two: 'Second' }) });
    age(join(place.folder, 'b.mjs'));
    expect((await openCounting(place)).names).toEqual(['aa_one', 'bb_two']);
  });

  test('does not read files again that were only touched, or moved away and back', async () => {
    const place = placeWith(two);
    await openCounting(place);
    age(join(place.folder, 'a.mjs'));
    renameSync(join(place.folder, 'b.mjs'), join(place.folder, 'x.mjs'));
    renameSync(join(place.folder, 'x.mjs'), join(place.folder, 'b.mjs'));
    expect((await openCounting(place)).read).toEqual([]);
  });

  test('reads schemas again when a list, a skill or a file that failed may have changed', async () => {
    const list = (alias: string) =>
      `export const list = { meta: { name: 'chains', version: '1.0.0', description: 'x', fields: [{ key: 'alias', type: 'string', description: 'x' }] }, entries: [{ alias: '${alias}' }] };`;
    const parameters = [
      {
        position: { key: 'c', value: '{{USER_PARAM}}', location: 'query' },
        z: { primitive: 'enum({{chains:alias}})', options: [] },
      },
    ];
    const uses = schemaText('uses', { one: { parameters } }, { sharedLists: [{ ref: 'chains', version: '1.0.0' }] });
    const place = placeWith({ 'deep/uses.mjs': uses, 'plain.mjs': schemaText('plain', { one: 'x' }) });
    expect((await openCounting(place)).names).toEqual(['plain_one']);
    // Above the folder, where schemas look for lists too.
    writeFiles(join(place.folder, '..'), { '_lists/chains.mjs': list('polygon') });
    const added = await openCounting(place);
    expect(added.read).toEqual(['deep/uses.mjs']);
    expect((await added.index.search('polygon')).tools[0]?.name).toBe('uses_one');
    writeFiles(join(place.folder, '..'), { '_lists/chains.mjs': list('arbitrum') });
    const changed = await openCounting(place);
    expect(changed.read).toEqual(['deep/uses.mjs']);
    expect((await changed.index.search('arbitrum')).matchCount).toBe(1);
    expect((await changed.index.search('polygon')).matchCount).toBe(0);
  });

  test('follows a change of its folders', async () => {
    const place = placeWith({ 'x/a.mjs': two['a.mjs'], 'y/b.mjs': two['b.mjs'] });
    const namesIn = async (...folders: string[]) => {
      const index = await openToolIndex({
        file: place.file,
        folders: folders.map((folder) => ({ source: folder, folder: join(place.folder, folder) })),
      });
      return index.tools().map(({ reference }) => reference);
    };
    expect(await namesIn('x')).toEqual(['x/a.mjs::tool::one']);
    expect(await namesIn('y')).toEqual(['y/b.mjs::tool::one']);
    expect(await namesIn('x', 'y')).toEqual(['x/a.mjs::tool::one', 'y/b.mjs::tool::one']);
    expect(await namesIn()).toEqual([]);
  });

  test('equals a new index after any changes of its files', async () => {
    const change = fc.record({ file: fc.nat(4), tool: fc.option(fc.constantFrom('one', 'two', 'three')) });
    const place = placeWith({});
    mkdirSync(place.folder, { recursive: true });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        for (const { file, tool } of changes) {
          const path = join(place.folder, `f${file}.mjs`);
          if (tool === null) rmSync(path, { force: true });
          else writeFileSync(path, schemaText('shared', { [tool]: `About ${tool}`, [`own${file}`]: 'x' }));
        }
        const again = await openToolIndex(place);
        const anew = await openToolIndex({ ...place, file: join(temporaryFolder(), 'index.jsonl') });
        expect(again.tools()).toEqual(anew.tools());
        expect(again.schemas()).toEqual(anew.schemas());
        for (const query of ['shared', 'about one', 'own'])
          expect([await again.search(query), await (await openToolSearch(place)).search(query)]).toEqual(
            Array(2).fill(await anew.search(query)),
          );
      }),
      { numRuns: 25 },
    );
  });

  test('is not read for a search when nothing changed since the last one', async () => {
    const place = placeWith(two);
    const namesFound = async (query: string) => {
      const { tools } = await (await openToolSearch(place)).search(query);
      return tools.map(({ name }) => name);
    };
    expect(await namesFound('second')).toEqual(['bb_one']);
    rmSync(place.file);
    expect(await namesFound('second')).toEqual(['bb_one']);
    expect(existsSync(place.file)).toBe(false);
    writeFiles(place.folder, { 'b.mjs': schemaText('bb', { two: 'Third' }) });
    expect([await namesFound('second'), await namesFound('third')]).toEqual([[], ['bb_two']]);
    writeFileSync(`${place.file}.words`, 'x');
    expect(await namesFound('third')).toEqual(['bb_two']);
  });

  test('opens no schema and does not load the library when nothing changed', async () => {
    const place = placeWith(two);
    const first = await openInProcess(place, 'one');
    expect(first).toMatchObject({ result: { count: 2, outcome: 'match' }, isLibraryLoaded: true, stderr: '' });
    expect(first.opened.length).toBeGreaterThan(0);
    const second = await openInProcess(place, 'one');
    expect(second).toEqual({ result: first.result, opened: [], isLibraryLoaded: false, stderr: '' });
  });
});

describe('a damaged index is rebuilt', () => {
  const lines = (file: string) => readFileSync(file, 'utf8').split('\n');
  test.each<[string, (file: string) => void]>([
    ['when it is empty', (file) => writeFileSync(file, '')],
    ['when it is something else', (file) => writeFileSync(file, 'x'.repeat(50_000))],
    ['when its beginning is overwritten', (file) => writeFileSync(file, readFileSync(file).fill(7, 0, 100))],
    ['when its end is missing', (file) => truncateSync(file, readFileSync(file).length - 1)],
    ['when a line is missing', (file) => writeFileSync(file, lines(file).slice(0, -1).join('\n'))],
    ['when half of it is missing', (file) => truncateSync(file, Math.floor(readFileSync(file).length / 2))],
    ['when its end is noise', (file) => writeFileSync(file, readFileSync(file).fill('noise', 2000))],
    [
      'when a letter is another one',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('Second', 'Sekond')),
    ],
    [
      'when it is of another version',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('"version":"', '"version":"0')),
    ],
  ])('%s', async (_, damage) => {
    const place = placeWith(two);
    const { index } = await openCounting(place);
    await index.search('second');
    damage(place.file);
    const { index: again, names } = await openCounting(place);
    expect(names).toEqual(['aa_one', 'bb_one']);
    expect((await again.search('second')).tools[0]?.name).toBe('bb_one');
    expect(await again.find('aa_one')).toMatchObject({ outcome: 'match' });
    expect(again.complete('b')).toEqual(['bb_one']);
    expect(again.findings).toEqual([]);
    expect((await openCounting(place)).read).toEqual([]);
  });

  test('and so is the file of its words', async () => {
    const place = placeWith(two);
    const { index } = await openCounting(place);
    await index.search('second');
    const words = `${place.file}.words`;
    const whole = readFileSync(words);
    for (const damaged of ['', 'x', whole.subarray(0, -3), Buffer.from(whole).fill('noise', whole.length - 100)]) {
      writeFileSync(words, damaged);
      expect((await index.search('second')).tools[0]?.name).toBe('bb_one');
      expect(readFileSync(words).equals(whole)).toBe(true);
    }
  });
});

describe('if the index cannot be written', () => {
  test.each<[string, (place: Place) => Place]>([
    ['its folder is a file', (place) => ({ ...place, file: join(place.folder, 'a.mjs', 'index.jsonl') })],
    ['a folder has its name', (place) => ({ ...place, file: place.folder })],
  ])('it stays in memory, with a warning: %s', async (_, place) => {
    const { index, names } = await openCounting(place(placeWith(two)));
    expect(names).toEqual(['aa_one', 'bb_one']);
    expect((await index.search('second')).matchCount).toBe(1);
    expect(index.findings).toMatchObject([
      { code: 'IDX001', severity: 'warning', message: expect.stringContaining('cannot be used') },
    ]);
  });

  test('no draft is left', async () => {
    const place = placeWith(two);
    await openCounting({ ...place, file: place.folder });
    expect(readdirSync(place.folder).sort()).toEqual(['a.mjs', 'b.mjs']);
    expect(readdirSync(join(place.folder, '..')).sort()).toEqual(['cache', 'schemas']);
  });
});

test('a missing folder is empty, with a warning', async () => {
  const place = placeWith({});
  const { index, names } = await openCounting(place);
  expect(names).toEqual([]);
  expect(index.findings).toMatchObject([{ code: 'IDX002', message: expect.stringContaining(place.folder) }]);
});

test('many processes create and use one index at the same time', async () => {
  const files = Array.from({ length: 60 }, (_, number) => {
    const namespace = `n${String.fromCharCode(97 + (number % 26), 97 + Math.floor(number / 26))}`;
    return [`${namespace}.mjs`, schemaText(namespace, { one: 'First', two: 'Second' })];
  });
  const place = placeWith(Object.fromEntries(files));
  const work = [...Array(4)].map(() => openInProcess(place, 'second', 6));
  // While they do, files change and another set of folders is written to the same place.
  const other = { ...place, folders: [{ source: 'other', folder: join(place.folder, 'none') }] };
  mkdirSync(join(place.folder, 'none'));
  let isDone = false;
  const all = Promise.all(work).finally(() => {
    isDone = true;
  });
  for (let round = 0; !isDone; round += 1) {
    // Put in place whole: whoever reads it meanwhile must not find half of it.
    writeFiles(place.folder, { 'changing.tmp': schemaText('changing', { one: 'First', two: `Second ${round}` }) });
    renameSync(join(place.folder, 'changing.tmp'), join(place.folder, 'changing.mjs'));
    const index = await openToolIndex(round % 3 === 0 ? other : place);
    expect(index.tools()).toHaveLength(round % 3 === 0 ? 0 : 122);
  }
  for (const { result, stderr } of await all) {
    expect([result.matchCount, result.count, result.outcome, stderr]).toEqual([61, 122, 'match', '']);
  }
  const left = readdirSync(join(place.file, '..')).filter((name) => !name.endsWith('.scan'));
  expect(left.sort()).toEqual(['index.jsonl', 'index.jsonl.words']);
});

interface ProcessAnswer {
  result: { matchCount: number; names: string[]; count: number; outcome: string; findings: unknown[] };
  opened: string[];
  isLibraryLoaded: boolean;
  stderr: string;
}

const program = fileURLToPath(new URL('./fixtures/open-index.ts', import.meta.url));

async function openInProcess({ file, folder }: Place, query: string, times = 1): Promise<ProcessAnswer> {
  const args = ['--conditions=@schemakit/source', program, file, folder, query, String(times)];
  const child = spawn(process.execPath, args, { timeout: 60_000 });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    stdout += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    stderr += part;
  });
  const [status] = (await once(child, 'close')) as [number | null];
  expect([status, stderr]).toEqual([0, '']);
  return { ...(JSON.parse(stdout) as Omit<ProcessAnswer, 'stderr'>), stderr };
}
