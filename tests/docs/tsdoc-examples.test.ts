import { join } from 'node:path';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import * as core from '@schemakit/core';
import * as server from '@schemakit/server';
import * as catalog from '@schemakit/server/catalog';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPage } from './markdown.ts';
import { openPageFolder, type PageFolder } from './page-folder.ts';

/** Doors of packages, whose examples and those of the files that they export are run. */
const doors = [
  'core/src/schemakit.ts',
  'server/src/index.ts',
  'server/src/tool-server.ts',
  'server/src/create-catalog-server.ts',
];

/** Packages that examples use without importing them. */
const imports: Readonly<Record<string, object>> = {
  '@schemakit/core': core,
  '@schemakit/server': server,
  '@schemakit/server/catalog': catalog,
  '@modelcontextprotocol/client': { Client, InMemoryTransport },
};

const files = new Set(
  doors.flatMap((door) => {
    const own = join('packages', door);
    const exported = readPage(own).matchAll(/^export .* from '(\..*)';$|^} from '(\..*)';$/gm);
    return [own, ...[...exported].map(([, line, block]) => join(own, '..', line ?? block ?? ''))];
  }),
);

const examples = [...files].flatMap((file) =>
  [...readPage(file).matchAll(/ \* @example\n((?: +\*(?: .*)?\n)+?)(?= +\*\/| +\* @)/g)].map(
    ([, text = ''], index) => ({
      name: `${file}, ${index + 1}`,
      program: text.replace(/^ +\* ?/gm, ''),
    }),
  ),
);

let folder: PageFolder;
beforeAll(async () => {
  folder = await openPageFolder();
});
afterAll(() => folder?.close());

test.each(examples)('the example in $name runs', async ({ name, program }) => {
  const taken = new Set<string>();
  const header = Object.entries(imports).map(([specifier, names]) => {
    const used = Object.keys(names).filter((word) => new RegExp(`\\b${word}\\b`).test(program) && !taken.has(word));
    for (const word of used) taken.add(word);
    return used.length === 0 ? '' : `import { ${used.join(', ')} } from '${specifier}';\n`;
  });
  const file = await folder.write(`${name.replace(/\W+/g, '-')}.mjs`, header.join('') + program);
  const { exitCode, stdout, stderr } = await folder.run('node', [file]);
  expect(exitCode, stdout + stderr).toBe(0);
});

test('every public function of @schemakit/server has an example', () => {
  const text = [...files].map((file) => readPage(file)).join('\n');
  const functions = Object.entries({ ...server, ...catalog }).filter(([, value]) => !/^class\b/.test(String(value)));
  const documented = ([name]: [string, unknown]) =>
    new RegExp(`@example\\n(?: \\*(?: .*)?\\n)+? \\*/\\nexport function ${name}\\b`).test(text);
  expect(functions.filter((entry) => !documented(entry)).map(([name]) => name)).toEqual([]);
  expect(functions.length).toBeGreaterThan(5);
});
