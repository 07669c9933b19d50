import { mainWith, type RuleCase, toolWith } from './rule-case.ts';

const { getThing } = toolWith().tools;
const named = (count: number) => Object.fromEntries([...'abcdefghi'].slice(0, count).map((name) => [name, getThing]));

export const toolsCases: readonly RuleCase[] = [
  {
    code: 'VAL016',
    severity: 'error',
    path: 'main.tools',
    message: 'main.tools is required',
    breaks: { tools: undefined },
  },
  {
    code: 'VAL016',
    severity: 'error',
    path: 'main.tools',
    message: 'main.tools must be an object',
    breaks: { tools: [getThing] },
  },
  {
    code: 'VAL016',
    severity: 'error',
    path: 'main.tools',
    message: 'main.tools is empty',
    breaks: { tools: {} },
    keeps: { tools: {}, skills: { 'find-things': { file: './skills/find-things.mjs' } } },
  },
  {
    code: 'VAL016',
    severity: 'warning',
    path: 'main.tools',
    message: 'main.tools is required',
    breaks: { tools: undefined, skills: { 'find-things': { file: './skills/find-things.mjs' } } },
    keeps: { tools: {}, skills: { 'find-things': { file: './skills/find-things.mjs' } } },
  },
  {
    code: 'VAL017',
    severity: 'error',
    path: 'main.routes',
    message: 'main has both tools and routes',
    breaks: { routes: { getOther: getThing } },
  },
  {
    code: 'VAL018',
    severity: 'warning',
    path: 'main.routes',
    message: 'main.routes is deprecated',
    breaks: { tools: undefined, routes: mainWith().tools },
    keeps: { version: '2.0.0', tools: undefined, routes: mainWith().tools },
  },
  {
    code: 'VAL030',
    severity: 'warning',
    path: 'main.tools["/block/:number"]',
    message: 'tool "/block/:number" is exposed as block_number (main.tools["/block/:number"])',
    breaks: { tools: { '/block/:number': getThing } },
    keeps: { tools: { getBlockByNumber2: getThing, snake_case: getThing, Pascal: getThing, 'a-b': getThing } },
  },
  {
    code: 'VAL030',
    severity: 'warning',
    path: 'main.tools["ünï"]',
    message: 'tool "ünï" is exposed as uni (main.tools["ünï"])',
    breaks: { tools: { ünï: getThing } },
  },
  {
    code: 'VAL031',
    severity: 'error',
    path: 'main.routes',
    message: 'schema exceeds maximum of 8 routes',
    breaks: { version: '2.0.0', tools: undefined, routes: named(9) },
    keeps: { version: '2.0.0', tools: undefined, routes: named(8) },
    others: ['VAL014'],
  },
  {
    code: 'VAL038',
    severity: 'warning',
    path: 'main.tools',
    message: 'the schema has 9 tools; at most 8 are recommended',
    breaks: { tools: named(9) },
    keeps: { tools: named(8) },
  },
];
