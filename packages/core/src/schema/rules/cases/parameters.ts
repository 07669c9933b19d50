import { parameterWith, type RuleCase, toolWith, withParameter } from './rule-case.ts';

const tool = 'main.tools.getThing';
const place = `${tool}.parameters[0]`;
const post = { method: 'POST' };

export const parameterCases: readonly RuleCase[] = [
  {
    code: 'VAL035',
    severity: 'error',
    path: `${tool}.parameters`,
    message: `parameters is required (${tool})`,
    breaks: toolWith({ parameters: undefined }),
  },
  {
    code: 'VAL035',
    severity: 'error',
    path: `${tool}.parameters`,
    message: `parameters must be an array (${tool})`,
    breaks: toolWith({ parameters: 'id' }),
  },
  {
    code: 'VAL053',
    severity: 'warning',
    path: `${tool}.parameters`,
    message: `parameters is the shorthand object (${tool})`,
    breaks: toolWith({ parameters: { id: { type: 'string', required: false } } }),
    keeps: withParameter(),
  },
  {
    code: 'VAL040',
    severity: 'error',
    path: place,
    message: `parameter must have position and z fields (${place})`,
    breaks: toolWith({ parameters: [{ position: parameterWith().position }] }),
    keeps: withParameter(),
  },
  {
    code: 'VAL041',
    severity: 'error',
    path: `${place}.position.key`,
    message: `position.key must be text (${place})`,
    breaks: withParameter({ key: 5 }),
    keeps: withParameter({ key: 'filter[name]' }),
  },
  {
    code: 'VAL042',
    severity: 'error',
    path: `${place}.position.value`,
    message: `position.value must be text (${place})`,
    breaks: withParameter({ value: undefined }),
    keeps: withParameter({ value: 100 }),
  },
  {
    code: 'VAL043',
    severity: 'error',
    path: `${place}.position.location`,
    message: `position.location must be query, insert or body (${place})`,
    breaks: withParameter({ location: 'header' }),
    keeps: withParameter({ location: 'query' }),
  },
  {
    code: 'VAL043',
    severity: 'warning',
    path: `${place}.position.location`,
    message: `location template is not part of the format (${place})`,
    breaks: withParameter({ location: 'template' }),
    keeps: withParameter({ location: 'query' }),
  },
  {
    code: 'VAL052',
    severity: 'warning',
    path: `${place}.position.location`,
    message: `a body parameter in a GET request (${place})`,
    breaks: withParameter({ location: 'body' }),
    keeps: toolWith({ ...post, parameters: [parameterWith({ location: 'body' })] }),
  },
  {
    code: 'VAL027',
    severity: 'error',
    path: `${place}.position.value`,
    message: `serverParams not declared: parameter "id" uses {{SERVER_PARAM:API_KEY}} (${place})`,
    breaks: withParameter({ value: '{{SERVER_PARAM:API_KEY}}' }),
    keeps: { ...withParameter({ value: '{{SERVER_PARAM:API_KEY}}' }), requiredServerParams: ['API_KEY'] },
  },
  {
    code: 'VAL051',
    severity: 'warning',
    path: `${place}.position.value`,
    message: `{{THING_ID}} is not declared, so callers must give "id" (${place})`,
    breaks: withParameter({ value: '{{THING_ID}}' }),
    keeps: withParameter({ value: '{{USER_PARAM}}' }),
  },
  {
    code: 'VAL051',
    severity: 'warning',
    path: `${place}.position.value`,
    message: `{{WORD}} is not declared, so callers must give "WORD" (${place})`,
    breaks: withParameter({ value: 'name:{{WORD}}' }),
    keeps: withParameter({ value: 'name:{{USER_PARAM}}' }),
  },
  {
    code: 'VAL059',
    severity: 'info',
    path: `${tool}.parameters`,
    message: `MCP clients see "filter[name]" as "filter_name" (${tool})`,
    breaks: withParameter({ key: 'filter[name]' }),
    keeps: withParameter({ key: 'filter.name-2' }),
  },
  {
    code: 'VAL056',
    severity: 'warning',
    path: `${place}.position.value`,
    message: `"{{USER_PARAM}" is not a placeholder; it is sent unchanged (${place}.position.value)`,
    breaks: withParameter({ value: '{{USER_PARAM}' }),
    keeps: withParameter({ value: '{ "query": { "all": {} }}' }),
  },
  {
    code: 'VAL057',
    severity: 'warning',
    path: `${tool}.parameters[1].position.key`,
    message: `another parameter already has the key "id" in query (${tool}.parameters[1])`,
    breaks: toolWith({ parameters: [parameterWith(), parameterWith()] }),
    keeps: toolWith({ ...post, parameters: [parameterWith(), parameterWith({ location: 'body' })] }),
  },
  {
    code: 'VAL066',
    severity: 'warning',
    path: `${tool}.parameters[1].z`,
    message: `another parameter with the key "id" has a different z; only one of them is checked (${tool}.parameters[1])`,
    breaks: toolWith({
      ...post,
      parameters: [parameterWith(), parameterWith({ location: 'body' }, { primitive: 'number()' })],
    }),
    keeps: toolWith({
      ...post,
      parameters: [parameterWith(), parameterWith({ location: 'body' }, { options: ['optional()'] })],
    }),
  },
  {
    code: 'VAL035',
    severity: 'error',
    path: 'main.tools.getThing.parameters',
    message: 'the tool has 1001 parameters; the maximum is 1000 (main.tools.getThing)',
    breaks: toolWith({ parameters: manyParameters(1001) }),
    keeps: toolWith({ parameters: manyParameters(1000) }),
  },
  {
    code: 'VAL056',
    severity: 'error',
    path: 'main.tools.getThing.parameters[0].position.value',
    message: 'the text has 1001 placeholders; the maximum is 1000 (main.tools.getThing.parameters[0].position.value)',
    breaks: withParameter({ value: '{{USER_PARAM}}'.repeat(1001) }),
    keeps: withParameter({ value: '{{USER_PARAM}}'.repeat(1000) }),
  },
];

function manyParameters(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => parameterWith({ key: `key${index}` }));
}
