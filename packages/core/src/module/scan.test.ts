// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are the text of modules
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyzeModule } from './analyze-module.ts';
import { scanRules } from './scan-rules.ts';

const scan = (text: string, libraries: string[] = []) =>
  analyzeModule(text, { file: 'x.mjs', libraries }).findings.map(({ code, severity, message, line, column }) => ({
    code,
    severity,
    message,
    at: `${line}:${column}`,
  }));
const codes = (text: string) => scan(text).map(({ code }) => code);
const inHandler = (code: string) =>
  `export const main = {};\nexport const handlers = ({ sharedLists, libraries }) => ({ t: { preRequest: async ({ struct, payload }) => { ${code} } } })`;

describe('code that is refused', () => {
  const expectError = (code: string, text: string) => {
    expect(
      scan(text).find((finding) => finding.code === code),
      JSON.stringify(scan(text)),
    ).toMatchObject({ severity: 'error' });
  };

  test.each([
    ['SEC001', `import fs from 'fs'`],
    ['SEC001', `import 'fs'`],
    ['SEC001', `export * from './x.mjs'`],
    ['SEC001', `export { x } from './x.mjs'`],
    ['SEC006', 'export const main = { root: process.env.ROOT }'],
    ['SEC006', 'const f = (a = process) => { var process }'],
    ['SEC012', 'module.exports = {}'],
    ['SEC012', 'exports.main = {}'],
    ['SEC014', `const crypto = await import('crypto')`],
  ])('%s in a module: %s', expectError);

  test.each([
    ['SEC002', `require('fs')`],
    ['SEC003', `eval('1')`],
    ['SEC003', `const e = eval; e('1')`],
    ['SEC003', `(0, eval)('1')`],
    ['SEC004', `Function('return 1')()`],
    ['SEC010', `new Function('return 1')`],
    ['SEC006', 'process.env.X'],
    ['SEC006', `process['env']`],
    ['SEC006', 'process?.env'],
    ['SEC006', 'const { env } = process'],
    ['SEC006', 'pr\\u006fcess.env'],
    ['SEC005', `await import('fs')`],
    ['SEC005', `await import('node:fs/promises')`],
    ['SEC007', `await import('node:child_process')`],
    ['SEC008', 'globalThis.fetch'],
    ['SEC008', 'global.x'],
    ['SEC008', 'window.x = 1'],
    ['SEC009', '__dirname'],
    ['SEC009', '__filename'],
    ['SEC013', `await import('left-pad')`],
    ['SEC014', 'await import(payload.name)'],
    ['SEC014', `await import('crypto', { with: {} })`],
    ['SEC014', 'await import(`${1}`)'],
    ['SEC016', 'import.meta.url'],
    ['SEC017', `payload.constructor.constructor('x')`],
    ['SEC017', `payload['constructor']`],
    ['SEC017', 'payload[`constructor`]'],
    ['SEC017', `payload['con' + 'structor']`],
    ['SEC017', `const k = 'constructor'; payload[k]`],
    ['SEC017', `const a = 'con'; const b = \`\${a}structor\`; payload[b]`],
    ['SEC017', 'const { constructor } = payload'],
    ['SEC017', `const { ['constructor']: c } = payload`],
    ['SEC017', `({ 'constructor': struct.c } = payload)`],
    ['SEC017', 'payload?.constructor.call(1)'],
    ['SEC017', `payload[['constructor']]`],
    ['SEC017', 'Array.prototype.map = 1'],
    ['SEC017', 'const p = Array.prototype'],
    ['SEC017', 'delete Array.prototype.map'],
    ['SEC017', 'Array.prototype.x++'],
    ['SEC017', 'Object.assign(Array.prototype, {})'],
    ['SEC017', 'Error.prepareStackTrace = (_, s) => s'],
    ['SEC017', '(function () { return arguments.callee })()'],
    ['SEC017', `payload.getBuiltinModule('fs')`],
    ['SEC017', 'payload.__defineGetter__("x", () => 1)'],
    ['SEC018', 'payload.__proto__.x = 1'],
    ['SEC018', `payload['__proto__']`],
    ['SEC019', 'new SharedArrayBuffer(1)'],
    ['SEC019', 'WebAssembly.compile(x)'],
    ['SEC019', 'Atomics.wait()'],
    ['SEC021', `new WebSocket('ws://x')`],
    ['SEC005', `fs.readFileSync('/etc/passwd')`],
    ['SEC007', `child_process.execSync('id')`],
    ...['net', 'http', 'https', 'tls', 'dns', 'dgram', 'worker_threads'].map((name) => ['SEC021', `${name}.open()`]),
    ...['os', 'vm', 'Deno', 'Bun'].map((name) => ['SEC025', `${name}.version`]),
  ])('%s in a handler: %s', (code, text) => expectError(code, inHandler(text)));

  test('each occurrence is reported', () => {
    expect(scan('export const main = {}\n\nconst x = process.env\n  const y = eval')).toEqual([
      { code: 'SEC006', severity: 'error', message: 'process is not allowed', at: '3:11' },
      { code: 'SEC003', severity: 'error', message: 'eval is not allowed', at: '4:13' },
    ]);
  });

  test('`with` is not allowed in a module', () => {
    expect(codes('with ({}) {}')).toEqual(['MOD001']);
  });
});

describe('code that gets a warning', () => {
  test.each([
    ['SEC015', 'warning', inHandler(`const { createHmac } = await import('crypto')`)],
    ['SEC015', 'warning', inHandler('await import(`node:zlib`)')],
    ['SEC011', 'info', inHandler('await new Promise((done) => setTimeout(done, 10))')],
    ['SEC022', 'warning', inHandler('return strcut')],
  ])('%s is a %s', (code, severity, text) => {
    expect(scan(text)).toMatchObject([{ code, severity }]);
  });

  test('import() of a library that the caller allows', () => {
    expect(scan(inHandler(`await import('ethers')`), ['ethers'])).toMatchObject([{ code: 'SEC015' }]);
  });
});

describe('code that is allowed', () => {
  test.each([
    ['names of modules that the code declares', 'const { os, http } = payload; return typeof fs + os + http.url'],
    [
      'host objects',
      'await fetch(new URL("x", struct.url), { signal: AbortSignal.timeout(1), headers: new Headers() }); Buffer.from(btoa("x")); new TextDecoder(); crypto.randomUUID(); performance.now(); structuredClone(1); new Blob([]); new FormData()',
    ],
    [
      'the language',
      'return [Math, JSON, Date, Promise, Symbol, Proxy, Reflect, Intl, RegExp, WeakMap, BigInt, isNaN, undefined, NaN, Infinity, encodeURIComponent]',
    ],
    [
      'own names',
      'const process = 1; let global = 2; function require() {} class eval2 {} return [process, global, require(), eval2]',
    ],
    [
      'parameters',
      'return ((module, exports, { window }, [self], ...document) => [module, exports, window, self, document])()',
    ],
    [
      'names of catch, loops and classes',
      'try { x: for (const process of []) { continue x } } catch (global) { global.message } for (let require = 0; require < 1; require++); return class Function { #p = 1; get() { return this.#p } constructor() { new.target } }',
    ],
    ['arguments', 'return (function () { return arguments.length })()'],
    ['asking whether something exists', 'return typeof process === "undefined" && typeof window !== "object"'],
    [
      'members of other names',
      'return [payload.process.env, payload.eval, payload.require("x"), payload.global, payload.import]',
    ],
    ['keys of data', 'return { constructor: 1, process: 2, __proto__: null, prototype: 3, ["caller"]: 4, eval: 5 }'],
    ['fields of answers', 'return [payload.caller, payload.callee, payload.tx.caller]'],
    [
      'borrowed methods',
      'const has = Object.prototype.hasOwnProperty; return Object.prototype.hasOwnProperty.call(payload, "x") && Array.prototype.slice.call([]).length',
    ],
    ['the name of a class', 'return payload.constructor.name === "Object" || payload.constructor === Object'],
    ['hoisted names', 'use(); function use() { return late } const late = 1; var v; return v'],
    ['labels and keys', 'process: for (;;) { break process }'],
    ['computed keys that are not constant', 'return payload[struct.key]'],
  ])('%s', (_, code) => {
    expect(scan(inHandler(code))).toEqual([]);
  });

  test('names of the module that are used before their declaration', () => {
    expect(
      scan(
        'export const handlers = () => helper(LIMIT); function helper() {} const LIMIT = 1; export { helper as default }',
      ),
    ).toEqual([]);
  });
});

describe('words that are not code', () => {
  const words = [
    'process.env',
    'import fs from "fs"',
    'import(',
    'require(',
    'eval(',
    'fs.readFile',
    'global.api.example.com',
    'globalThis.',
    '__dirname',
    'new Function(',
    'constructor',
    '<!--',
    '-->',
    '{{USER_PARAM}}',
    '*/ '.trim().slice(0, 1),
  ];
  const word = fc.constantFrom(...words);

  test('in strings, templates, regular expressions and comments', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string({ maxLength: 5 })), { maxLength: 6 }), (parts) => {
        const text = parts.join(' ').replaceAll('*/', '');
        const line = text.replace(/[\n\r\u2028\u2029]/g, ' ');
        const escaped = text.replace(/[\\`]|\$\{/g, '\\$&');
        const source = `// ${line}\n/* ${text} */\nexport const main = { a: ${JSON.stringify(text)}, b: \`${escaped}\` }\n${inHandler(
          `return [${JSON.stringify(text)}, \`${escaped}\`, /x${line.replace(/[^\w ]/g, '\\W')}/] // ${line}\n`,
        )
          .split('\n')
          .slice(1)
          .join('\n')}`;
        expect(scan(source)).toEqual([]);
      }),
    );
  });

  test('in host names and descriptions', () => {
    expect(
      scan(
        `export const main = { root: 'https://imis.bfs.de', docs: ['https://global.api.flixbus.com', 'https://gtfs.de'], description: 'import data of process. things; require( nothing' }`,
      ),
    ).toEqual([]);
  });
});

test('every rule explains itself', () => {
  expect(new Set(scanRules.map(({ code }) => code)).size).toBe(scanRules.length);
  for (const { title, explanation, instead } of scanRules) {
    for (const text of [title, explanation, instead]) expect(text.length).toBeGreaterThan(5);
  }
});

test('a finding says what to do instead', () => {
  const [finding] = analyzeModule('process', { file: 'a.mjs' }).findings;
  expect(finding).toMatchObject({ file: 'a.mjs', path: '', hint: expect.stringContaining('requiredServerParams') });
});

test('a finding names the export that contains it, or none', () => {
  const text = [
    "import x from 'x';",
    'export const main = { root: process.env.ROOT };',
    'const make = () => ({ getThing: { postRequest: () => eval("1") } });',
    'export { make as handlers };',
  ].join('\n');
  const found = analyzeModule(text, { file: 'a.mjs' }).findings.map(({ code, path }) => [code, path]);
  expect(found).toEqual([
    ['SEC001', ''],
    ['SEC006', 'main'],
    ['SEC003', 'handlers'],
  ]);
});
