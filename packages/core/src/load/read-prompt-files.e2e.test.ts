// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are the text of modules

import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Finding } from '../schema/finding.ts';
import { ruleReport } from '../schema/rule-report.ts';
import { parsePrompts, parseSkills } from '../schema/rules/prompts.ts';
import { readPromptFiles } from './read-prompt-files.ts';

let base: string;
let folder: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'prompt-files-'));
  folder = join(base, 'shop');
  await mkdir(folder);
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function write(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

async function load(main: Record<string, unknown>, { scan = 'enforce' }: { scan?: 'enforce' | 'report' } = {}) {
  const findings: Finding[] = [];
  const report = ruleReport((finding) => findings.push(finding));
  const full = { namespace: 'shop', ...main };
  const definitions = [...parseSkills(full, report), ...parsePrompts(full, report)];
  const read = await readPromptFiles(definitions, {
    schemaFile: join(folder, 'shop.mjs'),
    namespace: 'shop',
    tools: ['find', 'buy'],
    resources: ['catalog'],
    scan,
  });
  findings.push(...read.findings);
  const codes = findings.map(({ code, severity, path }) => `${code} ${severity} ${path}`);
  return { prompts: read.prompts, findings, codes };
}

const skillFields = {
  name: 'order',
  version: 'schemakit-skill/1.0.0',
  description: 'Order something',
  content: 'Call {{tool:find}}, then ask.',
  output: 'A number',
};

/** Loads one skill with some fields changed. */
async function loadSkill(change: Record<string, unknown>) {
  await write('skills/order.mjs', `export const skill = ${JSON.stringify({ ...skillFields, ...change })}`);
  return load({ skills: { order: { file: './skills/order.mjs' } } });
}

/** Loads one prompt from the text of its module. */
async function loadPrompt(text: string, definition: Record<string, unknown> = { description: 'The shop' }) {
  await write('prompts/about.mjs', text);
  return load({ prompts: { about: { contentFile: './prompts/about.mjs', ...definition } } });
}

describe('skill files', () => {
  test('are read with all their fields', async () => {
    await write(
      'skills/order.mjs',
      `const place = 'shop'
const content = \`Use {{tool:find}} in \${place} for {{input:item}}.
Look at {{resource:catalog}}.\`
export const skill = {
  name: 'order', version: 'flowmcp-skill/1.0.0', description: 'Order something',
  requires: { tools: ['find'], resources: ['catalog'], external: ['playwright'] },
  input: [
    { key: 'item', type: 'string', description: 'What', required: true },
    { key: 'speed', type: 'enum', description: 'How fast', required: false, values: ['slow', 'fast'] },
  ],
  output: 'A number', testedWith: 'a/b', content,
}`,
    );
    const { prompts, findings } = await load({ skills: [{ name: 'order', file: 'skills/order.mjs' }] });
    expect(findings).toEqual([]);
    expect(prompts).toEqual([
      {
        name: 'order',
        kind: 'skill',
        description: 'Order something',
        arguments: [
          { name: 'item', type: 'string', description: 'What', required: true },
          { name: 'speed', type: 'enum', description: 'How fast', required: false, values: ['slow', 'fast'] },
        ],
        content: [
          { kind: 'text', text: 'Use ' },
          { kind: 'tool', name: 'find' },
          { kind: 'text', text: ' in shop for ' },
          { kind: 'input', name: 'item' },
          { kind: 'text', text: '.\nLook at ' },
          { kind: 'resource', name: 'catalog' },
          { kind: 'text', text: '.' },
        ],
        references: [],
      },
    ]);
  });

  test('are not run, and refused if the scan refuses them', async () => {
    const file = await write(
      'order.mjs',
      `globalThis.wasRun = true\nexport const skill = ${JSON.stringify(skillFields)}`,
    );
    const { prompts, findings } = await load({ skills: { order: { file: 'order.mjs' } } });
    expect(prompts).toEqual([]);
    expect(findings).toMatchObject([{ code: expect.stringMatching(/^SEC/), severity: 'error', file, line: 1 }]);
    expect(Reflect.get(globalThis, 'wasRun')).toBeUndefined();
  });

  test('break no rule', async () => expect((await loadSkill({})).codes).toEqual([]));

  test.each([
    [{ name: 'other' }, 'SKL003 warning skill.name'],
    [{ name: undefined }, 'SKL003 warning skill.name'],
    [{ version: '1.0.0' }, 'SKL004 warning skill.version'],
    [{ description: 'x'.repeat(1025) }, 'SKL007 warning skill.description'],
    [{ output: undefined }, 'SKL011 warning skill.output'],
    [{ extra: 1 }, 'VAL003 warning skill.extra'],
    [{ content: 'For {{input:item}}' }, 'SKL008 warning skill.content'],
    [{ content: 'Use {{tools:find}}' }, 'SKL022 warning skill.content'],
    [{ content: 'Use {{tool:shop/tool/rent}}' }, 'SKL005 warning skill.content'],
    [{ requires: [] }, 'SKL026 warning skill.requires'],
    [{ requires: { tools: 'find' } }, 'SKL026 warning skill.requires.tools'],
    [{ requires: { external: [1] } }, 'SKL026 warning skill.requires.external'],
    [{ requires: { tools: [] } }, 'SKL020 warning skill.content'],
    [{ requires: { tools: ['find', 'buy'] } }, 'SKL024 info skill.requires.tools[1]'],
    [{ requires: { resources: ['catalog'] } }, 'SKL025 info skill.requires.resources[0]'],
    [{ input: {} }, 'SKL026 warning skill.input'],
    [{ input: [input({ key: 'An item' })] }, 'SKL012 warning skill.input[0].key'],
    [{ input: [input({}), input({})] }, 'SKL012 warning skill.input[1].key'],
    [{ input: [input({ type: 'array' })] }, 'SKL013 warning skill.input[0].type'],
    [{ input: [input({ description: ' ' })] }, 'SKL014 warning skill.input[0].description'],
    [{ input: [input({ required: 'yes' })] }, 'SKL015 warning skill.input[0].required'],
    [{ input: [input({ values: ['a'] })] }, 'SKL009 warning skill.input[0].values'],
    [{ input: [input({ type: 'enum' })] }, 'SKL009 error skill.input[0].values'],
    [{ input: [{ type: 'string' }] }, 'SKL012 error skill.input[0]'],
    [{ input: [], content: 'For {{input:item}}' }, 'SKL008 error skill.content'],
    [{ description: undefined }, 'SKL007 error skill.description'],
    [{ content: 'Use {{tool:fnid}}' }, 'SKL005 error skill.content'],
    [{ content: 'Use {{resource:constructor}}' }, 'SKL006 error skill.content'],
    [{ content: 'Use {{skill:__proto__}}' }, 'SKL022 error skill.content'],
    [{ content: 'Use {{prompt:none}}' }, 'SKL022 error skill.content'],
    [{ requires: { tools: ['find', 'toString'] } }, 'SKL005 error skill.requires.tools[1]'],
  ])('with %j are read with a finding', async (change, code) => {
    const { prompts, codes, findings } = await loadSkill(change);
    expect(prompts).toHaveLength(1);
    expect(codes).toContain(code);
    expect(findings[0]).toMatchObject({ file: join(folder, 'skills/order.mjs'), line: 1 });
  });

  test('may name parts of another namespace', async () => {
    const { codes } = await loadSkill({
      requires: { tools: ['coins/tool/price'] },
      content: 'Use coins/tool/price and {{resource:coins/list}}',
    });
    expect(codes).toEqual([]);
  });

  test.each([
    ['export const skill = { content: " " }', 'SKL010 error skill.content'],
    ['export const skill = []', 'SKL001 error skill'],
    ['export const skill = () => ({})', 'SKL001 error skill'],
    ['export const prompt = {}', 'SKL001 error '],
    ['', 'SKL001 error '],
    ['export const skill = { content: new Date().toISOString() }', 'SKL001 error skill'],
    ['export const skill = {', 'MOD001 error '],
  ])('%s is refused', async (text, code) => {
    await write('skills/order.mjs', text);
    const { prompts, codes } = await load({ skills: { order: { file: './skills/order.mjs' } } });
    expect(prompts).toEqual([]);
    expect(codes).toContain(code);
    expect(codes.filter((each) => each.startsWith('MOD'))).toHaveLength(code.startsWith('MOD') ? 1 : 0);
  });

  test('are read if the scan only reports', async () => {
    await write('skills/order.mjs', `import fs from 'node:fs'\nexport const skill = ${JSON.stringify(skillFields)}`);
    const skills = { order: { file: './skills/order.mjs' } };
    expect((await load({ skills })).prompts).toEqual([]);
    const { prompts, findings } = await load({ skills }, { scan: 'report' });
    expect(prompts).toHaveLength(1);
    expect(findings.map(({ severity }) => severity)).toEqual(['warning']);
  });

  test('that cannot be parsed are reported once', async () => {
    await write('order.mjs', 'export const skill = {');
    const skills = { order: { file: 'order.mjs' } };
    for (const scan of ['enforce', 'report'] as const) {
      const { prompts, findings } = await load({ skills }, { scan });
      expect(prompts).toEqual([]);
      expect(findings.map(({ code }) => code)).toEqual(['MOD001']);
    }
  });

  test('treat an enum without values as text', async () => {
    const { prompts } = await loadSkill({ input: [input({ type: 'enum' })] });
    expect(prompts[0]?.arguments).toMatchObject([{ name: 'item', type: 'string' }]);
  });

  test('follow references one level deep', async () => {
    const skill = (name: string, content: string) =>
      write(`${name}.mjs`, `export const skill = ${JSON.stringify({ ...skillFields, name, content })}`);
    await skill('a', 'Then {{skill:b}}');
    await skill('b', 'Then {{skill:shop/skill/c}}');
    await skill('c', 'End');
    const { prompts, codes } = await load({
      skills: { a: { file: 'a.mjs' }, b: { file: 'b.mjs' }, c: { file: 'c.mjs' } },
    });
    expect(codes).toEqual(['SKL023 warning main.skills.a']);
    expect(prompts.map(({ references }) => references)).toEqual([
      [{ kind: 'skill', name: 'b' }],
      [{ kind: 'skill', name: 'shop/skill/c' }],
      [],
    ]);
  });
});

describe('prompt files', () => {
  test('export content', async () => {
    const { prompts, codes } = await loadPrompt('export const content = `Use {{tool:find}} for {{input:item}}.`');
    expect(codes).toEqual([]);
    expect(prompts).toMatchObject([
      { name: 'about', kind: 'prompt', description: 'The shop', arguments: [{ name: 'item', required: true }] },
    ]);
  });

  test('export prompt with content, and metadata that main lacks', async () => {
    const prompt = {
      name: 'shop-about',
      provider: 'shop',
      testedWith: 'a/b',
      description: 'From the file',
      dependsOn: ['shop.find', 'coins.price'],
      references: ['coins/prompt/about'],
      content: 'Use [[shop/tool/buy]] for [[item]].',
    };
    const text = `export const prompt = ${JSON.stringify(prompt)}`;
    const { prompts, codes } = await loadPrompt(text, {});
    expect(codes).toEqual([]);
    expect(prompts).toEqual([
      {
        name: 'about',
        kind: 'prompt',
        description: 'From the file',
        arguments: [{ name: 'item', required: true, type: 'string' }],
        content: [
          { kind: 'text', text: 'Use ' },
          { kind: 'tool', name: 'shop/tool/buy' },
          { kind: 'text', text: ' for ' },
          { kind: 'input', name: 'item' },
          { kind: 'text', text: '.' },
        ],
        references: [{ kind: 'prompt', name: 'coins/prompt/about' }],
      },
    ]);
    const known = await loadPrompt(text, { description: 'From main', references: [] });
    expect(known.prompts).toMatchObject([{ description: 'From main', references: [] }]);
  });

  test('may be missing if the text is in main', async () => {
    const { prompts, findings } = await load({
      prompts: { about: { content: 'Use {{tool:none}}', description: 'A' } },
    });
    expect(prompts).toHaveLength(1);
    expect(findings.map(({ code, path, file }) => [code, path, file])).toEqual([
      ['PRM010', 'main.prompts.about.content', undefined],
      ['PRM009', 'main.prompts.about.content', undefined],
    ]);
  });

  test.each([
    ['export const content = "Use {{tool:none}}"', 'PRM009 error content'],
    ['export const content = "Use {{skill:constructor}}"', 'PRM009 error content'],
    ['export const content = "Use [[shop/tool/none]]"', 'PRM009 warning content'],
    ['export const content = "Use {{promt:about}}"', 'PRM009 warning content'],
    ['export const prompt = { content: "a", dependsOn: ["none"] }', 'PRM006 error prompt.dependsOn[0]'],
    ['export const prompt = { content: "a", references: ["none"] }', 'PRM007 error prompt.references[0]'],
    ['export const prompt = { content: "a", references: "x" }', 'PRM013 warning prompt.references'],
  ])('%s is read with a finding', async (text, code) => {
    const { prompts, codes, findings } = await loadPrompt(text);
    expect(prompts).toHaveLength(1);
    expect(codes).toEqual([code]);
    expect(findings[0]).toMatchObject({ file: join(folder, 'prompts/about.mjs'), line: 1 });
  });

  test('without a description are read with a warning in main', async () => {
    const { prompts, findings } = await loadPrompt('export const content = "a"', {});
    expect(prompts).toMatchObject([{ description: '' }]);
    expect(findings).toMatchObject([{ code: 'PRM014', severity: 'warning', path: 'main.prompts.about.description' }]);
    expect(findings[0]).not.toHaveProperty('file');
  });

  test.each([
    ['export const other = 1', 'PRM010 error '],
    ['export const content = ""', 'PRM010 error content'],
    ['export const content = 1', 'PRM010 error content'],
    ['export const prompt = {}', 'PRM010 error prompt.content'],
    ['export const prompt = "text"', 'PRM010 error prompt.content'],
    ['export const content = String(Math.random())', 'PRM010 error content'],
  ])('%s is refused', async (text, code) => {
    const { prompts, codes } = await loadPrompt(text);
    expect(prompts).toEqual([]);
    expect(codes).toEqual([code]);
  });

  test('follow references one level deep', async () => {
    await write('a.mjs', 'export const content = "A"');
    const definition = (references: string[]) => ({ contentFile: 'a.mjs', description: 'A', references });
    const { codes } = await load({
      prompts: { about: definition(['b']), b: definition(['shop/prompt/c']), c: definition([]) },
    });
    expect(codes).toEqual(['PRM008 warning main.prompts.about']);
  });
});

test('a prompt that is listed and named in the text is one reference', async () => {
  await write('a.mjs', 'export const content = "A {{prompt:b}} {{prompt:shop/prompt/b}}"');
  await write('b.mjs', 'export const content = "B {{prompt:c}}"');
  await write('c.mjs', 'export const content = "C"');
  const definition = (file: string, references: string[]) => ({ contentFile: file, description: 'A', references });
  const { codes } = await load({
    prompts: { about: definition('a.mjs', ['b']), b: definition('b.mjs', []), c: definition('c.mjs', []) },
  });
  expect(codes).toEqual(['PRM008 warning main.prompts.about']);
});

describe('paths', () => {
  const skills = { order: { file: './order.mjs' } };
  const text = `export const skill = ${JSON.stringify(skillFields)}`;

  test('to a missing file are refused', async () => {
    const { prompts, codes } = await load({ skills, prompts: { about: { contentFile: 'none.mjs' } } });
    expect(prompts).toEqual([]);
    expect(codes).toEqual(['SKL017 error main.skills.order.file', 'PRM017 error main.prompts.about.contentFile']);
  });

  test('may be links inside the folder', async () => {
    await symlink(await write('skills/real.mjs', text), join(folder, 'order.mjs'));
    expect((await load({ skills })).prompts).toHaveLength(1);
  });

  test('of links that lead out of the folder are refused', async () => {
    await writeFile(join(base, 'outside.mjs'), text);
    await symlink(join(base, 'outside.mjs'), join(folder, 'order.mjs'));
    const file = await load({ skills });
    expect(file).toMatchObject({ prompts: [], codes: ['SKL016 error main.skills.order.file'] });
    await symlink(base, join(folder, 'up'));
    const viaFolder = await load({ skills: { order: { file: 'up/outside.mjs' } } });
    expect(viaFolder).toMatchObject({ prompts: [], codes: ['SKL016 error main.skills.order.file'] });
  });

  test('are refused by the reader itself, for any definition', async () => {
    await writeFile(join(base, 'outside.mjs'), text);
    for (const file of ['../outside.mjs', '../none.mjs', join(base, 'outside.mjs'), '.', '']) {
      const { prompts, findings } = await readPromptFiles(
        [{ name: 'order', kind: 'skill', path: 'main.skills.order', source: { file } }],
        { schemaFile: join(folder, 'shop.mjs'), namespace: 'shop', tools: ['find'], resources: [] },
      );
      expect(prompts).toEqual([]);
      expect(findings.map(({ code }) => code)).toEqual(['SKL016']);
    }
  });

  test('to folders and pipes are refused without waiting', async () => {
    await mkdir(join(folder, 'order.mjs'));
    expect((await load({ skills })).codes).toEqual(['SKL017 error main.skills.order.file']);
    execFileSync('mkfifo', [join(folder, 'pipe.mjs')]);
    const { codes } = await load({ skills: { order: { file: 'pipe.mjs' } } });
    expect(codes).toEqual(['SKL017 error main.skills.order.file']);
  });

  test('work if the folder of the schema is a link', async () => {
    await write('order.mjs', text);
    await symlink(folder, join(base, 'linked'));
    folder = join(base, 'linked');
    expect((await load({ skills })).prompts).toHaveLength(1);
  });
});

function input(change: Record<string, unknown>): Record<string, unknown> {
  return { key: 'item', type: 'string', description: 'What', required: true, ...change };
}
