import { parameterWith, type RuleCase, testsWith, toolWith } from './rule-case.ts';

const tool = 'main.tools.getThing';
const place = `${tool}.tests`;
const id = parameterWith({}, { options: ['min(2)'] });
const sort = parameterWith({ key: 'sort' }, { primitive: 'enum(name,price)' });

function withTests(tests: unknown, parameters: readonly unknown[] = []): RuleCase['breaks'] {
  return toolWith({ tests, parameters });
}

function withFirst(first: unknown, parameters: readonly unknown[] = [id]): RuleCase['breaks'] {
  return withTests([first, ...testsWith({ id: 'ab' }).slice(1)], parameters);
}

export const toolTestCases: readonly RuleCase[] = [
  {
    code: 'TST001',
    severity: 'warning',
    path: place,
    message: `2 of 3 tests (${tool})`,
    breaks: withTests(testsWith({}).slice(1)),
  },
  {
    code: 'TST001',
    severity: 'warning',
    path: place,
    message: `tests must be an array (${tool})`,
    breaks: withTests({ first: {} }),
  },
  {
    code: 'TST002',
    severity: 'warning',
    path: `${place}[0]`,
    message: `a test has no _description (${place}[0])`,
    breaks: withFirst({ id: 'ab' }),
    keeps: withFirst({ _description: 'one', id: 'ab' }),
  },
  {
    code: 'TST003',
    severity: 'warning',
    path: `${place}[0]`,
    message: `the test has no value for "id", which is required (${place}[0])`,
    breaks: withFirst({ _description: 'one' }),
    keeps: withFirst({ _description: 'one', id: 'ab' }),
  },
  {
    code: 'TST004',
    severity: 'warning',
    path: `${place}[0].id`,
    message: `expected text of at least 2 characters, got "a" (text) (${place}[0].id)`,
    breaks: withFirst({ _description: 'one', id: 'a' }),
    keeps: withFirst({ _description: 'one', id: 'ab' }),
  },
  {
    code: 'TST005',
    severity: 'warning',
    path: `${place}[0].id`,
    message: `this value cannot be written as JSON (${place}[0].id)`,
    breaks: withFirst({ _description: 'one', id: Number.NaN }),
    keeps: withFirst({ _description: 'one', id: 'ab' }),
  },
  {
    code: 'TST005',
    severity: 'warning',
    path: `${place}[0]`,
    message: `a test must be an object of values, got "ab" (text) (${place}[0])`,
    breaks: withFirst('ab'),
    keeps: withFirst({ _description: 'one', id: 'ab' }),
  },
  {
    code: 'TST006',
    severity: 'warning',
    path: `${place}[0].colour`,
    message: `the tool has no input "colour" (${place}[0].colour)`,
    breaks: withFirst({ _description: 'one', id: 'ab', colour: 'red' }),
    keeps: withFirst({ _description: 'one', id: 'ab', _note: 'red' }),
  },
  {
    code: 'TST007',
    severity: 'info',
    path: place,
    message: `all tests use the same value for "sort", which has 2 values (${tool})`,
    breaks: withTests(testsWith({ sort: 'name' }), [sort]),
    keeps: withTests([{ _description: 'one', sort: 'price' }, ...testsWith({ sort: 'name' })], [sort]),
  },
];
