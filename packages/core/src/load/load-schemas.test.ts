import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { mainWith, parameterWith, toolWith } from '../schema/rules/fixtures/rule-case.ts';
import { loadSchemas } from './load-schemas.ts';

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'schemakit-load-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

function schemaText(parts: Readonly<Record<string, unknown>> = {}, handlers?: string): string {
  const text = `export const main = ${JSON.stringify(mainWith(parts))};\n`;
  return handlers === undefined ? text : `${text}export const handlers = ${handlers};\n`;
}

describe('found files', () => {
  test('files in folders, in the order of their paths, without lists and other modules', async () => {
    const folder = await folderWith({
      'b/two.mjs': schemaText({ namespace: 'two' }),
      'a/one.mjs': schemaText({ namespace: 'one' }),
      'a/skills/find.mjs': 'export const skill = {};',
      '_lists/colours.mjs': 'export const list = {};',
      '.hidden/three.mjs': schemaText(),
      'node_modules/x/four.mjs': schemaText(),
      'notes.md': '# Notes',
      'scripts/seed.mjs': "import { writeFileSync } from 'node:fs';\nwriteFileSync('a.db', '');",
    });
    const { status, findings, schemas } = await loadSchemas({ paths: [folder] });
    expect({ status, findings }).toEqual({ status: true, findings: [] });
    expect(schemas.map(({ main }) => main?.namespace)).toEqual(['one', 'two']);
  });

  test('agent manifests exported as main are skipped', async () => {
    const agent = { ...mainWith({ version: 'flowmcp/3.0.0' }), tools: ['shop/tool/getThing'] };
    const folder = await folderWith({
      'one.mjs': schemaText(),
      'agent.mjs': `export const main = ${JSON.stringify(agent)};`,
    });
    const { findings, schemas } = await loadSchemas({ paths: [folder] });
    expect(findings).toEqual([]);
    expect(schemas).toHaveLength(1);
    expect(await loadSchemas({ paths: [join(folder, 'agent.mjs')] })).toMatchObject({
      status: false,
      findings: [{ code: 'VAL008', hint: expect.stringContaining('loadAgent') }],
    });
  });

  test('a file that is named is a schema, for any exports', async () => {
    const folder = await folderWith({ 'skill.mjs': 'export const skill = {};' });
    const { status, schemas, findings } = await loadSchemas({ paths: [join(folder, 'skill.mjs')] });
    expect({ status, count: schemas.length, codes: findings.map(({ code }) => code) }).toEqual({
      status: false,
      count: 1,
      codes: ['VAL001'],
    });
  });

  test('a file under two paths is loaded once', async () => {
    const folder = await folderWith({ 'one.mjs': schemaText() });
    const { schemas } = await loadSchemas({ paths: [folder, join(folder, 'one.mjs'), folder] });
    expect(schemas).toHaveLength(1);
  });

  test('no files are an error', async () => {
    const folder = await folderWith({ 'notes.md': '' });
    expect(await loadSchemas({ paths: [folder] })).toMatchObject({ status: false, findings: [{ code: 'FIL005' }] });
    expect(await loadSchemas({ paths: [] })).toMatchObject({
      findings: [{ code: 'FIL005', message: 'no path was given, so there is no schema' }],
    });
    expect(await loadSchemas({ paths: [join(folder, 'absent')] })).toMatchObject({ findings: [{ code: 'FIL001' }] });
    expect(await loadSchemas()).toMatchObject({ status: false, findings: [{ code: 'ARG001' }], schemas: [] });
  });
});

describe('tools with the same name', () => {
  const { getThing } = toolWith().tools;

  test('are a warning that names both, with their new names', async () => {
    const folder = await folderWith({ 'a.mjs': schemaText(), 'b.mjs': schemaText({ name: 'Other shop' }) });
    const { status, findings, schemas } = await loadSchemas({ paths: [folder] });
    expect({ status, count: schemas.length }).toEqual({ status: true, count: 2 });
    expect(findings).toEqual([
      {
        code: 'REF005',
        severity: 'warning',
        path: 'shop__getThing',
        message: `2 tools would be named shop__getThing; they are exposed as shop__getThing (${folder}/a.mjs), shop__getThing_2 (${folder}/b.mjs)`,
        hint: expect.any(String),
      },
    ]);
  });

  test('are found if they are the same only in the characters of MCP', async () => {
    const tools = { 'get/thing': getThing, get_thing: getThing };
    const folder = await folderWith({ 'a.mjs': schemaText({ tools }) });
    const { findings } = await loadSchemas({ paths: [folder] });
    expect(findings.filter(({ code }) => code === 'REF005').map(({ path }) => path)).toEqual(['shop__get_thing']);
  });

  test('are an error in strict mode', async () => {
    const folder = await folderWith({ 'a.mjs': schemaText(), 'b.mjs': schemaText() });
    expect(await loadSchemas({ paths: [folder], strict: true })).toMatchObject({
      status: false,
      findings: [{ code: 'REF005', severity: 'error' }],
    });
  });

  test('do not matter in a schema that did not load', async () => {
    const folder = await folderWith({ 'a.mjs': schemaText(), 'b.mjs': schemaText({ version: '1' }) });
    const { findings } = await loadSchemas({ paths: [folder] });
    expect(findings.map(({ code }) => code)).toEqual(['VAL014']);
  });
});

describe('500 files with every feature', () => {
  const count = 500;
  const list = `export const list = {
  meta: { name: 'colours', version: '1.0.0', description: 'Colours', fields: [{ key: 'name', type: 'string', description: 'Its name' }] },
  entries: [{ name: 'red' }, { name: 'blue' }],
};`;
  const skill = `export const skill = {
  name: 'find-things',
  version: 'schemakit-skill/1.0.0',
  description: 'Finds things',
  output: 'A list of things',
  content: 'Use {{tool:getThing}}.',
};`;

  /** Every fifth lacks its method; every seventh has a handler. */
  function generated(index: number): string {
    const parameters = [
      parameterWith({ key: 'colour' }, { primitive: 'enum({{colours:name}})' }),
      parameterWith({ key: 'limit' }, { primitive: 'number()', options: ['min(1)', 'max(100)', 'default(20)'] }),
      parameterWith({ key: 'key', value: '{{SERVER_PARAM:API_KEY}}' }),
    ];
    const namespace = `shop${[...String(index).padStart(3, '0')].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`;
    const handlers = '() => ({ getThing: { postRequest: async ({ response }) => ({ response }) } })';
    const main = {
      namespace,
      requiredServerParams: ['API_KEY'],
      headers: { Authorization: 'Bearer {{API_KEY}}' },
      sharedLists: [{ ref: 'colours', version: '1.0.0', filter: { key: 'name', exists: true } }],
      ...toolWith({ parameters, preload: { enabled: true, ttl: 60 }, ...(index % 5 === 0 && { method: undefined }) }),
    };
    return schemaText(
      { ...main, skills: { 'find-things': { file: './find-things.mjs' } } },
      index % 7 === 0 ? handlers : undefined,
    );
  }

  test('load in one call, with progress and all findings', async () => {
    const files = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`set${index % 10}/schema${index}.mjs`, generated(index)]),
    );
    const skills = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`set${index}/find-things.mjs`, skill]));
    const folder = await folderWith({ ...files, ...skills, '_lists/colours.mjs': list });
    const seen: { done: number; total: number; file: string }[] = [];
    const { status, findings, schemas } = await loadSchemas({
      paths: [folder],
      onProgress(progress) {
        seen.push(progress);
        throw new Error('a display that fails');
      },
    });
    expect(schemas).toHaveLength(count);
    expect(schemas.filter((schema) => schema.status)).toHaveLength(400);
    expect(status).toBe(false);
    expect(findings.map(({ code, severity }) => `${code} ${severity}`)).toEqual(new Array(100).fill('VAL032 error'));
    expect(new Set(findings.map(({ file }) => file)).size).toBe(100);
    expect(findings.every(({ line }) => line === 1)).toBe(true);
    expect(seen.map(({ done }) => done)).toEqual(Array.from({ length: count + 10 }, (_, index) => index + 1));
    expect(new Set(seen.map(({ total }) => total))).toEqual(new Set([count + 10]));
    expect(new Set(seen.map(({ file }) => file)).size).toBe(count + 10);
    const paths = schemas.map(({ file }) => file);
    expect(paths).toEqual([...paths].sort());
  });

  test('give the same report each time', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`schema${index}.mjs`, generated(index)]),
    );
    const folder = await folderWith({ ...files, 'find-things.mjs': skill, '_lists/colours.mjs': list });
    const first = await loadSchemas({ paths: [folder] });
    const second = await loadSchemas({ paths: [folder] });
    expect(second.findings).toEqual(first.findings);
    expect(second.schemas.map(({ main }) => main)).toEqual(first.schemas.map(({ main }) => main));
  });
});
