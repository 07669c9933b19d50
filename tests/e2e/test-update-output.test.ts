import { expect, test } from 'vitest';
import { cliProject } from './support/cli-project.ts';
import { startUpstream } from './support/upstream.ts';

const update = ['test', 'single', 'shop.mjs', '--update-output'];

/** A schema as a person writes it. */
const shopText = (root: string, more = '') => `// The shop
export const main = {
  namespace: 'shop',
  name: 'Shop',
  description: 'Things of a shop',
  version: '3.0.0',
  root: '${root}',
  tools: {
    // Its things
    getThing: {
      method: 'GET',
      path: '/thing',
      description: 'One thing', // only one
      parameters: [
        { position: { key: 'q', value: '{{USER_PARAM}}', location: 'query' }, z: { primitive: 'string()', options: [] } },
      ],
      tests: [{ _description: 'A leek', q: 'leek' }, { _description: 'Sage', q: 'sage' }],${more}
    },
    fails: { method: 'GET', path: '/fails', description: 'Fails', parameters: [], tests: [{ _description: 'It fails' }] },
  },
};
`;

const answer = ({ path, query }: { path: string; query: Record<string, string> }) => {
  if (path === '/fails') return { status: 500 };
  return { body: query.q === 'leek' ? { name: 'leek', price: 2 } : { name: 'sage', price: 1.5, sort: null } };
};

test('all answers of a tool make its output schema, and nothing else in the file changes', async () => {
  const upstream = await startUpstream(answer);
  const text = shopText(upstream.origin);
  const { start, read } = await cliProject({ 'project/shop.mjs': text });
  const { json } = await start(...update);
  expect(json.updated).toEqual([{ file: 'shop.mjs', changed: true, tools: ['getThing'] }]);
  const after = read('project/shop.mjs');
  expect(after).toBe(
    shopText(
      upstream.origin,
      `
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            price: { type: 'number' },
            sort: { type: 'string', nullable: true },
          },
        },
      },`,
    ),
  );
  const again = await start(...update);
  expect(again.json.updated).toEqual([{ file: 'shop.mjs', changed: false, tools: [] }]);
  expect(read('project/shop.mjs')).toBe(after);
  expect((await start('validate', 'shop.mjs')).status).toBe(0);
});

test('--dry-run writes nothing, and shows the change on stderr', async () => {
  const upstream = await startUpstream(answer);
  const text = shopText(upstream.origin);
  const { start, read } = await cliProject({ 'project/shop.mjs': text });
  const { json, stderr } = await start(...update, '--dry-run');
  expect(json.updated).toEqual([{ file: 'shop.mjs', changed: true, tools: ['getThing'] }]);
  expect(stderr).toContain('--- shop.mjs');
  expect(stderr).toContain("+            price: { type: 'number' },");
  expect(read('project/shop.mjs')).toBe(text);
});

test('works with recorded answers', async () => {
  const upstream = await startUpstream(answer);
  const { start, run, read } = await cliProject({ 'project/shop.mjs': shopText(upstream.origin) });
  await start('test', 'single', 'shop.mjs', '--record', 'recordings');
  expect(run(...update, '--replay', 'recordings')).toMatchObject({ status: 0, json: { updated: [{ changed: true }] } });
  expect(read('project/shop.mjs')).toContain("price: { type: 'number' }");
});

test('a tool that does not stand in the file as an object is left alone, and fails the command', async () => {
  const upstream = await startUpstream(answer);
  const text = shopText(upstream.origin)
    .replace(
      'export const main',
      'const shared = { method: "GET", path: "/a", description: "A", parameters: [], tests: [{ _description: "A" }] };\nexport const main',
    )
    .replace('  tools: {', '  tools: {\n    one: shared,\n    two: shared,');
  const { start, read } = await cliProject({ 'project/shop.mjs': text });
  const { status, json, stderr } = await start(...update, '--quality', 'library');
  expect(status).toBe(4);
  expect(json.error).toBe('one is not written as an object literal');
  expect(stderr).toContain('error OUT005: one is not written');
  expect(read('project/shop.mjs')).toBe(text);
});

test('the dry run shows the output for a main that a function helps to write', async () => {
  const upstream = await startUpstream(answer);
  const text = shopText(upstream.origin)
    .replace('export const main', 'const described = (text) => `${text}`;\nexport const main')
    .replace("'One thing'", "described('One thing')");
  const { start } = await cliProject({ 'project/shop.mjs': text });
  const { stderr } = await start(...update, '--dry-run', '--quality', 'library');
  expect(stderr).toContain('error OUT005: main cannot be read');
  expect(stderr).toContain('// getThing in shop.mjs\noutput: {\n  "mimeType": "application/json",\n  "schema": {');
  expect(stderr).toContain('"price": {\n        "type": "number"');
});
