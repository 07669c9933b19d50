import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyzeModule } from '../../module/analyze-module.ts';
import type { JsonObject } from '../../schema/json.ts';
import { writeOutputs } from './write-outputs.ts';
import type { WrittenTools } from './write-tool-fields.ts';

const file = 'shop.mjs';
const json = (schema: JsonObject) => ({ mimeType: 'application/json', schema });
const write = (text: string, outputs: Record<string, JsonObject>): WrittenTools =>
  writeOutputs(text, {
    file,
    outputs: Object.fromEntries(Object.entries(outputs).map(([name, s]) => [name, json(s)])),
  });
const mainOf = (text: string) => {
  const read = analyzeModule(text, { file }).read('main');
  return read.status === 'read' ? (read.value as { tools: Record<string, { output: unknown }> }) : undefined;
};

/** A schema with a tool of this text. */
const schema = (tool: string, before = '') =>
  `${before}export const main = {\n  namespace: 'shop',\n  tools: {\n    getThing: ${tool},\n  },\n};\n`;

describe('the text around an output', () => {
  test('is kept with its comments, and the output has the style of the file', () => {
    const text = schema(`{
      method: 'GET', // said of it
      /* of the path */ path: '/thing',
    }`);
    const {
      text: after,
      changed,
      tools,
    } = write(text, {
      getThing: {
        type: 'object',
        properties: { 'a-b': { type: 'string' }, ok: { type: 'boolean', description: "it's" } },
      },
    });
    expect({ changed, tools }).toEqual({ changed: true, tools: ['getThing'] });
    expect(after).toBe(
      schema(`{
      method: 'GET', // said of it
      /* of the path */ path: '/thing',
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            'a-b': { type: 'string' },
            ok: { type: 'boolean', description: 'it\\'s' },
          },
        },
      },
    }`),
    );
  });

  test('is kept inside an output too: only differences are edited', () => {
    const text = schema(`{
      method: 'GET',
      output: {
        // as the documentation says
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            count: { type:   'string' }, // how many
            name: { type:   'string' }, // stays
            last: { type: 'string' } // the last
          },
        },
      },
      tests: [],
    }`);
    const after = write(text, {
      getThing: { type: 'object', properties: { count: { type: 'integer' }, more: { type: 'boolean' } } },
    }).text;
    expect(after).toBe(
      text
        .replace("count: { type:   'string' }", "count: { type:   'integer' }")
        .replace("'string' } // the last\n", "'string' }, // the last\n            more: { type: 'boolean' }\n"),
    );
  });

  test.each([
    [
      'double quotes and quoted keys',
      '{\n  "namespace": "shop",\n  "tools": { "getThing": { "method": "GET" } }\n}',
      '"type": "string"',
    ],
    [
      'tabs',
      "{\n\tnamespace: 'shop',\n\ttools: {\n\t\tgetThing: {\n\t\t\tmethod: 'GET',\n\t\t},\n\t},\n}",
      '\n\t\t\t\tmimeType:',
    ],
    [
      'CRLF',
      "{\r\n  namespace: 'shop',\r\n  tools: {\r\n    getThing: {\r\n      method: 'GET',\r\n    },\r\n  },\r\n}",
      "\r\n        mimeType: 'application/json',\r\n",
    ],
  ])('%s are followed', (_, main, expected) => {
    const { text, status } = write(`export const main = ${main};\n`, { getThing: { type: 'string' } });
    expect(status).toBe(true);
    expect(text).toContain(expected);
    if (main.includes('\r\n')) expect(text.replaceAll('\r\n', '')).not.toContain('\n    ');
  });
});

describe('an output that is defined elsewhere', () => {
  test('in a constant of the same name is edited there', () => {
    const text = schema('{ method: "GET", output }', "const output = {\n  mimeType: 'application/json',\n};\n");
    expect(write(text, { getThing: { type: 'string' } }).text).toContain("\n  schema: { type: 'string' },\n};");
  });

  test('in a shared constant of the same name is not edited', () => {
    const text = schema('{ method: "GET", output }', 'const output = {};\nexport const twice = [output];\n');
    const { text: after, findings } = write(text, { getThing: { type: 'string' } });
    expect(findings.map(({ code }) => code)).toEqual(['OUT005']);
    expect(after).toBe(text);
  });

  test('in a constant with another name is edited there', () => {
    const text = schema(
      '{ method: "GET", output: known }',
      "const known = {\n  mimeType: 'application/json', // so\n};\n",
    );
    const { text: after } = write(text, { getThing: { type: 'string' } });
    expect(after).toContain("  mimeType: 'application/json', // so\n  schema: { type: 'string' },\n};");
  });

  test('in a shared constant is not edited there', () => {
    const before = "const known = { mimeType: 'text/plain' };\n";
    const text = `${before}export const main = { namespace: 'a', tools: { getThing: { output: known }, other: { output: known } } };\n`;
    const { text: after, tools } = write(text, { getThing: { type: 'string' } });
    expect(after).toContain(before);
    expect(tools).toEqual(['getThing']);
    expect(mainOf(after)?.tools.getThing?.output).toEqual({ mimeType: 'text/plain', schema: { type: 'string' } });
    expect(mainOf(after)?.tools.other?.output).toEqual({ mimeType: 'text/plain' });
  });

  test('in a spread object gets a new property after the spread', () => {
    const text = schema(
      '{ ...base, path: "/a" }',
      "const base = { output: { mimeType: 'text/plain' } };\nexport const twice = [base];\n",
    );
    const { text: after } = write(text, { getThing: { type: 'string' } });
    expect(mainOf(after)?.tools.getThing?.output).toEqual({ mimeType: 'text/plain', schema: { type: 'string' } });
  });
});

test.each([
  [
    'a tool that two names share',
    'const tool = { a: 1 };\nexport const main = { tools: { getThing: tool, other: tool } };',
  ],
  ['tools that are computed', 'export const main = { tools: Object.fromEntries([["getThing", { a: 1 }]]) };'],
  ['a main that is known only when it runs', 'export const main = makeMain();'],
  ['no main', 'export const list = {};'],
  ['no module', 'export const main = {'],
])('%s: the file stays as it is, and a finding says so', (_, text) => {
  const written = write(text, { getThing: { type: 'string' } });
  expect(written).toMatchObject({ status: false, changed: false, text });
  expect(written.findings.map(({ code, file: place }) => [code, place])).toEqual([['OUT005', file]]);
});

test('tools that are not in the file are skipped', () => {
  const text = schema('{ method: "GET" }');
  expect(write(text, { other: { type: 'string' } })).toMatchObject({ status: true, changed: false, text, diff: '' });
});

test('contents of an answer are written as data, and writing it twice changes nothing', () => {
  const name = fc.oneof(
    fc.string(),
    fc.constantFrom('__proto__', 'a-b', "it's", '</script>', '${x}', '\u2028', 'import('),
  );
  const node = fc.letrec<{ node: JsonObject }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<JsonObject>({ type: 'string' }, { type: 'number', nullable: true }),
      fc.record({ type: fc.constant('array'), items: tie('node') }, { noNullPrototype: true }),
      fc
        .dictionary(name, tie('node'), { maxKeys: 4, noNullPrototype: true })
        .map((properties): JsonObject => ({ type: 'object', properties })),
    ),
  })).node;
  const texts = [
    schema("{ method: 'GET' }"),
    schema(
      "{\n      method: 'GET', // note\n      output: { mimeType: 'text/plain', schema: { type: 'object', properties: { a: { type: 'string' } } } }\n    }",
    ),
  ];
  fc.assert(
    fc.property(fc.constantFrom(...texts), node, (text, first) => {
      const written = write(text, { getThing: first });
      expect(written.status).toBe(true);
      expect(write(written.text, { getThing: first })).toMatchObject({ status: true, changed: false });
      const output = mainOf(written.text)?.tools.getThing?.output;
      if (text === texts[0]) expect(output).toEqual({ mimeType: 'application/json', schema: first });
      expect(written.text.includes('// note')).toBe(text.includes('// note'));
    }),
    { numRuns: 200 },
  );
});
