import { parameterWith, type RuleCase, testsWith, toolWith } from './rule-case.ts';

const place = 'main.tools.getThing';
const id = parameterWith({ location: 'insert' }, { options: [] });
const tests = testsWith({ id: '7' });

export const pathCases: readonly RuleCase[] = [
  {
    code: 'VAL033',
    severity: 'error',
    path: `${place}.path`,
    message: `path must be text (${place})`,
    breaks: toolWith({ path: undefined }),
  },
  {
    code: 'VAL033',
    severity: 'error',
    path: `${place}.path`,
    message: `path must start with a slash (${place})`,
    breaks: toolWith({ path: 'thing' }),
    keeps: toolWith({ path: '/thing' }),
  },
  {
    code: 'VAL033',
    severity: 'warning',
    path: `${place}.path`,
    message: `path is empty: requests go to the root itself (${place})`,
    breaks: toolWith({ path: '' }),
    keeps: toolWith({ path: '/' }),
  },
  {
    code: 'VAL051',
    severity: 'warning',
    path: `${place}.path`,
    message: `no parameter fills :foo in the path; it is sent unchanged (${place})`,
    breaks: toolWith({ path: '/a/:id/:foo', parameters: [id], tests }),
    keeps: toolWith({ path: '/a/:id/claims:search?at=:foo', parameters: [id], tests }),
  },
  {
    code: 'VAL051',
    severity: 'warning',
    path: `${place}.path`,
    message: `no parameter fills :id in the path; it is sent unchanged (${place})`,
    breaks: toolWith({ path: '/a/:id', parameters: [parameterWith()] }),
    keeps: toolWith({ path: '/a/:id', parameters: [id], tests }),
  },
  {
    code: 'VAL058',
    severity: 'warning',
    path: `${place}.path`,
    message: `without a value for "id" the path is "/thing/parts" (${place})`,
    breaks: toolWith({ path: '/thing/{{id}}/parts', parameters: [parameterWith({ location: 'insert' })] }),
    keeps: toolWith({
      path: '/thing/{{id}}/parts',
      parameters: [parameterWith({ location: 'insert' }, { options: ['optional()', 'default(one)'] })],
    }),
  },
  {
    code: 'VAL027',
    severity: 'error',
    path: `${place}.path`,
    message: `serverParams not declared: the path uses {{SERVER_PARAM:TENANT}} (${place})`,
    breaks: toolWith({ path: '/{{SERVER_PARAM:TENANT}}/thing' }),
    keeps: { ...toolWith({ path: '/{{SERVER_PARAM:TENANT}}/thing' }), requiredServerParams: ['TENANT'] },
  },
  {
    code: 'VAL051',
    severity: 'warning',
    path: `${place}.path`,
    message: `no parameter fills {{id}} in the path, so callers must give it (${place})`,
    breaks: toolWith({ path: '/thing/{{id}}', tests }),
    keeps: toolWith({ path: '/thing/{{id}}', parameters: [id], tests }),
  },
  {
    code: 'VAL056',
    severity: 'warning',
    path: `${place}.path`,
    message: `"{{id/parts" is not a placeholder; it is sent unchanged (${place}.path)`,
    breaks: toolWith({ path: '/thing/{{id/parts' }),
    keeps: toolWith({ path: '/thing/:id/parts', parameters: [id], tests }),
  },
  {
    code: 'VAL033',
    severity: 'error',
    path: 'main.tools.getThing.path',
    message: 'path has 10001 characters; the maximum is 10000 (main.tools.getThing)',
    breaks: toolWith({ path: `/${'a'.repeat(10_000)}` }),
    keeps: toolWith({ path: `/${'a'.repeat(9_999)}` }),
  },
];
