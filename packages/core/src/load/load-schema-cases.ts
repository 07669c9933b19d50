import type { Severity } from '../schema/finding.ts';
import { mainWith, parameterWith, toolWith, withParameter } from '../schema/rules/fixtures/rule-case.ts';

/** Files that break a rule which only loading can check, the finding, and fixed files. */
export interface LoadCase {
  code: string;
  severity: Severity;
  path: string;
  message: string;
  /** Line of `schema.mjs`; undefined for a finding without a position. */
  line?: number;
  /** `schema.mjs` and the files around it. */
  breaks: Readonly<Record<string, string>>;
  keeps: Readonly<Record<string, string>>;
}

function schema(parts: Readonly<Record<string, unknown>> = {}, handlers?: string): Record<string, string> {
  const text = `export const main = ${JSON.stringify(mainWith(parts), null, 2)};\n`;
  return { 'schema.mjs': handlers === undefined ? text : `${text}export const handlers = ${handlers};\n` };
}

function executing(call: string): string {
  return `() => ({ getThing: { executeRequest: async ({ struct }) => ({ struct: { data: await ${call} } }) } })`;
}

const execute = '() => ({ getThing: { executeRequest: async ({ struct }) => ({ struct }) } })';
const hook = 'async ({ response }) => ({ response })';
const list = (version: string): Record<string, string> => ({
  '_lists/colours.mjs': `export const list = { meta: { name: 'colours', version: '${version}' }, entries: [{ name: 'red' }] };`,
});
const sharedLists = [{ ref: 'colours', version: '1.0.0' }];
const insert = toolWith({ parameters: [parameterWith({ location: 'insert' })] });

export const loadCases: readonly LoadCase[] = [
  {
    code: 'VAL001',
    severity: 'error',
    path: 'main',
    message: 'the file has no export named main; it exports list, skill',
    line: 1,
    breaks: { 'schema.mjs': 'export const list = {};\nexport const skill = {};' },
    keeps: schema(),
  },
  {
    code: 'VAL002',
    severity: 'error',
    path: 'main',
    message: 'main must be a plain object',
    line: 1,
    breaks: { 'schema.mjs': 'export const main = [];' },
    keeps: schema(),
  },
  {
    code: 'VAL004',
    severity: 'error',
    path: 'handlers',
    message: 'handlers export must be a function',
    line: 37,
    breaks: schema({}, `{ getThing: { postRequest: ${hook} } }`),
    keeps: schema({}, `() => ({ getThing: { postRequest: ${hook} } })`),
  },
  ...[
    '() => 5',
    '() => null',
    '() => []',
    '() => {}',
    'async () => ({})',
    '() => { throw new Error() }',
    '() => none;\nconst none = 5',
  ].map(
    (handlers): LoadCase => ({
      code: 'VAL004',
      severity: 'error',
      path: 'handlers',
      message: 'the handlers factory must return a plain object',
      line: 37,
      breaks: schema({}, handlers),
      keeps: schema({}, '() => ({})'),
    }),
  ),
  {
    code: 'VAL005',
    severity: 'info',
    path: 'handlers',
    message: 'the names of tools and hooks that handlers return are computed; they are checked at the first call',
    line: 37,
    breaks: schema({}, `() => ({ [['get', 'Thing'].join('')]: { postRequest: ${hook} } })`),
    keeps: schema({}, `() => ({ [name]: { postRequest: ${hook} } });\nconst name = 'get' + 'Thing'`),
  },
  {
    code: 'VAL005',
    severity: 'error',
    path: 'handlers.zz',
    message: "Handler key 'zz' does not match any route name",
    line: 37,
    breaks: schema({}, `() => ({ [name]: { postRequest: ${hook} } });\nconst name = 'zz'`),
    keeps: schema({}, `() => ({ ['getThing']: { postRequest: ${hook} } })`),
  },
  {
    code: 'VAL055',
    severity: 'warning',
    path: 'handlers.getThing',
    message: 'handlers.getThing is 5, which is not a hook, so it never runs',
    line: 37,
    breaks: schema({}, '() => ({ getThing: 5 })'),
    keeps: schema({}, '() => ({ getThing: null })'),
  },
  {
    code: 'VAL055',
    severity: 'warning',
    path: 'handlers.getThing.postRequest',
    message: 'handlers.getThing.postRequest is 5, which is not a hook, so it never runs',
    line: 37,
    breaks: schema({}, '() => ({ getThing: { postRequest: 5 } })'),
    keeps: schema({}, '() => ({ getThing: { postRequest: undefined } })'),
  },
  {
    code: 'VAL015',
    severity: 'warning',
    path: 'main.root',
    message: 'main.root is required',
    line: 1,
    breaks: schema({ root: undefined }, execute),
    keeps: schema({ root: 'local://shop' }, execute),
  },
  ...[
    "fetch('https://other.example.com/x')",
    "fetch(other + '/x')",
    `fetch(new URL(\`https://other.example.com/\${struct.data}\`))`,
  ].map(
    (call): LoadCase => ({
      code: 'VAL028',
      severity: 'warning',
      path: 'handlers',
      message:
        'handlers fetch from https://other.example.com, which is not the origin of main.root: the calls are refused without a grant',
      line: 37,
      breaks: schema({}, `${executing(call)};\nconst other = 'https://other.example.com'`),
      keeps: schema({}, `${executing(call.replaceAll('other', 'api'))};\nconst api = 'https://api.example.com'`),
    }),
  ),
  {
    code: 'VAL005',
    severity: 'error',
    path: 'handlers.getthing',
    message: "Handler key 'getthing' does not match any route name",
    line: 37,
    breaks: schema({}, `() => ({ getthing: { postRequest: ${hook} } })`),
    keeps: schema({}, `() => ({ getThing: { postRequest: ${hook} } })`),
  },
  {
    code: 'VAL006',
    severity: 'error',
    path: 'main.tags',
    message: 'main must be plain data: it contains a function',
    line: 1,
    breaks: { 'schema.mjs': 'export const main = { tags: () => [] };' },
    keeps: schema({ tags: [] }),
  },
  {
    code: 'VAL007',
    severity: 'warning',
    path: 'main.tags',
    message: '"tags" is repeated here; the first value is lost (main.tags)',
    line: 3,
    breaks: {
      'schema.mjs': `export const main = { tags: [], ...${JSON.stringify(mainWith())},\n tags: [],\n tags: ['a'] };`,
    },
    keeps: { 'schema.mjs': `export const main = { tags: [], ...${JSON.stringify(mainWith())},\n tags: ['a'] };` },
  },
  {
    code: 'VAL026',
    severity: 'error',
    path: 'main.requiredLibraries[0]',
    message: "Library 'left-pad' is not on the allowlist",
    line: 10,
    breaks: schema({ requiredLibraries: ['left-pad'] }),
    keeps: schema({ requiredLibraries: ['zlib'] }),
  },
  {
    code: 'VAL048',
    severity: 'error',
    path: 'main.tools.getThing.parameters',
    message: "shared list 'colours' is not declared (enum of id in getThing)",
    line: 16,
    breaks: { ...schema(withParameter({}, { primitive: 'enum({{colours:name}})' })), ...list('1.0.0') },
    keeps: {
      ...schema({ ...withParameter({}, { primitive: 'enum({{colours:name}})' }), sharedLists }),
      ...list('1.0.0'),
    },
  },
  {
    code: 'VAL049',
    severity: 'error',
    path: 'main.tools.getThing.parameters',
    message: "shared list 'colours' has no values for nmae (enum of id in getThing)",
    line: 16,
    breaks: {
      ...schema({ ...withParameter({}, { primitive: 'enum({{colours:nmae}})' }), sharedLists }),
      ...list('1.0.0'),
    },
    keeps: {
      ...schema({ ...withParameter({}, { primitive: 'enum({{colours:name}})' }), sharedLists }),
      ...list('1.0.0'),
    },
  },
  ...['preRequest', 'executeRequest', 'postRequest', 'preProcess', 'postProcess'].map(
    (name): LoadCase => ({
      code: 'VAL050',
      severity: 'warning',
      path: 'main.tools.getThing.path',
      message: 'the path has no placeholder for insert parameter "id" (main.tools.getThing)',
      line: 14,
      breaks: schema(insert),
      keeps: schema(insert, `() => ({ getThing: { ${name}: ${hook} } })`),
    }),
  ),
  {
    code: 'VAL054',
    severity: 'warning',
    path: 'main.tools.getThing',
    message: 'root is local and getThing has no executeRequest handler, so it cannot be called (main.tools.getThing)',
    line: 12,
    breaks: schema({ root: 'local://shop' }),
    keeps: schema(
      { root: 'local://shop' },
      '() => ({ getThing: { executeRequest: async ({ struct }) => ({ struct }) } })',
    ),
  },
  {
    code: 'VAL055',
    severity: 'warning',
    path: 'handlers.getThing',
    message: 'postrequest is not a hook, so it never runs (handlers.getThing)',
    line: 37,
    breaks: schema({}, `() => ({ getThing: { postrequest: ${hook} } })`),
    keeps: schema({}, `() => ({ getThing: { postRequest: ${hook} } })`),
  },
  {
    code: 'VAL072',
    severity: 'error',
    path: 'main.sharedLists[0]',
    message: "Shared list 'colours' not found in lists directory",
    line: 37,
    breaks: schema({ sharedLists }),
    keeps: { ...schema({ sharedLists }), ...list('1.0.0') },
  },
  {
    code: 'VAL073',
    severity: 'error',
    path: 'main.sharedLists[0].version',
    message: "Shared list 'colours' has version 2.0.0, not 1.0.0",
    line: 39,
    breaks: { ...schema({ sharedLists }), ...list('2.0.0') },
    keeps: { ...schema({ sharedLists }), ...list('1.0.0') },
  },
  ...[undefined, '({ sharedLists, libraries }) => ({})'].map(
    (handlers): LoadCase => ({
      code: 'VAL075',
      severity: 'warning',
      path: 'main.sharedLists[0]',
      message: "shared list 'colours' is not used (main.sharedLists[0])",
      line: 37,
      breaks: { ...schema({ sharedLists }, handlers), ...list('1.0.0') },
      keeps: {
        ...schema({ ...withParameter({}, { primitive: 'enum({{colours:name}})' }), sharedLists }, handlers),
        ...list('1.0.0'),
      },
    }),
  ),
  ...[
    '({ sharedLists }) => { const names = sharedLists.colours; return {}; }',
    '({ sharedLists: lists }) => { const names = Object.values(lists); return {}; }',
    '(given) => { const names = Object.values(given.sharedLists); return {}; }',
  ].map(
    (handlers): LoadCase => ({
      code: 'VAL075',
      severity: 'warning',
      path: 'main.sharedLists[0]',
      message: "shared list 'colours' is not used (main.sharedLists[0])",
      line: 37,
      breaks: { ...schema({ sharedLists }), ...list('1.0.0') },
      keeps: { ...schema({ sharedLists }, handlers), ...list('1.0.0') },
    }),
  ),
];
