import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../schema/finding.ts';
import { promptCodes } from '../schema/finding-codes.ts';
import { ruleReport } from '../schema/rule-report.ts';
import { parsePrompts, parseSkills } from '../schema/rules/prompts.ts';
import { loadAgent } from './load-agent.ts';
import { readPromptFiles } from './read-prompt-files.ts';

let base: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'prompt-rules-'));
});
afterAll(() => rm(base, { recursive: true, force: true }));

async function write(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(base, 'shop-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

type Case = () => Promise<readonly Finding[]>;

/** A schema with the tools find and buy and the resource catalog. */
function schema(main: object, files: Readonly<Record<string, string>> = {}): Case {
  return async () => {
    const folder = await write(files);
    const findings: Finding[] = [];
    const report = ruleReport((finding) => findings.push(finding));
    const full = { namespace: 'shop', ...main };
    const { findings: others } = await readPromptFiles([...parseSkills(full, report), ...parsePrompts(full, report)], {
      schemaFile: join(folder, 'shop.mjs'),
      namespace: 'shop',
      tools: ['find', 'buy'],
      resources: ['catalog'],
    });
    return [...findings, ...others];
  };
}

const skillFields = {
  name: 'order',
  version: 'schemakit-skill/1.0.0',
  description: 'Order something',
  requires: { tools: ['find'], resources: ['catalog'] },
  input: [{ key: 'item', type: 'string', description: 'What', required: true }],
  content: 'Find {{input:item}} with {{tool:find}} in {{resource:catalog}}.',
  output: 'A number',
};
const skillFile = (changes: object = {}) => `export const skill = ${JSON.stringify({ ...skillFields, ...changes })};`;
const skills = { order: { file: './order.mjs' } };

const skill = (changes: object) => schema({ skills }, { 'order.mjs': skillFile(changes) });
const skillText = (text: string) => schema({ skills }, { 'order.mjs': text });
const skillIn = (definitions: unknown) => schema({ skills: definitions }, { 'order.mjs': skillFile() });
const skillInput = (changes: object) => skill({ input: [{ ...skillFields.input[0], ...changes }] });
/** Skills that name one another. */
const skillChain = (contents: Readonly<Record<string, string>>) =>
  schema(
    { skills: Object.fromEntries(Object.keys(contents).map((name) => [name, { file: `${name}.mjs` }])) },
    Object.fromEntries(
      Object.entries(contents).map(([name, content]) => [
        `${name}.mjs`,
        skillFile({ name, content, input: [], requires: {} }),
      ]),
    ),
  );
const manySkills = (count: number) => {
  const names = ['a', 'b', 'c', 'd', 'e'].slice(0, count);
  return skillChain(Object.fromEntries(names.map((name) => [name, 'Ask.'])));
};

const definition = { contentFile: './about.mjs', description: 'The shop' };
const aboutFile = { 'about.mjs': 'export const content = "Use {{tool:find}}.";' };
const prompt = (changes: object) => schema({ prompts: { about: { ...definition, ...changes } } }, aboutFile);
const promptText = (text: string) => schema({ prompts: { about: definition } }, { 'about.mjs': text });
const promptsIn = (prompts: unknown) => schema({ prompts }, aboutFile);
const manyPrompts = (count: number) =>
  promptsIn(Object.fromEntries(['about', 'b', 'c', 'd', 'e', 'f'].slice(0, count).map((name) => [name, definition])));

/** The prompt of an agent. */
function agentPrompt(changes: object): Case {
  return async () => {
    const about = {
      name: 'about',
      version: 'schemakit-prompt/1.0.0',
      agent: 'clerk',
      description: 'The shop',
      testedWith: 'a/b',
      content: 'Use {{tool:shop/tool/find}}.',
      ...changes,
    };
    const agent = {
      name: 'clerk',
      version: 'schemakit/3.0.0',
      description: 'Sells',
      model: 'a/b',
      systemPrompt: 'You sell.',
      tools: { 'shop/tool/find': null },
      prompts: { about: { file: 'about.mjs' } },
      tests: ['a', 'b', 'c'].map((input) => ({ _description: input, input, expectedTools: ['shop/tool/find'] })),
    };
    const folder = await write({
      'agent.mjs': `export const agent = ${JSON.stringify(agent)};`,
      'about.mjs': `export const prompt = ${JSON.stringify(about)};`,
    });
    return (await loadAgent({ filePath: join(folder, 'agent.mjs') })).findings;
  };
}

/** For each rule, a schema that breaks it, and a similar one that breaks no rule. */
const rules: Readonly<
  Record<Exclude<keyof typeof promptCodes, 'PRM018' | 'PRM019'>, readonly [breaks: Case, keeps: Case]>
> = {
  SKL001: [
    skillText('export const skills = {};'),
    skillText(`const skill = ${skillFile().slice(20)}\nexport { skill };`),
  ],
  SKL002: [skillIn({ Order: { file: 'order.mjs' } }), skillIn({ order: { file: 'order.mjs' } })],
  SKL003: [skill({ name: 'orders' }), skill({ name: 'order' })],
  SKL004: [skill({ version: '1.0.0' }), skill({ version: 'flowmcp-skill/1.0.0' })],
  SKL005: [
    skill({ content: '{{tool:rent}} {{tool:find}} {{resource:catalog}} {{input:item}}' }),
    skill({ requires: { tools: ['shop/tool/find'], resources: ['catalog'] } }),
  ],
  SKL006: [
    skill({ requires: { tools: ['find'], resources: ['catalog', 'index'] } }),
    skill({ requires: { tools: ['find'], resources: ['shop/resource/catalog'] } }),
  ],
  SKL007: [skill({ description: '' }), skill({ description: 'x'.repeat(1024) })],
  SKL008: [skill({ input: [] }), skill({ content: `${skillFields.content} {{input:item}}` })],
  SKL009: [skillInput({ type: 'enum' }), skillInput({ type: 'enum', values: ['shoe'] })],
  SKL010: [skill({ content: ' ' }), skill({ content: `${skillFields.content}\n` })],
  SKL011: [skill({ output: undefined }), skill({ output: '-' })],
  SKL012: [
    skillInput({ key: undefined }),
    skill({ input: [...skillFields.input, { ...skillFields.input[0], key: 'howMany2' }] }),
  ],
  SKL013: [skillInput({ type: 'integer' }), skillInput({ type: 'number' })],
  SKL014: [skillInput({ description: undefined }), skillInput({ description: '-' })],
  SKL015: [skillInput({ required: undefined }), skillInput({ required: false })],
  SKL016: [skillIn({ order: { file: '../order.mjs' } }), skillIn({ order: { file: 'order.mjs' } })],
  SKL017: [skillIn({ order: { file: './orders.mjs' } }), skillIn({ order: { file: './/order.mjs' } })],
  SKL018: [manySkills(5), manySkills(4)],
  SKL019: [skillIn('order.mjs'), skillIn([{ name: 'order', file: 'order.mjs' }])],
  SKL020: [skill({ requires: { tools: [], resources: ['catalog'] } }), skill({ requires: { resources: ['catalog'] } })],
  SKL021: [skill({ requires: { tools: ['find'], resources: [] } }), skill({ requires: { tools: ['find'] } })],
  SKL022: [skillChain({ a: 'Then {{skill:b}}.' }), skillChain({ a: 'Then {{skill:b}}.', b: 'End.' })],
  SKL023: [
    skillChain({ a: '{{skill:b}}', b: '{{skill:c}}', c: 'End.' }),
    skillChain({ a: '{{skill:b}} {{skill:c}}', b: 'End.', c: 'End.' }),
  ],
  SKL024: [
    skill({ requires: { tools: ['find', 'buy'] } }),
    skill({ requires: { tools: ['find', 'buy'] }, content: `${skillFields.content} Then buy.` }),
  ],
  SKL025: [
    skill({ requires: { resources: ['catalog'] }, content: '{{tool:find}} {{input:item}}' }),
    skill({ requires: { resources: ['catalog'] }, content: '{{input:item}}: see the catalog.' }),
  ],
  SKL026: [
    skill({ requires: { external: 'browser' } }),
    skill({ requires: { ...skillFields.requires, external: ['browser'] } }),
  ],
  PRM001: [prompt({ name: 'shop' }), prompt({ name: 'about' })],
  PRM002: [prompt({ version: '1.0.0' }), prompt({ version: 'flowmcp-prompt/1.0.0' })],
  PRM003: [prompt({ namespace: 'coins' }), prompt({ namespace: 'shop' })],
  PRM004: [prompt({ testedWith: 'a/b' }), prompt({ testedWith: undefined })],
  PRM005: [agentPrompt({ testedWith: 'claude' }), agentPrompt({ testedWith: 'openrouter/a/b' })],
  PRM006: [prompt({ dependsOn: ['rent'] }), prompt({ dependsOn: ['find', 'shop.buy', 'coins/tool/price'] })],
  PRM007: [prompt({ references: ['prices'] }), prompt({ references: ['coins/prompt/about', 'shop/resource/catalog'] })],
  PRM008: [
    promptsIn({ about: { ...definition, references: ['b'] }, b: { ...definition, references: ['coins/prompt/a'] } }),
    promptsIn({ about: { ...definition, references: ['b', 'coins/prompt/a'] }, b: definition }),
  ],
  PRM009: [
    promptText('export const content = "{{tool:rent}}";'),
    promptText('export const content = "{{rent}} {{tool: rent}}";'),
  ],
  PRM010: [promptText('export const text = "Shop.";'), promptText('export const prompt = { content: "Shop." };')],
  PRM011: [prompt({ contentFile: 'about.md' }), prompt({ contentFile: 'about.mjs' })],
  PRM012: [manyPrompts(6), manyPrompts(5)],
  PRM013: [prompt({ dependsOn: 'find' }), prompt({ dependsOn: [] })],
  PRM014: [prompt({ description: undefined }), prompt({ description: 'x'.repeat(1024) })],
  PRM015: [promptsIn({ shop: definition }), promptsIn({ shop: definition, about: definition })],
  PRM016: [promptsIn([definition]), promptsIn({})],
  PRM017: [prompt({ contentFile: './none.mjs' }), prompt({ contentFile: './/about.mjs' })],
};

describe.each(Object.entries(rules))('%s', (code, [breaks, keeps]) => {
  test('is broken', async () => {
    const said = (await breaks()).map((finding) => `${finding.code} ${finding.severity}`);
    expect(said).toContain(`${code} ${promptCodes[code as keyof typeof promptCodes][0]}`);
  });

  test('is kept', async () => expect(await keeps()).toEqual([]));
});

describe('the prompt of an agent', () => {
  test('keeps every rule', async () => expect(await agentPrompt({})()).toEqual([]));

  test.each([
    [{ name: 'shop' }, 'PRM001 warning prompt.name'],
    [{ version: '3' }, 'PRM002 warning prompt.version'],
    [{ agent: 'buyer' }, 'PRM003 warning prompt.agent'],
    [{ namespace: 'shop' }, 'PRM003 warning prompt.namespace'],
    [{ testedWith: undefined }, 'PRM004 warning prompt.testedWith'],
    [{ description: undefined }, 'PRM014 warning prompt.description'],
    [{ contentFile: 'more.mjs' }, 'PRM010 warning prompt.contentFile'],
    [{ colour: 'red' }, 'VAL003 warning prompt.colour'],
    [{ dependsOn: ['shop/tool/buy'] }, 'PRM006 warning prompt.dependsOn[0]'],
    [{ dependsOn: ['find'] }, 'PRM006 error prompt.dependsOn[0]'],
    [{ references: ['coins/prompt/about'] }, 'PRM007 warning prompt.references[0]'],
    [{ content: 'Use {{tool:shop/buy}}.' }, 'PRM009 warning prompt.content'],
    [{ content: 'Use {{tool:find}}.' }, 'PRM009 error prompt.content'],
    [{ content: 'See {{skill:shop/skill/order}}.' }, 'PRM009 error prompt.content'],
  ])('with %j is read with a finding in its file', async (changes, expected) => {
    const findings = await agentPrompt(changes)();
    expect(findings.map(({ code, severity, path }) => `${code} ${severity} ${path}`)).toEqual([expected]);
    expect(findings[0]).toMatchObject({ file: expect.stringMatching(/about\.mjs$/), line: 1 });
  });

  test.each([
    { dependsOn: ['shop/find', 'shop.find'] },
    { content: 'Use [[shop/tool/find]] for [[item]].' },
    { agent: undefined, version: undefined, name: undefined },
  ])('may have %j', async (changes) => expect(await agentPrompt(changes)()).toEqual([]));
});
