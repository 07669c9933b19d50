import { afterAll, describe, expect, test } from 'vitest';
import { callHook, hookOf } from '../fixtures/program.ts';
import { closeHandlerHosts } from '../run-in-host.ts';

afterAll(closeHandlerHosts);

/** What a hook gives behind each wall. */
async function behindBoth(body: string): Promise<[process: unknown, wasm: unknown]> {
  const outcome = (wall: 'process' | 'wasm') =>
    callHook(hookOf(body, { wall })).catch(({ code, message }) => ({ code, message: String(message) }));
  return [await outcome('process'), await outcome('wasm')];
}

const values: Record<string, string> = {
  bigint: '{ wei: 10n ** 30n }',
  dates: '{ at: new Date(0), never: new Date(NaN) }',
  maps: '[new Map([["a", new Map([["b", 1n]])]]), new Map([[1, "x"]])]',
  'a set': 'new Set(["a", 2n])',
  bytes:
    '[new Uint8Array([1, 2, 3, 4]).subarray(1, 3), new Uint8Array([104, 105]).buffer, new DataView(new ArrayBuffer(2)), new Uint8ClampedArray(1)]',
  'typed arrays': '[new BigInt64Array([1n]), new Uint16Array(2), new Int8Array([-1])]',
  'boxed values': '[Object(1), Object("a"), Object(1n), Object(true)]',
  'functions and symbols': '{ f: () => 1, s: Symbol("s"), list: [() => 1, Symbol("s"), undefined] }',
  numbers: '[NaN, Infinity, -0, 1e21, 0.1, 1n]',
  errors: '{ error: new TypeError("bad"), own: new (class Own extends Error {})("x") }',
  'a pattern': '{ pattern: /a+/g }',
  'an instance of a class':
    '[new (class { shown = 1n; #hidden = 2; toString() { return this.#hidden } })(), new URL("https://a.example/x?y=1")]',
  toJSON: '[new (class { toJSON() { return { a: 1n } } })(), { value: 1, toJSON: () => "other" }]',
  circles:
    '(() => { const ring = { name: "ring" }; ring.self = ring; const list = []; list.push([list]); return [ring, list] })()',
  'a thenable inside': '{ inner: { then: 1, x: 2 }, promise: Promise.resolve(1) }',
  proxies:
    '[new Proxy({ a: 1n }, {}), new Proxy([1n, 2], {}), new Proxy({ a: 1 }, { get: (target, key) => typeof key === "symbol" ? undefined : 5n, ownKeys: () => ["a"] })]',
  'prototypes of keys': 'JSON.parse(\'{"__proto__": {"a": 1}, "constructor": 2}\')',
  'what lone surrogates are in': '["\\ud800", "a\\udc00b", "\\u0000"]',
  'deep nesting': '(() => { let deep = 1; for (let i = 0; i < 300; i += 1) deep = [deep]; return deep })()',
  'what throws when it is read': '{ get a() { throw new Error("x") } }',
  'sparse lists': '[, 1, , 2]',
};

describe('an answer has the same form behind both walls', () => {
  test.each(Object.entries(values))('%s', async (_, value) => {
    const [process, wasm] = await behindBoth(`return ${value}`);
    expect(wasm).toEqual(process);
  });
});

const works: Record<string, string> = {
  'numbers of a locale': `[(1234567.891).toLocaleString('en-US'), (0.256).toLocaleString('de-DE', { style: 'percent' }), (NaN).toLocaleString(), 12345n.toLocaleString('en-US')]`,
  'dates of a locale': `[new Date(0).toLocaleDateString('en-GB', { timeZone: 'UTC', dateStyle: 'full' }), new Date(0).toLocaleTimeString('en-US', { timeZone: 'UTC' }), new Date(NaN).toLocaleString()]`,
  'words in the order of a locale': `['z', 'ä', 'a', 'Z', 'é'].sort((a, b) => a.localeCompare(b)).concat('I'.toLocaleLowerCase('tr'))`,
  'an unknown locale': `(() => { try { return (1).toLocaleString('no such place') } catch (error) { return [error.name, error.message] } })()`,
  addresses: `(() => { const url = new URL('../ü?a=1#x', 'https://user:pw@a.example:8080/b/c'); url.searchParams.append('b', 'c d'); url.searchParams.delete('a'); const { href } = url; url.search = '?z=1'; return [href, url.searchParams.get('z'), [...url.searchParams], url.origin, url.pathname, URL.canParse('x'), Object.prototype.toString.call(url)] })()`,
  parameters: `(() => { const params = new URLSearchParams([['b', 2], ['a', 'ü&='], ['b', null]]); params.sort(); return [String(params), params.getAll('b'), params.has('b', '2'), params.size, String(new URLSearchParams({ x: [1, 2], y: undefined })), String(new URLSearchParams('?q=a+b%20c')), Object.fromEntries(new URLSearchParams('p=1&p=2'))] })()`,
  'text as bytes': `[[...new TextEncoder().encode('ü€😀')], new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 65, 255])), atob(btoa('\\xff')), btoa('hi')]`,
  'a clone': `(() => { const map = structuredClone(new Map([['a', { at: new Date(5), set: new Set([1]) }]])); return [map.get('a').at.getTime(), map.get('a').set.has(1)] })()`,
  'hashes and signatures': `(async () => { const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join(''); const key = await crypto.subtle.importKey('raw', new TextEncoder().encode('key'), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']); return [hex(await crypto.subtle.digest('SHA-256', new Uint8Array(3))), hex(await crypto.subtle.sign('HMAC', key, new Uint8Array(3)))] })()`,
  'assignments to what frozen prototypes have': `(() => { const point = {}; point.toString = () => 'point'; point.constructor = 1; class Sub extends Error { constructor(m) { super(m); this.name = 'Sub'; this.message = m + '!' } } const list = []; list.toString = () => 'list'; const call = () => 1; call.call = () => 2; return [String(point), new Sub('x').message, String(list), call.call(), point.constructor] })()`,
  'newer parts of the language': `[[3, 1].toSorted(), Object.groupBy([1, 2], (n) => n % 2 ? 'odd' : 'even'), [1, 2, 3].values().map((n) => n * 2).toArray(), /(?<y>\\d+)/v.exec('a12').groups.y, 'a-b'.replaceAll('-', '+'), [1, 2].at(-1), new Set([1, 2]).union(new Set([3])).size]`,
  'headers, forms and blobs': `(async () => { const form = new FormData(); form.append('a', new Blob(['x'], { type: 'text/plain' }), 'a.txt'); return [[...new Headers({ B: '2', a: '1' })], form.get('a').name, await new Response('{"a":1}').json(), await new Blob(['a', new Uint8Array([98])]).text(), new Request('https://a.example', { method: 'post' }).method] })()`,
  'the order of what waits': `(async () => { const order = []; setTimeout(() => order.push('timer'), 1); queueMicrotask(() => order.push('microtask')); await null; order.push('await'); await new Promise((resolve) => setTimeout(resolve, 10)); return order })()`,
};

describe('a handler gets the same behind both walls', () => {
  test.each(Object.entries(works))('%s', async (_, work) => {
    const [process, wasm] = await behindBoth(`return await ${work}`);
    expect(process).not.toHaveProperty('code');
    expect(wasm).toEqual(process);
  });
});

test('a VM has every name that a host has, but for those that are said to be missing', async () => {
  const names = `Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Za-z]/.test(name)).sort()`;
  const [process, wasm] = (await behindBoth(`return ${names}`)) as [string[], string[]];
  // `Temporal` comes with newer versions of Node.js, and the scan does not know it.
  const missing = process.filter((name) => !wasm.includes(name) && name !== 'Temporal');
  expect(missing).toEqual(['Buffer', 'Intl']);
  const closed = [
    'process',
    'require',
    'Atomics',
    'SharedArrayBuffer',
    'WebAssembly',
    'WeakRef',
    'FinalizationRegistry',
  ];
  expect(wasm.filter((name) => closed.includes(name))).toEqual([]);
});
