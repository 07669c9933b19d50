import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SchemaKit } from '@schemakit/core';
import { describe, expect, it, test } from 'vitest';
import { hardDocument, hardDocuments } from './fixtures/hard-documents.ts';
import {
  licenceOf,
  parseDocument,
  readRealDocument,
  realDocuments,
  withPathsReversed,
} from './fixtures/real-documents.ts';
import { importOpenApi } from './import-openapi.ts';

type Main = Record<string, unknown> & { tools: Record<string, Record<string, unknown>> };

async function mainOf(text: string): Promise<Main> {
  const module: { main: Main } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  return module.main;
}

async function mainsIn(files: Readonly<Record<string, string>>): Promise<Main[]> {
  return Promise.all(Object.entries(files).flatMap(([path, text]) => (path.endsWith('.mjs') ? [mainOf(text)] : [])));
}

const info = { title: 'Pets', version: '1' };

function expectUniqueNames(tools: readonly { name: string }[]): void {
  const names = tools.map(({ name }) => name.toLowerCase());
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !/^[a-z]+__[a-z0-9_]+$/.test(name) || name.length > 64)).toEqual([]);
}

test.each([
  ["GitHub's official OpenAPI spec + Octokit extension", 'https://api.github.com', 'github'],
  ['Azure Billing', 'https://azure.example.com', 'azurebilling'],
  ['The API', 'https://api.pets.example.com', 'pets'],
  ['', 'http://127.0.0.1:8080', 'api'],
])('%s at %s has the namespace %s', (title, url, namespace) => {
  const document = {
    openapi: '3.1.0',
    info: { title, version: '1' },
    servers: [{ url }],
    paths: { '/a': { get: {} } },
  };
  expect(importOpenApi(document).namespace).toBe(namespace);
});

describe('one hard thing', () => {
  it.each(hardDocuments)('$is', async ({ options, tools, main, omitted = [], ...hard }) => {
    const document = hardDocument(hard);
    const result = importOpenApi(JSON.stringify(document), options);
    expect(result.messages.filter((message) => !message.startsWith('IMP008'))).toEqual([]);
    expect([...new Set(result.omissions.map(({ code }) => code))].sort()).toEqual(omitted);
    expect(
      result.omissions.filter(({ pointer, message, hint }) => !(pointer.startsWith('/') && message && hint)),
    ).toEqual([]);
    const mains = await mainsIn(result.files);
    for (const each of mains) expect(SchemaKit.validateMain({ main: each }).status).toBe(true);
    if (tools) expect(Object.assign({}, ...mains.map((each) => each.tools))).toMatchObject(tools);
    if (main) expect(mains[0]).toMatchObject(main);
    expectUniqueNames(result.tools);
    expect(importOpenApi(document, options).files).toEqual(result.files);
    expect(importOpenApi(withPathsReversed(document), options).files).toEqual(result.files);
  });

  it('warns of an operationId that is there twice', () => {
    const paths = { '/cats': { get: { operationId: 'list' } }, '/dogs': { get: { operationId: 'list' } } };
    const { findings } = importOpenApi({ openapi: '3.1.0', info, servers: [{ url: 'https://a.example' }], paths });
    expect(findings).toMatchObject([{ code: 'IMP008', severity: 'warning', path: '/paths/~1cats/get' }]);
  });
});

describe('documents that cannot be imported', () => {
  const pets = {
    openapi: '3.1.0',
    info,
    servers: [{ url: 'https://a.example' }],
    paths: { '/pets': { get: { tags: ['pets'] } } },
  };
  const bomb = `a: &a [x]\n${Array.from({ length: 20 }, (_, n) => `b${n}: &b${n} [${`*${n === 0 ? 'a' : `b${n - 1}`},`.repeat(9)}]`).join('\n')}\nopenapi: 3.1.0`;
  it.each<[string, string | object, object, string, string?]>([
    ['is empty', ' ', {}, 'IMP002'],
    ['is HTML', '<!doctype html><html></html>', {}, 'IMP002'],
    ['is broken JSON', '{"openapi": "3.1.0",\n "info": [}', {}, 'IMP002', 'line 2, column 11'],
    ['is broken YAML', 'openapi: 3.1.0\n  info: [', {}, 'IMP002', 'line '],
    ['is too large', `{"a":"${'x'.repeat(51 * 2 ** 20)}"}`, {}, 'IMP003'],
    ['is a YAML bomb', bomb, {}, 'IMP003'],
    [
      'is nested 100,000 levels deep',
      `{"openapi":"3.1.0","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      {},
      'IMP003',
    ],
    ['is YAML that is nested too deep', `openapi: 3.1.0\nx: ${'['.repeat(5000)}${']'.repeat(5000)}`, {}, 'IMP003'],
    ['is of another version', { swagger: '1.2' }, {}, 'IMP001', '1.2'],
    ['is of another kind', 'asyncapi: 3.0.0', {}, 'IMP001', 'asyncapi'],
    ['has paths that are a list', { ...pets, paths: [] }, {}, 'IMP001'],
    ['has no operations', { ...pets, paths: {} }, {}, 'IMP004'],
    ['has only webhooks', { ...pets, paths: {}, webhooks: { born: {} } }, {}, 'IMP004', 'webhooks'],
    ['has nothing that is selected', pets, { select: ['POST *'] }, 'IMP004', 'none of 1'],
    ['has no such tag', pets, { tags: ['cats'] }, 'IMP004'],
    ['has a relative server', { ...pets, servers: undefined }, {}, 'IMP005'],
    ['gets a bad namespace', pets, { namespace: 'Pets1' }, 'IMP006'],
    ['gets a bad limit', pets, { limit: 0 }, 'IMP006'],
    ['gets a bad server', pets, { server: 'a.example' }, 'IMP006'],
  ])('%s', (_, source, options, code, text = '') => {
    const { status, files, findings } = importOpenApi(source, options);
    expect({ status, files }).toEqual({ status: false, files: {} });
    expect(findings).toMatchObject([{ code, severity: 'error', hint: expect.any(String) }]);
    expect(findings[0]?.message).toContain(text);
  });
});

const packages = join(import.meta.dirname, '../../../node_modules');

/** Of the operations that become tools. */
function descriptionsOf({ paths }: { paths: Record<string, Record<string, { description?: unknown }>> }): string[] {
  return Object.values(paths)
    .flatMap((item) => ['get', 'put', 'post', 'delete', 'patch', 'head'].map((method) => item[method]?.description))
    .filter((description) => typeof description === 'string');
}

test('a document of webhooks only says so', () => {
  const text = readFileSync(join(packages, '@octokit/openapi-webhooks/generated/api.github.com.json'), 'utf8');
  expect(importOpenApi(text).findings).toMatchObject([
    { code: 'IMP004', message: expect.stringContaining('webhooks') },
  ]);
});

describe.each(realDocuments)('$name', (real) => {
  const text = readRealDocument(real);
  const options = { url: 'https://docs.example.com/openapi.json' };
  const imported = importOpenApi(text, options);

  test('may be used', () => {
    expect(licenceOf(real)).toBe(real.licence);
  });

  test('becomes schemas that are valid', async () => {
    expect(imported.messages).toEqual([]);
    expect(imported.tools).toHaveLength(real.tools);
    const mains = await mainsIn(imported.files);
    expect(
      mains.flatMap((main) => SchemaKit.validateMain({ main }).findings).filter(({ severity }) => severity === 'error'),
    ).toEqual([]);
    expect(mains.flatMap(({ tools }) => Object.keys(tools))).toHaveLength(real.tools);
    expect(mains.every(({ tools }) => Object.keys(tools).length <= 8)).toBe(true);
    expect(imported.omissions.filter(({ code }) => code === 'IMP016')).toEqual([]);
  });

  test('has unique names of at most 64 characters', () => {
    expectUniqueNames(imported.tools);
  });

  test('becomes the same bytes again', () => {
    expect(importOpenApi(text, options).files).toEqual(imported.files);
  });

  test('becomes the same bytes in another order', () => {
    expect(importOpenApi(withPathsReversed(parseDocument(text)), options).files).toEqual(imported.files);
  });

  test('loses no text: what a description only begins is in the notes', () => {
    const notes = imported.files[`${imported.namespace}.md`] ?? '';
    const cut = descriptionsOf(parseDocument(text) as never).filter((description) => description.length > 400);
    expect(cut.filter((description) => !notes.includes(description.trim()))).toEqual([]);
  });
});

test('a default and an example keep their lines', async () => {
  const value = 'first\n  second';
  const schema = { type: 'string', default: value };
  const { files } = importOpenApi({
    openapi: '3.1.0',
    info,
    servers: [{ url: 'https://a.example' }],
    paths: { '/a': { get: { parameters: [{ name: 'text', in: 'query', schema, example: value }] } } },
  });
  const [main] = await mainsIn(files);
  expect(main?.tools.getA).toMatchObject({
    parameters: [{ z: { options: [`default(${value})`] } }],
    tests: [{ text: value }],
  });
});

test('long descriptions of members and answers are in the notes', () => {
  const long = `${'A sentence of some words. '.repeat(12)}The end.`;
  const member = { type: 'object', properties: { name: { type: 'string', description: long } } };
  const content = { 'application/json': { schema: { properties: { owner: member } } } };
  const answers = {
    200: {
      description: 'Pets',
      content: { 'application/json': { schema: { type: 'object', description: `${long} Really.` } } },
    },
  };
  const paths = { '/pets': { post: { requestBody: { content }, responses: answers } } };
  const { files } = importOpenApi({ openapi: '3.1.0', info, servers: [{ url: 'https://a.example' }], paths });
  const at = '/paths/~1pets/post/requestBody/content/application~1json/schema/properties/owner/properties/name';
  expect(files['pets.md']).toContain(`\`${at}\`: ${long}\n`);
  expect(files['pets.md']).toContain(`${long} Really.\n`);
});
