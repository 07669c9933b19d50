import { describe, expect, test } from 'vitest';
import { cliProject, shopSchema } from './support/cli-project.ts';

const skill = (fields: object) =>
  `export const skill = ${JSON.stringify({ version: 'schemakit-skill/1.0.0', ...fields })};`;
const agent = (fields: object = {}) =>
  `export const agent = ${JSON.stringify({
    name: 'guide',
    version: 'schemakit/3.0.0',
    description: 'Helps in the shop',
    model: 'anthropic/claude-sonnet-4',
    systemPrompt: 'You help.',
    tools: { 'shop/tool/getThing': null },
    tests: ['a', 'b', 'c'].map((input) => ({
      _description: input,
      input,
      expectedTools: ['shop/tool/getThing'],
      expectedContent: [],
    })),
    skills: { buy: { file: './skills/buy.mjs' } },
    ...fields,
  })};`;
const buy = skill({ name: 'buy', description: 'Buys', output: 'A thing', content: 'Use {{tool:shop/getThing}}.' });
const list = (version: string) => `export const list = {
  meta: { name: 'colours', version: '1.0.0', fields: [{ key: 'name', type: 'string' }] },
  ${version}: [{ name: 'red' }],
};`;

interface Row {
  file: string;
  kind: string;
  name?: string;
  status: boolean;
  findings: { code: string; line?: number }[];
}

const rowsIn = (json: Readonly<Record<string, unknown>> | undefined) => (json?.results ?? []) as Row[];

const files = {
  'project/schemas/shop.mjs': shopSchema(['getThing'], {
    skills: { greet: { file: './skills/greet.mjs', description: 'Greets' } },
  }),
  'project/schemas/skills/greet.mjs': skill({ name: 'greet', output: 'A word', content: 'Use {{tool:getThing}}.' }),
  'project/schemas/agents/guide/agent.mjs': agent(),
  'project/schemas/agents/guide/skills/buy.mjs': buy,
  'project/schemas/colours.mjs': list('entries'),
  'project/schemas/alone.mjs': 'export const content = `Ask {{input:who}} with {{tool:other/tool/x}}.`;',
  'project/schemas/scripts/seed.mjs': "import fs from 'node:fs';\nfs.rmSync('x');",
};

describe('schemakit validate of other files than schemas', () => {
  test('a folder has a row for each file that says what it is, and none for scripts and texts of others', async () => {
    const { run } = await cliProject(files);
    const { status, json } = run('validate', 'schemas');
    const rows = rowsIn(json);
    expect(rows.map(({ kind, name, status }) => [kind, name, status])).toEqual([
      ['schema', undefined, true],
      ['agent', 'guide', true],
      ['list', 'colours', true],
      ['prompt', 'alone', true],
    ]);
    expect({ status, total: json?.total }).toEqual({ status: 0, total: 4 });
  });

  test.each<[string, string, string, number]>([
    ['agent', agent({ model: 'claude' }), 'AGT003', 1],
    ['list', list('entry'), 'LST001', 1],
    ['prompt', '// Says nothing.\nexport const content = ``;', 'PRM010', 2],
    ['skill', `\n\n${skill({ name: 'x' })}`, 'SKL010', 3],
  ])('an invalid %s is reported with its line', async (kind, text, code, line) => {
    const { run } = await cliProject({ 'project/broken.mjs': text, 'project/skills/buy.mjs': buy });
    const { status, json, stderr } = run('validate', 'broken.mjs');
    const [row] = rowsIn(json);
    expect(row).toMatchObject({ kind, status: false });
    expect(row?.findings).toContainEqual(expect.objectContaining({ code, line }));
    expect(status).toBe(4);
    expect(stderr).toMatch(new RegExp(`broken\\.mjs:${line}:\\d+: error ${code}`));
  });

  test('a wrong hash of an agent and an unknown list are warnings, and errors with --strict', async () => {
    const wrong = agent({ hash: `sha256:${'0'.repeat(64)}`, sharedLists: ['ports'] });
    const { run } = await cliProject({ ...files, 'project/schemas/agents/guide/agent.mjs': wrong });
    const codesOf = (json: Record<string, unknown> | undefined) =>
      rowsIn(json)
        .find(({ kind }) => kind === 'agent')
        ?.findings.map(({ code, line }) => [code, line]);
    const lax = run('validate', 'schemas');
    expect({ status: lax.status, codes: codesOf(lax.json) }).toEqual({
      status: 0,
      codes: [
        ['AGT033', 1],
        ['AGT034', 1],
      ],
    });
    expect(run('validate', 'schemas/agents', '--strict').status).toBe(4);
  });

  test('a Markdown file is told what a skill is', async () => {
    const { run } = await cliProject({ 'project/SKILL.md': '# Buy' });
    const { json } = run('validate', 'SKILL.md');
    expect(json?.results).toMatchObject([
      { kind: 'skill', findings: [{ code: 'SKL001', hint: expect.stringContaining('.mjs') }] },
    ]);
  });
});
