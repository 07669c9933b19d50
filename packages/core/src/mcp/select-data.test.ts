import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkSelect, selectData } from './select-data.ts';

const garden = {
  plants: [
    { name: 'dill', height: 60 },
    { name: 'basil', height: 40 },
  ],
  'a-b': null,
};

describe('the data that an expression selects', () => {
  test.each([
    ['plants[].name', ['dill', 'basil']],
    ['plants[?height > `50`].name | [0]', 'dill'],
    ['sort_by(plants, &height)[].name', ['basil', 'dill']],
    ['{first: plants[0].name, count: length(plants)}', { first: 'dill', count: 2 }],
    ['let $least = `50` in plants[?height < $least].name', ['basil']],
    ["trim('  x ')", 'x'],
    ["trim_left('--x-', '-')", 'x-'],
    ['@', garden],
    ['nothing.there', null],
    ['"a-b"', null],
    // What belongs to every object is no field of this one.
    ['constructor', null],
    ['__proto__', null],
  ])('%s', async (expression, data) => {
    expect(await selectData(garden, expression)).toEqual({ status: true, messages: [], findings: [], data });
  });
});

describe('an invalid expression', () => {
  test.each([
    ['plants..name', 'SEL001', undefined, 'cannot be read: unexpected token: .'],
    ['plants # x', 'SEL001', undefined, 'unknown character: #'],
    ['plants[?name', 'SEL001', undefined, 'expected Rbracket, got: EOF'],
    ['plants)', 'SEL001', undefined, 'unexpected token type: Rparen'],
    ['', 'SEL001', undefined, 'is empty'],
    ['x'.repeat(1001), 'SEL001', undefined, 'has 1001 characters; the maximum is 1000'],
    ['a || lenght(plants)', 'SEL002', 6, 'there is no function lenght()'],
    ['&plants', 'SEL002', undefined, 'is only a reference'],
  ])('%s', async (expression, code, column, message) => {
    const findings = await checkSelect(expression);
    expect(findings).toMatchObject([{ code, severity: 'error', message: expect.stringContaining(message) }]);
    expect(findings[0]?.column).toBe(column);
    expect(await selectData(garden, expression)).toMatchObject({ status: false, findings, data: null });
  });

  test('a function with an argument of the wrong type is named with its position', async () => {
    expect(await checkSelect('plants[0] | sum(name)')).toEqual([]);
    const { findings } = await selectData(garden, 'plants[0] | sum(name)');
    expect(findings).toMatchObject([{ code: 'SEL002', line: 1, column: 13 }]);
  });

  test('a misspelt function gets a suggestion', async () => {
    expect(await checkSelect('lenght(@)')).toMatchObject([{ hint: 'Did you mean length()?' }]);
  });
});

describe('an expression that takes too much work', () => {
  const doubled = (step: string) => Array.from({ length: 40 }, () => step).join('|');
  const many = Array.from({ length: 50_000 }, (_, id) => ({ id, name: 'n'.repeat(20) }));

  test.each<[string, unknown, string]>([
    ['doubles the data that it selects', [1], doubled('[@,@]')],
    ['doubles a list', [1], doubled('[@,@][]')],
    ['writes doubled data', [1], `${doubled('[@,@]')}|to_string(@)`],
    [
      'writes data that is doubled below a key that only looks like an expression',
      [1],
      `${doubled('[@,@]')}|to_string({expref: @})`,
    ],
    ['compares doubled data', [1], `[${doubled('[@,@]')}, ${doubled('[@,@]')}] | [0] == [1]`],
    ['compares each with all', many, '[?contains($[].name, name)]'],
    ['compares each with all by a variable', many, 'let $all = @ in [?contains($all[].id, id)]'],
    ['fills text up', 'x', 'pad_left(@, `400000000`)'],
    ['fills many texts up', many, '[].pad_right(name, `3000000`)'],
    ['multiplies text', 'a'.repeat(100_000), "replace(@, 'a', @)"],
    ['replaces again and again', 'aaa', "replace(@, 'a', 'bb', `1000000000`)"],
    ['joins long text', ['a'.repeat(3_000_000), 'b', 'c'], 'join([0], @)'],
  ])('it %s', async (_name, data, expression) => {
    expect(await selectData(data, expression)).toMatchObject({ status: false, findings: [{ code: 'SEL003' }] });
  });

  test('trimming takes linear time', async () => {
    const text = `a${' '.repeat(1_000_000)}x`;
    expect((await selectData(text, 'trim_right(@)')).data).toBe(text);
  });

  test('a large answer is accepted', async () => {
    const { data } = await selectData(many, 'sort_by([?id > `10`], &id)[-1].{id: id, name: upper(name)}');
    expect(data).toEqual({ id: 49_999, name: 'N'.repeat(20) });
  });
});

test('never throws, for any expression and data', async () => {
  const words = [
    'a',
    '[]',
    '[0]',
    '[?',
    ']',
    '.',
    '*',
    '@',
    '|',
    '&',
    '&&',
    '(',
    ')',
    '{a:',
    '}',
    '`1`',
    "'x'",
    'sort(',
    'map(',
    '==',
  ];
  const expression = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom(...words)).map((parts) => parts.join('')),
  );
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), expression, async (data, text) => {
      const { status, findings } = await selectData(data, text);
      expect(status).toBe(findings.length === 0);
    }),
  );
});
