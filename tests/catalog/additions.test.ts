import { readFileSync } from 'node:fs';
import { SchemaKit } from '@schemakit/core';
import { describe, expect, test } from 'vitest';
import { cliProject } from '../e2e/support/cli-project.ts';
import { moduleText } from '../e2e/support/schema-module.ts';
import { keyedCases } from './additions/keyed-cases.ts';
import { loginCases } from './additions/login-cases.ts';
import { type Call, type OpenCase, openCase, secrets } from './additions/observe.ts';
import { type Main, type Use, usesOf } from './additions/uses-of.ts';

const cases = [...keyedCases, ...loginCases];

/** A tool without an output, and with fewer than three tests. */
const undocumented = ['VAL036', 'TST001'];

/** Each form of each addition; two schemas use it. */
const additions: Record<string, string[]> = {
  'shapes in z.primitive': [
    ...['array', 'object', 'object in an object', 'record', 'union', 'union by a member', 'integer', 'file'],
  ],
  'header and cookie in position.location': ['header', 'cookie'],
  'style and explode of position': [
    ...['query form', 'query spaceDelimited', 'query pipeDelimited', 'query deepObject', 'of a form'],
    ...['insert simple', 'insert label', 'insert matrix', 'header simple', 'cookie form'],
    ...['explode: true', 'explode: false'],
  ],
  'whole of position': ['whole'],
  'headers of a tool': ['headers'],
  'encoding of a tool': ['json', 'form', 'multipart', 'text', 'binary'],
  'accept of a tool': ['text', 'bytes'],
  'pagination of a tool': ['page', 'offset', 'cursor', 'link in the header', 'link in the body'],
  'auth of main, auth: false of a tool': [
    ...['bearer', 'basic', 'apiKey header', 'apiKey query', 'apiKey cookie', 'oauth2', 'false'],
  ],
  'signature of main': ['header', 'query'],
  'annotations of a tool': ['annotations'],
  'idempotency of a tool': ['idempotency'],
  '_expect of a test (Assertions)': ['status', 'select'],
};

test('the table of the additions in docs/format.md has those that are tested here', () => {
  const text = readFileSync(new URL('../../docs/format.md', import.meta.url), 'utf8');
  const [, section = ''] = /\n## Additions of ours\n(.*?)\n## /s.exec(text) ?? [];
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  const named = rows.slice(2).map((row) =>
    row
      .split('|')[1]
      ?.replace(/\]\([^)]*\)|[[`]/g, '')
      .trim(),
  );
  expect(named).toEqual(Object.keys(additions));
});

test('two schemas at least use each form of an addition', () => {
  const users = new Map<string, Set<unknown>>();
  for (const { main } of cases) {
    for (const { addition, form } of usesOf(main)) {
      const name = `${addition}: ${form}`;
      users.set(name, (users.get(name) ?? new Set()).add(main.namespace));
    }
  }
  const expected = Object.entries(additions).flatMap(([name, forms]) => forms.map((form) => `${name}: ${form}`));
  expect([...users.keys()].sort()).toEqual(expected.sort());
  expect([...users].filter(([, { size }]) => size < 2).map(([name]) => name)).toEqual([]);
});

describe.each(cases.map((one) => [one.main.namespace, one] as const))('%s', (_, one) => {
  const { main, calls, announced, content } = one;
  const expected = [calls.map((call): Call => ({ findings: [], ...call })), { announced, content }];

  async function observe({ observeCall, observeServer }: OpenCase, schema: Main): Promise<unknown[]> {
    const found: Call[] = [];
    for (const call of calls) found.push(await observeCall(schema, call));
    return [found, await observeServer(schema)];
  }

  test('is a schema whose calls do what its additions say', async () => {
    const api = await openCase(one);
    const { findings } = SchemaKit.validateMain({ main: api.located(main) });
    expect(findings.filter(({ code, severity }) => severity !== 'info' && !undocumented.includes(code))).toEqual([]);
    expect(await observe(api, main)).toEqual(expected);
  });

  test('does not without any one of them', async () => {
    const api = await openCase(one);
    for (const { path, without } of usesOf(main).filter((use) => !isExpectation(use))) {
      expect(await observe(api, without), `without ${path.join('.')}`).not.toEqual(expected);
    }
  });
});

test.each([
  { api: 'right', expectations: 'kept', passed: [true, true] },
  { api: 'right', expectations: 'removed', passed: [true, false] },
  { api: 'changed', expectations: 'kept', passed: [false, false] },
  { api: 'changed', expectations: 'removed', passed: [true, true] },
])('tests against the $api API with _expect $expectations', async ({ api, expectations, passed }) => {
  const testing = cases.filter(({ main }) => usesOf(main).some(isExpectation));
  const files = testing.map(async (one): Promise<[string, string]> => {
    const { located } = await openCase(api === 'right' ? one : { ...one, answers: {} });
    const main = expectations === 'kept' ? one.main : withoutExpectations(one.main);
    return [`project/${main.namespace}.mjs`, moduleText(located(main))];
  });
  const { start } = await cliProject(Object.fromEntries(await Promise.all(files)), secrets);
  const { json } = await start('test', 'single', '.');
  const results = json.results as { status: boolean }[];
  expect(results.map(({ status }) => status)).toEqual(testing.flatMap(() => passed));
});

function isExpectation({ addition }: Use): boolean {
  return addition.startsWith('_expect');
}

function withoutExpectations(main: Main): Main {
  const [use] = usesOf(main).filter(isExpectation);
  return use === undefined ? main : withoutExpectations(use.without);
}
