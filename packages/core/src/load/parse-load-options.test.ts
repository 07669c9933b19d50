import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mainWith } from '../schema/rules/fixtures/rule-case.ts';
import { SchemaKit } from '../schemakit.ts';
import { loadAgent } from './load-agent.ts';
import { loadSchemas } from './load-schemas.ts';

let folder: string;
let filePath: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'schemakit-options-'));
  filePath = join(folder, 'schema.mjs');
  await writeFile(filePath, `export const main = ${JSON.stringify(mainWith())};`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each([
  [{ strict: 'yes' }, 'strict', 'loadSchema needs strict (true or false), got a value of type string'],
  [{ approveRoot: 'no' }, 'approveRoot', 'loadSchema needs approveRoot (true or false), got a value of type string'],
  [{ approveRoot: 0 }, 'approveRoot', 'loadSchema needs approveRoot (true or false), got a value of type number'],
  [{ scan: 'off' }, 'scan', "scan of loadSchema cannot be 'off'"],
  [{ isolation: 'none' }, 'isolation', "isolation of loadSchema cannot be 'none'"],
  [{ isolation: 'wasm' }, 'isolation', 'WebAssembly isolation was removed'],
  [{ onUnlocked: 'deny' }, 'onUnlocked', "onUnlocked of loadSchema cannot be 'deny'"],
  [{ pin: 5 }, 'pin', 'loadSchema needs pin (text), got a value of type number'],
  [{ grants: 'all' }, 'grants', 'loadSchema needs grants (object), got a value of type string'],
  [{ grants: { secret: ['X'] } }, 'grants.secret', 'there is no grant secret'],
  [
    { grants: { secrets: 'X' } },
    'grants.secrets',
    'loadSchema needs grants.secrets (text array), got a value of type string',
  ],
  [{ grants: { network: ['nonsense'] } }, 'grants.network[0]', "grants.network[0] is not an origin: 'nonsense'"],
  [
    { grants: { network: 'all' } },
    'grants.network',
    "loadSchema needs grants.network (an array of origins, or 'any'), got 'all'",
  ],
])('%o is refused', async (options, path, message) => {
  const loaded = await SchemaKit.loadSchema({ filePath, ...(options as object) });
  expect(loaded).toMatchObject({ status: false, main: null, findings: [{ code: 'ARG001', path, message }] });
});

test('an unknown option is reported and ignored', async () => {
  const loaded = await SchemaKit.loadSchema({ filePath, ...({ strct: true } as object) });
  const told = { code: 'ARG001', severity: 'warning', path: 'strct', message: 'loadSchema has no option strct' };
  expect(loaded).toMatchObject({ status: true, findings: [told] });
});

test('a misspelt option or grant gets a suggestion', async () => {
  const options = { strct: true, grants: { secret: [] } };
  const { findings } = await SchemaKit.loadSchema({ filePath, ...(options as object) });
  expect(findings.map(({ hint }) => hint)).toEqual(['Did you mean strict?', 'Did you mean secrets?']);
});

test.each([
  {},
  { strict: undefined, grants: undefined },
  { listsDir: null, isolation: null },
  { strict: false, scan: 'report', approveRoot: false, isolation: 'process', onUnlocked: 'trust', allowlist: [] },
  { grants: { network: 'any', secrets: ['KEY'] } },
  { grants: { network: ['https://api.example.com', 'https://*.example.com:8443', 'http://127.0.0.1:80'] } },
] as const)('%o is understood', async (options) => {
  expect(await SchemaKit.loadSchema({ filePath, ...(options as object) })).toMatchObject({ status: true });
});

test('loadSchemas reports an invalid option once, for any number of files', async () => {
  const loaded = await loadSchemas({ paths: [folder, filePath], ...({ approveRoot: 'no' } as object) });
  expect(loaded).toMatchObject({ status: false, schemas: [] });
  expect(loaded.findings).toMatchObject([{ code: 'ARG001', path: 'approveRoot' }]);
});

test('loadAgent refuses an approval that is not a boolean', async () => {
  const { findings } = await loadAgent({ filePath, ...({ approveRoot: 'no' } as object) });
  expect(findings).toMatchObject([{ code: 'ARG001', path: 'approveRoot' }]);
});
