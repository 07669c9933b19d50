import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { indexOf, parameter, schemaText } from './fixtures/schema-files.ts';
import type { IndexedTool } from './indexed-tool.ts';
import type { ToolIndex } from './tool-index.ts';

const verbs = ['get', 'list', 'search', 'count', 'rank'];
const nouns = [
  'Price',
  'Orders',
  'History',
  'Weather',
  'Balance',
  'Transactions',
  'Articles',
  'Stations',
  'Routes',
  'Scores',
];
const tags = ['finance', 'weather-data', 'open🔑data', 'cacheTtlDaily', 'c++', 'transit', 'sports', 'Zürich'];
const fileCount = 1_000;

describe('an index of five thousand tools', () => {
  let index: ToolIndex;
  let tools: IndexedTool[];
  beforeAll(async () => {
    index = await indexOf(Object.fromEntries(Array.from({ length: fileCount }, (_, file) => madeUpFile(file))));
    tools = index.tools();
  });

  const anyTool = () => fc.nat(tools.length - 1).map((position) => tools[position] as IndexedTool);

  test('has all of them', async () => {
    expect(tools).toHaveLength(5 * fileCount);
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
    expect(index.schemas()).toHaveLength(fileCount);
  });

  test('finds each by its full name, first of all', async () => {
    await fc.assert(
      fc.asyncProperty(anyTool(), async ({ name, mcpName }) => {
        for (const query of [name, mcpName]) expect((await index.search(query)).tools[0]?.name).toBe(name);
      }),
      { numRuns: 40 },
    );
  });

  test('finds each by its namespace and by any of its tags', async () => {
    await fc.assert(
      fc.asyncProperty(anyTool(), fc.nat(), async ({ name, namespace, tags }, pick) => {
        const tag = tags[pick % tags.length] ?? '';
        for (const query of [namespace, tag, `${tag} ${namespace}`]) {
          const { tools } = await index.search(query, { limit: 5 * fileCount });
          expect(tools.map((tool) => tool.name)).toContain(name);
        }
      }),
      { numRuns: 20 },
    );
  });

  test('finds each despite one wrong letter in a word of five or more', async () => {
    const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz');
    const mistake = fc.record({ kind: fc.constantFrom('insert', 'omit', 'replace', 'exchange'), at: fc.nat(), letter });
    await fc.assert(
      fc.asyncProperty(anyTool(), mistake, fc.nat(), async ({ name, namespace, toolName }, mistake, pick) => {
        const words = [namespace, ...toolName.split(/(?=[A-Z])/).map((word) => word.toLowerCase())];
        const long = words.filter((word) => /^[a-z]{5,}$/.test(word));
        const typed = words.map((word) => (word === long[pick % long.length] ? mistyped(word, mistake) : word));
        const { tools } = await index.search(typed.join(' '), { limit: 5 * fileCount });
        expect(
          tools.map((tool) => tool.name),
          typed.join(' '),
        ).toContain(name);
      }),
      { numRuns: 60 },
    );
  });

  test('sorts results in a stable order', async () => {
    const word = fc.constantFrom(...verbs, ...nouns, ...tags, 'pr', 'hist', 'wether', 'api', 'city');
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 3 }), async (words) => {
        const { tools, matchCount } = await index.search(words.join(' '), { limit: 40 });
        const scores = tools.map(({ score }) => score);
        expect(scores).toEqual(scores.toSorted((left, right) => right - left));
        expect(tools.length).toBe(Math.min(40, matchCount));
        const again = await index.search(words.join(' '), { limit: 20 });
        expect(again.tools).toEqual(tools.slice(0, 20));
      }),
      { numRuns: 40 },
    );
  });

  test('resolves each by every form of reference', async () => {
    await fc.assert(
      fc.asyncProperty(anyTool(), async (tool) => {
        const { name, mcpName, reference, namespace, toolName, file } = tool;
        const legacy = `${toolName.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()}_${namespace}`;
        const forms = [name, mcpName, reference, `${namespace}/tool/${toolName}`, `${file}::${toolName}`, legacy];
        for (const form of forms) {
          const { outcome, tools } = await index.find(form);
          expect([outcome, tools], form).toEqual(['match', [tool]]);
        }
        const all = await index.find(file);
        expect(all.tools).toHaveLength(5);
      }),
      { numRuns: 10 },
    );
  });
});

function madeUpFile(number: number): [string, string] {
  const namespace = `provider${String.fromCharCode(...[100, 10, 1].map((unit) => 97 + (Math.floor(number / unit) % 10)))}`;
  const tools = verbs.map((verb, index) => {
    const noun = nouns[(number + index) % nouns.length];
    return [`${verb}${noun}`, { description: `${noun} of a city`, parameters: [parameter('city')] }];
  });
  const main = { tags: [tags[number % tags.length], tags[(number * 3 + 1) % tags.length]] };
  return [`group${number % 7}/${namespace}.mjs`, schemaText(namespace, Object.fromEntries(tools), main)];
}

function mistyped(word: string, { kind, at, letter }: { kind: string; at: number; letter: string }): string {
  const place = at % (word.length - 1);
  const [before, after] = [word.slice(0, place), word.slice(place)];
  if (kind === 'insert') return before + letter + after;
  if (kind === 'omit') return before + after.slice(1);
  if (kind === 'replace') return before + letter + after.slice(1);
  return before + after.charAt(1) + after.charAt(0) + after.slice(2);
}
