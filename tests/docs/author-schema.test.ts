import { globSync } from 'node:fs';
import { join } from 'node:path';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { type Finding, SchemaKit } from '@schemakit/core';
import agentFile from '@schemakit/core/agent.schema.json' with { type: 'json' };
import listFile from '@schemakit/core/list.schema.json' with { type: 'json' };
import schemaFile from '@schemakit/core/schema.json' with { type: 'json' };
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fullSchema } from '../fuzz/seed-schemas.ts';
import { codeBlocks, projectFolder, readPage } from './markdown.ts';
import { openPageFolder } from './page-folder.ts';
import { arbitraryOf, type JsonObject, type JsonValue } from './schema-arbitrary.ts';
import { shownSchema } from './shown-schema.ts';

const check = new AjvJsonSchemaValidator().getValidator(schemaFile);
const complaint = (main: unknown): string => check(main).errorMessage ?? '';

describe('schemas that are known to be good', () => {
  const files = globSync(['catalog/**/*.mjs', 'examples/**/*.mjs'], { cwd: projectFolder })
    .filter((file) => /export const main\b/.test(readPage(file)))
    .sort();

  test('are found', () => expect(files.length).toBeGreaterThanOrEqual(6));

  test.each(files)('%s', async (file) => {
    const { status, main, messages } = await SchemaKit.loadSchema({ filePath: join(projectFolder, file) });
    expect(status, messages.join('\n')).toBe(true);
    expect(complaint(main)).toBe('');
  });

  test('one with every feature of the format', () => {
    const main = JSON.parse(JSON.stringify(fullSchema('https://api.example.com')));
    expect(complaint(main)).toBe('');
    expect(SchemaKit.validateMain({ main }).messages).not.toContain(expect.stringMatching(/^error/));
  });

  test.each(globSync(['README.md', 'docs/*.md'], { cwd: projectFolder }).sort())('those in %s', async (page) => {
    const folder = await openPageFolder();
    try {
      for (const { line, words, text } of codeBlocks(readPage(page))) {
        const [kind = '', name = `line-${line}.mjs`] = words;
        if (kind === 'file') await folder.write(name, text);
        if (!['schema', 'fields', 'tools', 'parameters'].includes(kind)) continue;
        const { main } = await SchemaKit.loadSchema({ filePath: await folder.write(name, shownSchema(kind, text)) });
        expect(complaint(main), `line ${line}`).toBe('');
      }
    } finally {
      await folder.close();
    }
  });
});

describe('JSON Schema of other files', () => {
  const ajv = new AjvJsonSchemaValidator();
  const isList = ajv.getValidator(listFile);
  const isAgent = ajv.getValidator(agentFile);

  test('accepts the shared list of an example, and finds what is wrong in one', async () => {
    const { list } = await import(join(projectFolder, 'examples/handlers/_lists/harbours.mjs'));
    expect(isList(list)).toMatchObject({ valid: true });
    expect(isList({ ...list, entries: {} }).errorMessage).toContain('entries must be array');
    expect(isList({ ...list, meta: { ...list.meta, name: 'two words' } }).valid).toBe(false);
    expect(isList({ ...list, meta: { ...list.meta, field: [] } }).valid).toBe(false);
  });

  test('accepts the agents of the documentation, and finds what is wrong in one', async () => {
    const folder = await openPageFolder();
    try {
      const blocks = codeBlocks(readPage('docs/agents.md')).filter(({ words }) => words[1]?.endsWith('/agent.mjs'));
      expect(blocks.length).toBeGreaterThan(0);
      for (const { words, text } of blocks) {
        const { agent } = await import(await folder.write(words[1] ?? '', text));
        expect(isAgent(agent)).toMatchObject({ valid: true });
        expect(isAgent({ ...agent, tools: { 'tides/tool/getTides': {} } }).valid).toBe(false);
        expect(isAgent({ ...agent, skills: { 'tides/skill/read': { file: './a.mjs' } } }).valid).toBe(false);
        expect(isAgent({ ...agent, tests: agent.tests.slice(0, 2) }).valid).toBe(false);
        expect(isAgent({ ...agent, version: '3.0.0' }).valid).toBe(false);
      }
    } finally {
      await folder.close();
    }
  });
});

/** Errors about a main that JSON Schema accepts: about what its parts mean, which no shape can say. */
const aboutMeaning: Readonly<Record<string, string>> = {
  VAL019: 'the root is parsed as a URL',
  VAL027: 'a placeholder names a secret that is not declared',
  VAL046: 'the values of an enum stand in the options or in the primitive; here they stand in neither',
  VAL047: 'a shared list as an option, of another primitive than an enum',
  VAL081: 'the key of a header or a cookie is no name of one, or of a header of the connection',
  RES010: 'the value of a query parameter mixes text and a placeholder',
  RES013: 'the SQL is parsed',
  RES014: 'the placeholders in the SQL are counted',
  RES016: 'a query uses a server parameter',
  RES019: 'an array in the SQL, by the short form of parameters',
  RES030: 'the address of a document is parsed',
};

/** Mutations that JSON Schema refuses and the check says nothing about. */
const silent: readonly (readonly [place: RegExp, reason: string])[] = [
  [/\.description$/, 'a description that is not text is taken for a missing one, and most may be missing'],
  [/\.output\.schema\..*\.nullable$|\.output\.schema\.nullable$/, 'anything but true is taken for false'],
  [/\.queries[.[].*\._description$/, 'the description of a test of a query is not read'],
  [/\.parameters(\.\w+|\["[^"]*"\])/, 'the short form of parameters has one warning as a whole'],
  [/^main\.skills[.[].*\.name$/, 'the key of a skill is its name; `name` beside it is not read'],
  [/^main\.resources\..*\.(name|database)$/, 'one of name and database is enough'],
  [/\.parameters\[\d+\]\.position\.key$/, 'a fixed value of a query needs no key'],
  [/\.filter\.(exists|value|in)$/, 'one of the three is enough; the others are not read'],
  [/^main\.prompts[.[].*\.content$/, 'the text in main is not read beside contentFile'],
  [/^main\.root$/, 'a schema without tools needs no root; a wrong one is an info'],
  [/\.output\.columns$/, 'an output without columns is read as { mimeType, schema }'],
];

describe('JSON Schema and validateMain say the same', () => {
  const mains = arbitraryOf(schemaFile as JsonObject)
    .map(withoutTwin)
    .filter((main) => check(main).valid);

  test('a main that JSON Schema accepts has no error of shape', () => {
    fc.assert(
      fc.property(mains, (main) => {
        const errors = findingsOf(main).filter(({ severity, code }) => severity === 'error' && !(code in aboutMeaning));
        expect(errors).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });

  test('what JSON Schema refuses after one change has a finding at its place', () => {
    fc.assert(
      fc.property(mains, fc.nat(), replacement, (original, pick, value) => {
        const main = structuredClone(original);
        const place = change(main, pick, value);
        if (place === undefined || check(main).valid) return;
        const isKnown = silent.some(([places]) => places.test(place));
        if (!isKnown && !isReported(place, findingsOf(main))) {
          expect.unreachable(`${place} = ${JSON.stringify(value)}: ${complaint(main)}`);
        }
      }),
      // The message names the place; to shrink such values takes minutes.
      { numRuns: runs(1000), endOnFailure: true },
    );
  }, 120_000);
});

/** SCHEMAKIT_RUNS multiplies how many values are tried. */
function runs(usual: number): number {
  return usual * Number(process.env.SCHEMAKIT_RUNS ?? 1);
}

/** Undefined drops what is there. */
const replacement = fc.constantFrom<JsonValue | undefined>(undefined, undefined, null, 5, true, 'text', [], {});

function findingsOf(main: unknown): readonly Finding[] {
  return SchemaKit.validateMain({ main }).findings;
}

/** `tools` and `routes` never stand side by side; chance would put them there. */
function withoutTwin(main: JsonValue): JsonValue {
  if (typeof main === 'object' && main !== null && 'tools' in main && 'routes' in main) delete main.routes;
  return main;
}

/** Whether a warning or an error names the place, something in it, or the object or array that it stands in. */
function isReported(place: string, findings: readonly Finding[]): boolean {
  const owner = place.replace(/(\.[^.[\]]+|\[\d+\]|\["[^"]*"\])$/, '');
  const isEmptied = (path: string) => /^main\.(tools|routes)$/.test(path) && /^main\.\w+(\.\w+|\[\d+\])?$/.test(place);
  return findings.some(
    ({ severity, path }) => severity !== 'info' && (path === owner || path.startsWith(place) || isEmptied(path)),
  );
}

/** Changes one value inside of another, or drops it. Gives its place; undefined where nothing was changed. */
function change(main: JsonValue, pick: number, value: JsonValue | undefined): string | undefined {
  const all = [...placesIn(main, 'main')];
  const place = all[pick % all.length];
  if (place === undefined || (value === undefined && Array.isArray(place.owner))) return undefined;
  const { owner, key, path } = place;
  if (value === undefined) Reflect.deleteProperty(owner, key);
  else Reflect.set(owner, key, structuredClone(value));
  return path;
}

interface Place {
  owner: object;
  key: string;
  path: string;
}

/** All places in a value, written as findings write them. */
function* placesIn(value: JsonValue, path: string): Generator<Place> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    const child = Array.isArray(value)
      ? `${path}[${key}]`
      : /^[A-Za-z_$][\w$]*$/.test(key)
        ? `${path}.${key}`
        : `${path}[${JSON.stringify(key)}]`;
    yield { owner: value, key, path: child };
    yield* placesIn(item, child);
  }
}
