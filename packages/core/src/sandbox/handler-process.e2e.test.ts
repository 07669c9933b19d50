import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callHook, hookOf, installPackages, programOf, run } from './fixtures/program.ts';
import { closeHandlerPool } from './handler-pool.ts';

afterAll(closeHandlerPool);

describe('handler code', () => {
  test('has no globals of Node.js', async () => {
    const names = [
      'process',
      'require',
      'module',
      'global',
      'WebSocket',
      'EventSource',
      'Worker',
      'MessageChannel',
      'BroadcastChannel',
      'WebAssembly',
      'SharedArrayBuffer',
      'Atomics',
      'navigator',
      'Compartment',
      'lockdown',
      'repairIntrinsics',
      'setFlags',
      'gc',
      'localStorage',
      'ReadableStream',
      'CompressionStream',
      'WeakRef',
    ];
    const found = await run(`return context.names.filter((name) => name in globalThis)`, { names });
    expect(found).toEqual([]);
  });

  test.each([
    ['a function', `(() => {}).constructor('return process')()`],
    ['an async function', `(async () => {}).constructor('return process')()`],
    ['a generator', `(function* () {}).constructor('return process')().next()`],
    ['an array method', `[].map.constructor('return process')()`],
    ['fetch', `fetch.constructor('return process')()`],
    ['a timer', `setTimeout.constructor('return process')()`],
    ['a class of the sandbox', `Response.constructor('return process')()`],
    ['the argument', `context.constructor.constructor('return process')()`],
    [
      'an error of the sandbox',
      `try { await fetch('x:') } catch (error) { error.constructor.constructor('return process')() }`,
    ],
    ['a promise of the sandbox', `fetch('x:').catch(() => {}).constructor.constructor('return process')()`],
    ['a Buffer', `Buffer.from('x').constructor.constructor('return process')()`],
    ['a Date', `new Date().constructor.constructor('return process')()`],
    ['Reflect.construct', `Reflect.construct((() => {}).constructor, ['return process'])()`],
  ])('cannot run code through the constructor of %s', async (_, attack) => {
    await expect(run(`${attack}; return 'reached'`)).rejects.toMatchObject({ code: 'HANDLER_THREW' });
  });

  test.each([
    ['eval', `eval('typeof process')`],
    ['indirect eval', `(0, eval)('typeof process')`],
    ['Function', `new Function('return typeof process')()`],
    ['Function of an eval', `(0, eval)('(function () { return typeof process })')()`],
  ])('evaluates text only in its own compartment: %s', async (_, attack) => {
    expect(await run(`return ${attack}`)).toBe('undefined');
  });

  test.each([
    ['Object.prototype', `Object.prototype.polluted = 1`],
    ['Array.prototype', `Array.prototype.map = () => 'stolen'`],
    ['Promise.prototype', `Promise.prototype.then = () => 'stolen'`],
    ['JSON', `JSON.stringify = () => 'stolen'`],
    ['Buffer', `Buffer.from = () => 'stolen'`],
    ['Buffer.prototype', `Buffer.prototype.toString = () => 'stolen'`],
    ['URL.prototype', `URL.prototype.stolen = 1`],
    ['the iterators of URLSearchParams', `Object.getPrototypeOf(new URLSearchParams().entries()).next = () => 1`],
    ['the iterators of Intl.Segmenter', `Object.getPrototypeOf(new Intl.Segmenter().segment('')).x = 1`],
    ['AbortSignal.prototype', `AbortSignal.prototype.x = 1`],
    ['EventTarget.prototype', `EventTarget.prototype.dispatchEvent = () => 1`],
    ['DOMException.prototype', `DOMException.prototype.x = 1`],
    ['Response.prototype', `Response.prototype.json = () => 'stolen'`],
    ['Headers.prototype', `Headers.prototype.get = () => 'stolen'`],
    ['console', `console.log = () => 1`],
    ['crypto.subtle', `crypto.subtle.sign = () => 1`],
    ['a built-in module', `(await __schemakitImport('crypto')).createHash = () => 1`],
    ['Date', `Date.now = () => 0`],
    ['Math', `Math.random = () => 0`],
    ['Intl', `Intl.NumberFormat.prototype.x = 1`],
  ])('cannot change what other schemas use: %s', async (_, attack) => {
    await expect(run(`'use strict'; ${attack}; return 'changed'`)).rejects.toMatchObject({ code: 'HANDLER_THREW' });
  });

  test('has its own globals', async () => {
    await run(`globalThis.left = 'behind'; globalThis.fetch = () => 'mine'; return 1`);
    expect(await run(`return [typeof left, String(fetch).includes('mine')]`)).toEqual(['undefined', false]);
  });

  test('gets no stack, and cannot hook into its formatting', async () => {
    const body = `
      Error.prepareStackTrace = (_, sites) => sites;
      const error = new Error('x');
      return [error.stack, Object.keys(Error)]`;
    const outcome = await run(body).catch((thrown: Error) => thrown.message);
    expect(JSON.stringify(outcome)).not.toMatch(/handlers|node:|file:/);
  });

  test('reads only its own bytes through a Buffer', async () => {
    const body = `return [Buffer.from('secret'), Buffer.from([1, 2]), Buffer.alloc(3), Buffer.allocUnsafe(4),
      Buffer.concat([Buffer.from('a'), Buffer.from('b')]), Buffer.from('x').constructor.allocUnsafeSlow(5),
      Buffer.from('c2Vj', 'base64'), (await __schemakitImport('crypto')).createHash('sha256').digest()]
      .map((buffer) => [buffer.length, buffer.buffer.byteLength])`;
    const sizes = (await run(body)) as [number, number][];
    for (const [own, memory] of sizes) expect(memory).toBe(own);
    expect(await run(`return [...Buffer.allocUnsafe(1000)].every((byte) => byte === 0)`)).toBe(true);
  });

  test('gets timers that are numbers', async () => {
    expect(await run(`const id = setTimeout(() => {}, 1); clearTimeout(id); return typeof id`)).toBe('number');
    await expect(run(`setTimeout('1 + 1', 0)`)).rejects.toMatchObject({ code: 'HANDLER_THREW' });
  });

  test('cannot end its host with an uncaught error', async () => {
    const program = programOf(`const handlers = () => ({ tool: { executeRequest: async () => {
      const controller = new AbortController();
      controller.signal.addEventListener('abort', () => { throw new Error('in a listener') });
      controller.abort();
      queueMicrotask(() => { throw new Error('in a microtask') });
      await new Promise(() => {});
    } } });`);
    await expect(callHook(program)).rejects.toMatchObject({
      code: 'HANDLER_THREW',
      message: expect.stringMatching(/^in a/),
    });
  });

  test.each([
    ['import', `return import('node:fs')`, 'FACTORY_THREW'],
    ['an HTML comment', `return '<!-- x -->'`, 'FACTORY_THREW'],
  ])('is rejected if SES rejects it: %s', async (_, body, code) => {
    await expect(run(body)).rejects.toMatchObject({ code });
  });

  test('has a clock, randomness and locales', async () => {
    const body = `return [Date.now() > 1.7e12, new Date().getFullYear() > 2024, Math.random() !== Math.random(),
      (1234.5).toLocaleString('en-US'), new Intl.NumberFormat('de-DE').format(1234.5), typeof crypto.randomUUID()]`;
    expect(await run(body)).toEqual([true, true, true, '1,234.5', '1.234,5', 'string']);
  });

  test('may assign to properties that frozen prototypes have', async () => {
    const body = `
      const point = {}; point.toString = () => 'point'; point.constructor = 1; point.hasOwnProperty = 2;
      function Old() {} Old.prototype.toString = () => 'old'; Old.prototype.constructor = Old;
      class Sub extends Error { constructor(m) { super(m); this.name = 'Sub'; this.message = m + '!' } }
      const list = []; list.toString = () => 'list';
      const call = () => 1; call.call = () => 2;
      return [String(point), String(new Old()), new Sub('x').message, String(list), call.call()]`;
    expect(await run(body)).toEqual(['point', 'old', 'x!', 'list', 2]);
  });
});

describe('the host process', () => {
  // An address instead of a name, so that the look-up cannot fail.
  const address = { host: '127.0.0.1', port: 9 };

  let remove: () => Promise<void>;
  let attempt: (name: string, ...args: unknown[]) => Promise<unknown>;

  beforeAll(async () => {
    // SES does not confine libraries, so this also shows what handler code could not do after breaking out of its compartment.
    const { libraryOf, remove: removePackages } = await installPackages({
      'prober/package.json': '{"name":"prober","type":"module","main":"index.js"}',
      'prober/index.js': `
        export const env = () => ({ ...process.env });
        export const read = async (path) => (await import('node:fs')).readFileSync(path, 'utf8');
        export const list = async (path) => (await import('node:fs')).readdirSync(path);
        export const write = async (path) => (await import('node:fs')).writeFileSync(path, 'x');
        export const spawn = async () => String((await import('node:child_process')).execFileSync('/bin/echo', ['x']));
        export const thread = async () => new (await import('node:worker_threads')).Worker('1', { eval: true });
        export const binding = (name) => Object.keys(process.binding(name));
        export const load = async (name) => Object.keys(await import(name));
        export const connect = async (to) => (await import('node:net')).connect(to);
        export const socket = async (to) => new (await import('node:net')).Socket().connect(to);
        export const listen = async () => (await import('node:net')).createServer().listen(0);
        export const server = async () => new (await import('node:net')).Server().listen(0);
        export const agent = async (to) => new (await import('node:http')).Agent().createConnection(to);
        export const client = async (url) => new (await import('node:http')).ClientRequest(url);
        export const tls = async (to) => (await import('node:tls')).connect(to);
        export const tlsSocket = async (to) => new (await import('node:tls')).TLSSocket().connect(to);
        export const http2 = async (url) => (await import('node:http2')).connect(url);
        export const udp = async () => (await import('node:dgram')).createSocket('udp4').bind(0);
        export const udpClass = async () => new (await import('node:dgram')).Socket('udp4').bind(0);
        export const lookup = async () => (await import('node:dns')).promises.lookup('localhost');
        export const resolver = async () => new (await import('node:dns')).promises.Resolver().resolve4('localhost');
        export const inspect = async () => (await import('node:inspector')).open(0);
        export const signal = () => process.kill(process.ppid, 0);
        export const send = () => process.send({ type: 'ready' });
      `,
    });
    remove = removePackages;
    const library = libraryOf('prober', 'prober/index.js');
    const program = hookOf('return libraries.prober[context.name](...context.args)', { libraries: [library] });
    attempt = (name, ...args) => callHook(program, { name, args });
  });
  afterAll(() => remove());

  test('has no environment', async () => {
    expect(await attempt('env')).toEqual({});
  });

  test.each([
    ['read a file', 'read', process.execPath],
    ['read /etc/passwd', 'read', '/etc/passwd'],
    ['read its environment', 'read', '/proc/self/environ'],
    ['list a folder', 'list', '/'],
    ['write a file', 'write', '/tmp/handler-process-was-here'],
    ['start a process', 'spawn'],
    ['start a thread', 'thread'],
    ['use an inner binding', 'binding', 'tcp_wrap'],
    ['open a database', 'load', 'node:sqlite'],
    ['connect', 'connect', address],
    ['connect a socket', 'socket', address],
    ['listen', 'listen'],
    ['listen with a server', 'server'],
    ['connect through an agent', 'agent', address],
    ['make a request of the class', 'client', 'http://127.0.0.1:9'],
    ['connect with TLS', 'tls', address],
    ['connect a TLS socket', 'tlsSocket', address],
    ['connect with HTTP/2', 'http2', 'http://127.0.0.1:9'],
    ['bind UDP', 'udp'],
    ['bind a UDP socket', 'udpClass'],
    ['look up a name', 'lookup'],
    ['resolve a name', 'resolver'],
    ['open a debugger', 'inspect'],
    ['signal another process', 'signal'],
    ['forge messages', 'send'],
  ])('cannot %s', async (_, name, ...args) => {
    const message = expect.stringMatching(
      /restricted|blocked in the sandbox|process\.binding|No such built-in|not a (?:function|constructor)/,
    );
    await expect(attempt(name, ...args)).rejects.toMatchObject({ code: 'HANDLER_THREW', message });
  });
});
