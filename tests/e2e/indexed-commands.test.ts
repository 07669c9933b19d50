import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type CliProject, cliProject, shopSchema } from './support/cli-project.ts';

const command = resolve('packages/cli/bin/schemakit.js');
const watch = resolve('tests/e2e/support/watch-opened.mjs');

/** Runs a command; the schema files that it opened, and whether it loaded the library. */
function opened(
  project: CliProject,
  ...args: string[]
): { schemas: string[]; isLibraryLoaded: boolean; json: unknown } {
  const log = join(project.home, '..', 'opened.log');
  rmSync(log, { force: true });
  const { stdout, status } = spawnSync(process.execPath, ['--import', watch, command, ...args], {
    cwd: project.folder,
    env: { ...process.env, SCHEMAKIT_HOME: project.home, OPENED_FILES: log },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const paths = readFileSync(log, 'utf8').split('\n');
  expect(status, stdout).toBe(0);
  return {
    schemas: paths.filter((path) => path.startsWith(join(project.home, 'schemas')) && path.endsWith('.mjs')),
    isLibraryLoaded: paths.some((path) => /^file:.*(?:packages|@schemakit).core./.test(path)),
    json: args[0] === '__complete' ? stdout.split('\n') : JSON.parse(stdout),
  };
}

const letters = 'abcdefghij';
const tools = ['getPrice', 'listOrders', 'searchItems', 'countVisits', 'rankTeams'];

/** Long enough ago that the index may trust the time of the file. */
function writeAged(file: string, text: string): void {
  writeFileSync(file, text);
  utimesSync(file, 1_700_000_000, 1_700_000_000);
}

describe('with 5,000 tools and a fresh index', () => {
  let project: CliProject;
  beforeEach(async () => {
    project = await cliProject({
      'home/config.json': '{}',
      'home/schemas/lib/.keep': '',
      'project/.schemakit/config.json': '{ "mode": "dev" }',
    });
    for (let number = 0; number < 1_000; number += 1) {
      const namespace = `shop${[...String(number).padStart(3, '0')].map((digit) => letters[Number(digit)]).join('')}`;
      writeAged(join(project.home, `schemas/lib/${namespace}.mjs`), shopSchema(tools, { namespace }));
    }
  });

  test('commands that find and activate open no schema', { timeout: 120_000 }, () => {
    expect(project.run('search', 'orders').json).toMatchObject({ matchCount: 1_000 });
    const untouched = { schemas: [], isLibraryLoaded: false };
    expect(opened(project, 'search', '--limit', '1', 'shopabc', 'ordres')).toMatchObject({
      ...untouched,
      json: { tools: [{ name: 'shopabc_listOrders' }] },
    });
    expect(opened(project, 'add', 'shopabc_listOrders')).toMatchObject({ schemas: [], json: { group: 'default' } });
    expect(opened(project, 'add', 'lib/shopjjj.mjs')).toMatchObject({ schemas: [], json: { tools: { length: 5 } } });
    expect(opened(project, 'list')).toMatchObject({ ...untouched, json: { toolCount: 6 } });
    expect(opened(project, 'group', 'append', 'work', '--tools', 'shopaaa__rankTeams')).toMatchObject({
      schemas: [],
      json: { toolCount: 1 },
    });
    expect(opened(project, 'group', 'list')).toMatchObject({
      ...untouched,
      json: { groups: { default: { toolCount: 6 }, work: { toolCount: 1 } } },
    });
    expect(opened(project, 'remove', 'shopjjj_getPrice')).toMatchObject({ schemas: [], json: { group: 'default' } });
    expect(opened(project, 'list')).toMatchObject({ ...untouched, json: { toolCount: 5 } });
    const called = opened(project, 'call', 'shopabc_listOrders', '--dry-run');
    expect([...new Set(called.schemas)]).toEqual([join(project.home, 'schemas/lib/shopabc.mjs')]);
    expect(opened(project, 'schemas')).toMatchObject({ ...untouched, json: { sources: [{ schemaCount: 1_000 }] } });
    expect(opened(project, '__complete', 'fish', 'schemakit add shopabc_')).toMatchObject({
      ...untouched,
      json: [...tools.map((name) => `shopabc_${name}`).sort(), ''],
    });
  });
});

describe('the index', () => {
  const files = { 'home/config.json': '{}', 'home/schemas/lib/shop.mjs': shopSchema(['getThing', 'listThings']) };
  const indexes = ({ home }: CliProject) =>
    readdirSync(join(home, 'cache/index')).filter((name) => name.endsWith('.jsonl'));

  test('follows what is new, changed and gone', async () => {
    const project = await cliProject(files);
    const found = () => (project.run('search', 'tool').json.tools as { name: string }[]).map(({ name }) => name).sort();
    expect(found()).toEqual(['shop_getThing', 'shop_listThings']);
    writeFileSync(join(project.home, 'schemas/lib/bank.mjs'), shopSchema(['getRate'], { namespace: 'bank' }));
    expect(found()).toEqual(['bank_getRate', 'shop_getThing', 'shop_listThings']);
    writeFileSync(join(project.home, 'schemas/lib/bank.mjs'), shopSchema(['getSums'], { namespace: 'bank' }));
    expect(found()).toEqual(['bank_getSums', 'shop_getThing', 'shop_listThings']);
    rmSync(join(project.home, 'schemas/lib/shop.mjs'));
    expect(found()).toEqual(['bank_getSums']);
  });

  test('is one for each set of folders: a project has its own schemas', async () => {
    const project = await cliProject(files);
    project.run('search', 'tool');
    mkdirSync(join(project.folder, 'schemas'));
    writeFileSync(join(project.folder, 'schemas/own.mjs'), shopSchema(['getOwn'], { namespace: 'own' }));
    expect(project.run('search', 'getOwn').json).toMatchObject({ matchCount: 1 });
    expect(indexes(project)).toHaveLength(2);
    const other = join(project.folder, 'other');
    mkdirSync(other);
    expect(project.run('--cwd', other, 'search', 'getOwn').json).toMatchObject({ matchCount: 0 });
    expect(indexes(project)).toHaveLength(2);
  });

  test('is made anew where it is damaged', async () => {
    const project = await cliProject(files);
    project.run('add', 'shop_getThing');
    for (const text of ['', 'no database', 'x'.repeat(50_000)]) {
      for (const name of indexes(project)) writeFileSync(join(project.home, 'cache/index', name), text);
      expect(project.run('list')).toMatchObject({ status: 0, json: { toolCount: 1 }, stderr: '' });
    }
  });

  test('is in memory where it cannot be written, and a warning says so', async () => {
    const project = await cliProject({ ...files, 'home/cache/index': 'a file' });
    const { status, json, stderr } = project.run('search', 'thing');
    expect([status, json.matchCount]).toEqual([0, 2]);
    expect(stderr).toContain('warning IDX001');
  });

  test('is made where there is no global folder too, and nothing but caches', async () => {
    const project = await cliProject({ 'project/schemas/shop.mjs': shopSchema() });
    expect(project.run('add', 'shop_getThing').status).toBe(0);
    expect(project.run('list').json).toMatchObject({ toolCount: 1 });
    expect(indexes(project)).toHaveLength(1);
    expect(readdirSync(project.home)).toEqual(['cache']);
  });

  test('is in the cache folder of the user where no global folder is named', async () => {
    const cache = join((await cliProject()).folder, 'cache');
    const project = await cliProject(
      { 'project/schemas/shop.mjs': shopSchema() },
      { SCHEMAKIT_HOME: '', XDG_CACHE_HOME: cache },
    );
    expect(project.run('search', 'get', 'thing').json.tools).toContainEqual(
      expect.objectContaining({ name: 'shop_getThing' }),
    );
    expect(readdirSync(join(cache, 'schemakit')).sort()).toEqual(['compiled', 'index']);
    expect(project.has('.schemakit')).toBe(false);
  });

  test('is not kept where others can write to it', async () => {
    const project = await cliProject(files);
    mkdirSync(join(project.home, 'cache'));
    chmodSync(join(project.home, 'cache'), 0o777);
    const { status, json, stderr } = project.run('search', 'thing');
    expect([status, json.matchCount]).toEqual([0, 2]);
    expect(stderr).toContain('warning IDX001');
    expect(readdirSync(join(project.home, 'cache'))).toEqual([]);
  });

  test('is made by many commands at once', async () => {
    const project = await cliProject(files);
    const runs = await Promise.all([...Array(6)].map(() => project.start('search', 'thing')));
    for (const { status, json, stderr } of runs) expect([status, json.matchCount, stderr]).toEqual([0, 2, '']);
    expect(indexes(project)).toHaveLength(1);
  });

  test('says nothing of its reading to a program', async () => {
    const project = await cliProject(files);
    expect(project.run('search', 'thing').stderr).toBe('');
  });
});

describe('a call of an active tool', () => {
  const file = (project: CliProject) => join(project.home, 'schemas/lib/shop.mjs');
  const call = (project: CliProject, name: string) => project.run('call', name, '--dry-run');
  let project: CliProject;
  beforeEach(async () => {
    project = await cliProject({ 'home/config.json': '{}', 'home/schemas/lib/.keep': '' });
    writeAged(file(project), shopSchema(['getThing', 'listThings']));
    expect(project.run('add', 'lib/shop.mjs').status).toBe(0);
    expect(call(project, 'shop_getThing').status).toBe(0);
  });

  test('sees that the file has changed', () => {
    writeFileSync(file(project), shopSchema(['findThing', 'listThings']));
    expect(call(project, 'shop_getThing')).toMatchObject({ status: 3, json: { status: false } });
    expect(call(project, 'shop_findThing').status).toBe(0);
    rmSync(file(project));
    expect(call(project, 'shop_findThing')).toMatchObject({ status: 3, json: { status: false } });
  });

  test('takes the active one of several that have its name', () => {
    writeAged(join(project.home, 'schemas/lib/other.mjs'), shopSchema(['getThing'], { namespace: 'shop' }));
    const before = call(project, 'shop_getThing');
    expect(project.run('search', 'getThing').json).toMatchObject({ matchCount: 2 });
    expect(call(project, 'shop_getThing')).toMatchObject({ status: 0, json: before.json });
  });
});

describe('what Node compiled', () => {
  const compiled = ({ home }: CliProject) => join(home, 'cache/compiled');

  test('is kept in the global folder', async () => {
    const project = await cliProject({ 'home/config.json': '{}' }, { NODE_COMPILE_CACHE: '' });
    expect(project.run('search', 'thing').status).toBe(0);
    expect(readdirSync(compiled(project))).toHaveLength(1);
  });

  test('is not kept where nothing can be written, and nobody minds', async () => {
    const files = { 'home/config.json': '{}', 'home/cache': 'a file' };
    const project = await cliProject(files, { NODE_COMPILE_CACHE: '' });
    expect(project.run('search', 'thing')).toMatchObject({ status: 0, stderr: '' });
  });
});
