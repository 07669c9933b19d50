// `earlier-core` has the packages core and http as `npm pack` made them before the format had shapes, without their types and sources.
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as core from '@schemakit/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mainWith, moduleText, parameter } from '../e2e/support/schema-module.ts';
import { temporaryFolder } from '../e2e/support/temporary-folder.ts';

type Core = typeof core;

const project = join(import.meta.dirname, '../..');
const dependencies = ['@jmespath-community', 'acorn', 'canonicalize', 'ipaddr.js', 're2js', 'ses', 'undici', 'zod'];
let folder: string;
let earlier: Core;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'schemakit-earlier-'));
  for (const name of ['core', 'http']) {
    const target = join(folder, 'node_modules/@schemakit', name);
    await mkdir(target, { recursive: true });
    const archive = join(import.meta.dirname, `earlier-core/${name}.tgz`);
    execFileSync('tar', ['-xzf', archive, '-C', target, '--strip-components=1']);
  }
  for (const name of dependencies)
    await symlink(join(project, 'node_modules', name), join(folder, 'node_modules', name));
  earlier = await import(join(folder, 'node_modules/@schemakit/core/dist/index.js'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a file is to a user: what is found in it, its tools as models see them, and the requests of its tests. */
async function read({ SchemaKit, exposeSchemas, previewCall }: Core, filePath: string): Promise<object> {
  const schema = await SchemaKit.loadSchema({ filePath });
  const { status, main, findings } = schema;
  const tools = Object.entries((main?.tools ?? {}) as Record<string, { tests?: readonly object[] }>);
  const names = Array.isArray(main?.requiredServerParams) ? main.requiredServerParams : [];
  const serverParams = Object.fromEntries(names.map((name) => [String(name), 'secret']));
  const calls = tools.flatMap(([routeName, { tests = [] }]) => tests.map((test) => [routeName, test] as const));
  const plans = await Promise.all(
    calls.map(([routeName, test]) => {
      const userParams = Object.fromEntries(Object.entries(test).filter(([name]) => !name.startsWith('_')));
      return previewCall({ schema, routeName, userParams, serverParams });
    }),
  );
  const listed = status ? exposeSchemas([schema], { serverParams }).map(({ listing }) => listing) : [];
  return { status, main, findings, listed, plans };
}

test('every schema of the catalog and the examples is read as before, unless it uses an addition', async () => {
  const files = globSync(['catalog/**/*.mjs', 'examples/**/*.mjs'], { cwd: project, exclude: ['**/node_modules/**'] });
  let alike = 0;
  for (const file of files.sort()) {
    const [before, now] = [await read(earlier, join(project, file)), await read(core, join(project, file))];
    if (JSON.stringify(now).includes('VAL094')) continue;
    expect(now, file).toEqual(before);
    alike += 1;
  }
  expect(alike).toBeGreaterThan(10);
});

const primitives = [
  'string()',
  'number()',
  'boolean()',
  'array()',
  'object()',
  'enum(a,b)',
  'enum()',
  'string().min(1)',
];
const options = [
  'optional()',
  'default(b)',
  'default([1])',
  'min(1)',
  'max(3)',
  'length(2)',
  'regex(^a)',
  'values(a,b)',
];

test('every old primitive with every option is read as before', async () => {
  const pairs = primitives.flatMap((primitive) => options.map((option) => [primitive, option] as const));
  const tools = pairs.map(([primitive, option], index) => [
    `tool${index}`,
    {
      ...{ method: 'POST', path: '/things', description: 'Make a thing.' },
      parameters: [parameter('value', 'body', [primitive, option])],
      tests: [
        { value: 'a' },
        { value: '5' },
        { value: [1] },
        { value: { a: 1 } },
        { value: true },
        { value: null },
        {},
      ],
    },
  ]);
  const main = mainWith({ root: 'https://api.example.com', tools: Object.fromEntries(tools) });
  const file = join(await temporaryFolder({ 'things.mjs': moduleText(main) }), 'things.mjs');
  expect(await read(core, file)).toEqual(await read(earlier, file));
});
