import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LoadedSchema, loadSchemas, SchemaKit } from '@schemakit/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../e2e/support/temporary-folder.ts';
import { hostileKeys, jsonValueNames } from './hostile-values.ts';
import { mutate, mutations } from './mutations.ts';
import { catalogText, fullSchema, looseSchema } from './seed-schemas.ts';
import { expectPlaces, expectSound, inherited, inTime } from './soundness.ts';

const numRuns = Number(process.env.FUZZ_RUNS ?? 200);
const timeout = 180_000 + numRuns * 200;
const root = 'http://127.0.0.1:1';

/** Text that means something in a module, to put anywhere in one. */
const snippets: readonly string[] = [
  '{',
  '}',
  '[',
  ']',
  '(',
  ')',
  ',',
  ';',
  ':',
  "'",
  '"',
  '`',
  '${',
  '\\',
  '/*',
  '//',
  '<!--',
  '...',
  '...main,',
  '=>',
  '0',
  '1n',
  'null',
  'undefined',
  'main',
  'handlers',
  'await ',
  'async ',
  'export ',
  'export default ',
  "import 'fs';",
  "import('fs');",
  'process.env',
  'new ',
  'class A {}',
  '/(a+)+$/',
  '__proto__: { a: 1 },',
  '["__proto__"]: 1,',
  'get root() { return 1; },',
  'toString() {},',
  'tools: {},',
  '\u2028',
  '\ufeff',
  '\0',
  '\ud800',
  '-'.repeat(50_000),
  '['.repeat(50_000),
  '{a:'.repeat(5000),
];

type Edit = { at: number; cut: number; put: string };

const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.record({
    at: fc.nat(20_000),
    cut: fc.oneof(fc.constant(0), fc.nat(20), fc.nat(3000)),
    put: fc.oneof(fc.constant(''), fc.constantFrom(...snippets), fc.constantFrom(...hostileKeys), fc.string()),
  }),
  { minLength: 1, maxLength: 4 },
);

function edit(text: string, changes: readonly Edit[]): string {
  return changes.reduce((result, { at, cut, put }) => {
    const start = at % (result.length + 1);
    return result.slice(0, start) + put + result.slice(start + cut);
  }, text);
}

const handlers = `
const one = 1;
export const handlers = ({ sharedLists, libraries }) => ({
  getThing: {
    preRequest: async ({ struct, payload }) => ({ struct, payload }),
    postRequest: async ({ response }) => ({ response: { ...response, one } }),
  },
});
`;

const seedTexts: readonly string[] = [
  `export const main = ${JSON.stringify(fullSchema(root), null, 2)};\n${handlers}`,
  `const tools = ${JSON.stringify(looseSchema(root).routes)};\nexport const main = { ...${JSON.stringify({ ...looseSchema(root), routes: {} })}, routes: { ...tools } };\n`,
  `export const schema = { flowMCP: '1.2.0', namespace: 'old', name: 'Old', root: '${root}', headers: {}, routes: { get: { requestMethod: 'GET', route: '/', description: 'x', parameters: [] } }, handlers: {} };\n`,
  ...['demo/garden.mjs', 'etcd/etcd.mjs', 'prometheus/prometheus.mjs'].map((file) => catalogText(file, root)),
];

async function loadAndScan(folder: string, content: string | Uint8Array): Promise<LoadedSchema> {
  const filePath = join(folder, 'schema.mjs');
  await writeFile(filePath, content);
  const scanned = await inTime('scanSecurity', () => SchemaKit.scanSecurity({ filePath }));
  expectSound('scanSecurity', scanned);
  const loaded = await inTime('loadSchema', () => SchemaKit.loadSchema({ filePath }));
  const findings = expectSound('loadSchema', loaded);
  const lines = Buffer.from(content as string)
    .toString()
    .split(/\r\n|[\n\r\u2028\u2029]/).length;
  for (const { file, line, column } of findings) {
    expect(file).toContain(folder);
    if (line !== undefined && file === filePath) expect(line).toBeLessThanOrEqual(lines);
    if (line !== undefined) expect([line >= 1, (column ?? 1) >= 1]).toEqual([true, true]);
  }
  if (loaded.main !== null) expectPlaces(findings, loaded.main);
  else expect(loaded.status).toBe(false);
  return loaded;
}

describe('a schema file', () => {
  test(
    'whose main has faults of any kind',
    async () => {
      const folder = await temporaryFolder();
      const before = inherited();
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(fullSchema, looseSchema), mutations(jsonValueNames), async (seed, steps) => {
          const main = JSON.stringify(mutate(seed(root), steps));
          const { main: read, findings } = await loadAndScan(folder, `export const main = ${main};`);
          if (read !== null) expect(JSON.stringify(read)).toBe(main);
          else
            expect(findings.map(({ code }) => code)).toContainEqual(
              expect.stringMatching(/^(VAL00[126]|VAL092|MOD00.)$/),
            );
        }),
        { numRuns },
      );
      expect(inherited()).toEqual(before);
    },
    timeout,
  );

  test(
    'whose text was edited anywhere',
    async () => {
      const folder = await temporaryFolder();
      const before = inherited();
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...seedTexts), edits, async (text, changes) => {
          await loadAndScan(folder, edit(text, changes));
        }),
        { numRuns },
      );
      expect(inherited()).toEqual(before);
    },
    timeout,
  );

  test(
    'of any bytes',
    async () => {
      const folder = await temporaryFolder();
      const bytes = fc.oneof(
        fc.uint8Array({ maxLength: 500 }),
        fc
          .tuple(fc.constantFrom(...seedTexts), fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 8 }))
          .map(([text, at, noise]) => {
            const buffer = Buffer.from(text);
            buffer.set(noise, at % (buffer.length - noise.length));
            return buffer;
          }),
      );
      await fc.assert(
        fc.asyncProperty(bytes, async (content) => {
          await loadAndScan(folder, content);
        }),
        { numRuns },
      );
    },
    timeout,
  );
});

test(
  'a folder of broken files is one report',
  async () => {
    const names = seedTexts.map((_, index) => `${index}.mjs`);
    await fc.assert(
      fc.asyncProperty(fc.tuple(...seedTexts.map(() => edits)), async (changes) => {
        const texts = seedTexts.map((text, index) => edit(text, changes[index] ?? []));
        const folder = await temporaryFolder(
          Object.fromEntries(names.map((name, index) => [name, texts[index] ?? ''])),
        );
        expectSound('loadSchemas', await loadSchemas({ paths: [folder] }));
      }),
      { numRuns: Math.ceil(numRuns / 20) },
    );
  },
  timeout,
);
