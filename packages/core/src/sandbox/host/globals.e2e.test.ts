import { afterAll, describe, expect, test } from 'vitest';
import { callHook, hookOf } from '../fixtures/program.ts';
import { closeHandlerPool } from '../handler-pool.ts';

afterAll(closeHandlerPool);

/** One of every object that handler code can reach. Created twice, only shared objects are identical. */
const MAKE = `
  const thrown = async (work) => { try { return await work() } catch (error) { return error } };
  const modules = {};
  for (const name of ['crypto', 'zlib', 'buffer', 'path', 'url', 'util', 'querystring']) modules[name] = await __schemakitImport(name);
  const { crypto: node, zlib, path, querystring, util } = modules;
  const signals = () => {
    const controller = new AbortController();
    controller.signal.addEventListener('abort', () => {});
    const any = AbortSignal.any([controller.signal, AbortSignal.timeout(1)]);
    const events = [];
    any.addEventListener('abort', (event) => events.push(event));
    controller.abort();
    return [controller, any, events, AbortSignal.abort().reason];
  };
  const web = async () => {
    const response = new Response('{"a":1}', { headers: { a: 'b' } });
    const form = new FormData();
    form.append('file', new File(['x'], 'name'));
    return [response, response.headers.entries(), await response.clone().blob(), await response.json(), form, form.entries(),
      new Request('https://a.example'), new Headers({ a: 'b' }), await fetch('https://a.example').catch((error) => error), fetch('x').catch(() => {})];
  };
  const keys = async () => {
    const key = await crypto.subtle.importKey('raw', new Uint8Array(16), { name: 'HMAC', hash: 'SHA-256' }, true, ['sign']);
    return [key, await crypto.subtle.sign('HMAC', key, new Uint8Array(1)), await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign']),
      { ...(await crypto.subtle.exportKey('jwk', key)), key_ops: [] }, crypto.getRandomValues(new Uint8Array(2))];
  };
  const hostile = { construct() {}, read() {}, transform() {}, info: true };
  const make = async () => [
    ...Object.values(modules), signals(), await web(), await keys(), new EventTarget(), new Event('x'), new DOMException('x'), console, performance,
    new TextDecoder('utf-16le'), new TextEncoder(), new TextEncoder().encodeInto('x', new Uint8Array(4)),
    new URL('https://a.example/?x=1#h'), new URL('https://a.example/?x=1').searchParams, new URLSearchParams('a=1').entries(), new URLSearchParams('a=1').keys(),
    Buffer.from('x'), Buffer.from('x').toJSON(), Buffer.from('x').entries(), Buffer.alloc(1).buffer,
    structuredClone({ map: new Map([[1, new Set([2])]]), date: new Date(), error: new Error('x'), pattern: /x/g, bytes: new Uint8Array(2) }), new Float32Array(1), new Float64Array([1.5]).values(),
    new Intl.Segmenter().segment('abc'), [...new Intl.Segmenter().segment('abc')], new Intl.Segmenter().segment('abc')[Symbol.iterator](),
    new Intl.NumberFormat('en').formatToParts(12), new Intl.DateTimeFormat().resolvedOptions(), new Intl.NumberFormat('en').format,
    node.createHash('md5', hostile), node.createHmac('md5', 'x'), node.createSign('sha256'), node.createVerify('sha256'), node.createHash('md5').digest(),
    node.createCipheriv('aes-128-gcm', Buffer.alloc(16), Buffer.alloc(12), hostile), node.getHashes(), zlib.gzipSync('x', hostile),
    path.parse('/a/b.c'), querystring.parse('a=1&b=2&b=3'), util.inspect({ a: 1 }), setTimeout(() => {}, 1e5), setImmediate(() => {}),
    ...(await Promise.all([
      () => new URL('::'), () => atob('*'), () => structuredClone(() => {}), () => crypto.subtle.importKey('x'), () => Buffer.alloc(-1), () => Buffer.from(1),
      () => zlib.gunzipSync('x'), () => zlib.gunzipSync(1), () => node.createHash('nope'), () => node.createHash(1), () => node.sign('sha256', Buffer.from('x'), 'no key'),
      () => { const hash = node.createHash('md5'); hash.digest(); return hash.digest() }, () => new TextDecoder('nope'), () => new Intl.Locale('!!'),
      () => __schemakitImport('fs'), () => null.x, () => new Headers(1), () => path.join(1), () => querystring.unescape(Symbol()), () => new Function('('),
      () => setTimeout(1), () => new AbortSignal(), () => fetch('::'), () => Buffer.from('x').readInt8(9),
    ].map(thrown))),
    (() => {}), (async () => {}), (function* () {})(), (async function* () {})(), [][Symbol.iterator](), new Map().entries(), 'x'.matchAll(/x/g), [1].values().map((x) => x),
  ];`;

const FIND_SHARED = `
  const reach = (root) => {
    const seen = new Map();
    const stack = [[root, '']];
    while (stack.length > 0) {
      const [value, path] = stack.pop();
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue;
      seen.set(value, path);
      stack.push([Object.getPrototypeOf(value), path + '.__proto__']);
      for (const key of Reflect.ownKeys(value)) {
        const { value: held, get, set } = Reflect.getOwnPropertyDescriptor(value, key);
        for (const next of [held, get, set]) stack.push([next, path + '.' + String(key)]);
      }
    }
    return seen;
  };
  const [first, second] = [reach(await make()), reach(await make())];
  const shared = [...first].filter(([value]) => second.has(value));
  return { shared: shared.length, changeable: shared.filter(([value]) => !Object.isFrozen(value)).map(([, path]) => path) };`;

describe('objects that the schemas of a host share', () => {
  test('cannot be changed', async () => {
    const { shared, changeable } = (await callHook(hookOf(MAKE + FIND_SHARED))) as {
      shared: number;
      changeable: string[];
    };
    expect(changeable).toEqual([]);
    expect(shared).toBeGreaterThan(500);
  });

  test('do not include their globals', async () => {
    const names = `Object.getOwnPropertyNames(globalThis).filter((name) => !Object.isFrozen(globalThis[name]))`;
    expect(await callHook(hookOf(`return ${names}`))).toEqual(['globalThis']);
  });

  test('include every kind of typed array', async () => {
    expect(await callHook(hookOf(`return [new Float32Array([0.5])[0], Float64Array.from([1.5, 2])]`))).toEqual([
      0.5,
      [1.5, 2],
    ]);
  });
});
