import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../finding.ts';
import { createInputCheck } from '../input/check-input.ts';
import { inputsJsonSchema } from '../input/input-json-schema.ts';
import { parseSchema } from '../parse-schema.ts';
import type { Tool } from '../schema.ts';
import { mainWith, parameterWith, toolWith } from './fixtures/rule-case.ts';

function read(parameters: readonly (readonly [key: string, value: string])[]): { tool: Tool; findings: Finding[] } {
  const findings: Finding[] = [];
  const written = parameters.map(([key, value]) => parameterWith({ key, value }, { options: [] }));
  const schema = parseSchema(mainWith(toolWith({ parameters: written })), (finding) => findings.push(finding));
  const tool = schema?.tools.get('getThing');
  if (tool === undefined) throw new Error('The tool cannot be read.');
  return { tool, findings };
}

describe('placeholders that are not declared', () => {
  test('a name inside a text is the input of the parameter with that key, in any spelling', () => {
    const { tool } = read([
      ['dateFrom', '{{DATE_FROM}}'],
      ['filter', 'gt:{{DATE_FROM}}'],
    ]);
    expect(tool.inputs.map(({ name }) => name)).toEqual(['dateFrom']);
    const [, filter] = tool.placements;
    expect(filter?.value).toEqual([
      { kind: 'text', text: 'gt:' },
      { kind: 'input', name: 'dateFrom' },
    ]);
  });

  test('a fixed value is not an input', () => {
    const { tool } = read([
      ['limit', '10'],
      ['query', 'TOP {{LIMIT}}'],
    ]);
    expect(tool.inputs.map(({ name }) => name)).toEqual(['LIMIT']);
  });

  test('a name of two parameters fills both, and each has its own name', () => {
    const { tool } = read([
      ['from', '{{ID}}'],
      ['to', '{{ID}}'],
    ]);
    const check = createInputCheck(tool.inputs);
    expect(check({ ID: '1' })).toEqual({ ok: true, values: { from: '1', to: '1' } });
    expect(check({ from: '1', to: '2' })).toEqual({ ok: true, values: { from: '1', to: '2' } });
  });
});

test('no description lists a name that a call refuses', () => {
  const key = fc.constantFrom(
    'id',
    'ID',
    'dateFrom',
    'date_from',
    'DATE_FROM',
    'filter[x]',
    'filter_x',
    '$limit',
    'limit',
  );
  const name = fc.constantFrom('USER_PARAM', 'ID', 'Id', 'DATE_FROM', 'dateFrom', 'LIMIT', 'FILTER_X');
  const value = fc.oneof(
    name.map((word) => `{{${word}}}`),
    name.map((word) => `gt:{{${word}}}`),
    fc.tuple(name, name).map(([left, right]) => `{{${left}}}..{{${right}}}`),
    fc.constant('fixed'),
  );
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(key, value), { selector: ([word]) => word, maxLength: 4 }), (parameters) => {
      const { inputs } = read(parameters).tool;
      const { properties } = inputsJsonSchema(inputs) as { properties: Record<string, { description?: string }> };
      const check = createInputCheck(inputs);
      const all = Object.fromEntries(Object.keys(properties).map((shown) => [shown, 'v']));
      expect(check(all)).toMatchObject({ ok: true });
      for (const [shown, { description = '' }] of Object.entries(properties)) {
        expect(shown).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
        const aliases = /Also accepted as (.*)\.$/.exec(description)?.[1]?.split(', ') ?? [];
        for (const alias of aliases) {
          const { [shown]: given, ...others } = all;
          expect(check({ ...others, [alias]: given })).toEqual(check(all));
        }
      }
    }),
  );
});

test('another name of an input is listed once', () => {
  const { inputs } = read([['dateFrom', 'gt:{{DATE_FROM}}']]).tool;
  expect(inputs.map(({ name, aliases }) => [name, ...aliases])).toEqual([['DATE_FROM', 'date_from', 'dateFrom']]);
});

test('a hint names insert for a value in the path', () => {
  const findings: Finding[] = [];
  const parameters = [parameterWith({ location: 'path' })];
  parseSchema(mainWith(toolWith({ parameters })), (finding) => findings.push(finding));
  const hintOf = (code: string) => findings.find((finding) => finding.code === code)?.hint;
  expect(hintOf('VAL043')).toBe('Got "path". Write insert: it puts the value in the path, at {{key}}.');
});
