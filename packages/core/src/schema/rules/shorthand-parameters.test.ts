import { expect, test } from 'vitest';
import type { Finding } from '../finding.ts';
import { createInputCheck } from '../input/check-input.ts';
import { inputsJsonSchema } from '../input/input-json-schema.ts';
import { inputsZodShape } from '../input/input-zod.ts';
import { parseSchema } from '../parse-schema.ts';
import { mainWith, toolWith } from './fixtures/rule-case.ts';

const place = 'main.tools.getThing.parameters';

function read(parameters: object) {
  const findings: Finding[] = [];
  const schema = parseSchema(mainWith(toolWith({ parameters })), (finding) => findings.push(finding));
  const inputs = schema?.tools.get('getThing')?.inputs.map(({ name, z }) => `${name} ${z.primitive}`);
  return { inputs, said: findings.map(({ code, message }) => `${code} ${message}`).slice(1) };
}

test('an unknown type is treated as text, with a warning', () => {
  expect(read({ day: { type: 'date' } })).toEqual({
    inputs: ['day string'],
    said: [`VAL053 type "date" is not known; "string" is assumed (${place}.day)`],
  });
});

test('an integer is a whole number', () => {
  const parameters = { page: { type: 'integer', required: true }, size: 'integer', height: { type: 'number' } };
  const inputs = parseSchema(mainWith(toolWith({ parameters })), () => {})?.tools.get('getThing')?.inputs ?? [];
  expect(inputsJsonSchema(inputs)).toMatchObject({
    properties: { page: { type: 'integer' }, size: { type: 'integer' }, height: { type: 'number' } },
  });
  const check = createInputCheck(inputs);
  expect(check({ page: '2', size: 3, height: 1.5 })).toMatchObject({
    ok: true,
    values: { page: 2, size: 3, height: 1.5 },
  });
  expect(check({ page: 1.5 })).toMatchObject({
    ok: false,
    findings: [{ code: 'INP002', message: 'page: expected a whole number, got 1.5.' }],
  });
  const page = inputsZodShape(inputs).page;
  expect([2, '2', 1.5].map((value) => page?.safeParse(value).success)).toEqual([true, true, false]);
});

test('an integer of a query is a whole number', () => {
  const places = {
    source: 'sqlite',
    database: './a.db',
    queries: { find: { sql: 'SELECT ?', parameters: { page: { type: 'integer', required: true } } } },
  };
  const query = parseSchema(mainWith({ resources: { places } }), () => {})
    ?.resources.get('places')
    ?.queries.get('find');
  expect(createInputCheck(query?.inputs ?? [])({ page: 1.5 })).toMatchObject({ ok: false });
});

test('a value that is not an object is converted, with a warning', () => {
  expect(read({ size: 'number', name: 5 })).toEqual({
    inputs: ['size number', 'name string'],
    said: [
      `VAL053 a shorthand parameter must be an object; { type: "number" } is assumed (${place}.size)`,
      `VAL053 a shorthand parameter must be an object; { type: "string" } is assumed (${place}.name)`,
    ],
  });
});

test('an unknown field is reported', () => {
  expect(read({ day: { type: 'string', requird: true } }).said).toEqual([
    `VAL003 unknown field "requird" in ${place}.day`,
  ]);
});
