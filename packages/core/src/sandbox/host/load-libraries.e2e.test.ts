import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callHook, hookOf, installPackages, programOf } from '../fixtures/program.ts';
import { closeHandlerPool } from '../handler-pool.ts';
import type { BrokerRequest } from '../host-message.ts';

let packages: Awaited<ReturnType<typeof installPackages>>;

beforeAll(async () => {
  packages = await installPackages({
    'esm/package.json': '{"name":"esm","type":"module","main":"index.js","dependencies":{"needed":"1"}}',
    'esm/index.js': `
      import { greet } from 'needed';
      export * as inner from './inner.js';
      export const hello = (name) => greet(name);
      export class Counter { count = 0; add() { this.count += 1; return this.count } }`,
    'esm/inner.js':
      'export const deep = 1; export const state = { calls: 0 }; export const call = () => ++state.calls;',
    'needed/package.json': '{"name":"needed","type":"module","main":"index.js"}',
    'needed/index.js': "export const greet = (name) => 'hello ' + name;",
    'with-default/package.json': '{"name":"with-default","main":"index.cjs"}',
    'with-default/index.cjs': 'function lib(x) { return x * 2 } lib.triple = (x) => x * 3; module.exports = lib;',
    'adds-to-language/package.json': '{"name":"adds-to-language","main":"index.cjs"}',
    'adds-to-language/index.cjs': 'RegExp.prototype.toJSON = RegExp.prototype.toString; exports.ready = true;',
    'talks/package.json': '{"name":"talks","type":"module","main":"index.js"}',
    'talks/index.js': `
      import http from 'node:http';
      import https, { request } from 'node:https';
      export const byFetch = async (url) => (await fetch(url)).json();
      const read = (response, resolve) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => { text += chunk }).on('end', () => resolve([response.statusCode, response.headers['x-kind'], text]));
      };
      export const byGet = (url) => new Promise((resolve, reject) => {
        http.get(url, (response) => read(response, resolve)).on('error', reject);
      });
      export const byRequest = (body) => new Promise((resolve, reject) => {
        const options = { hostname: 'api.example', port: 8443, path: '/post?x=1', method: 'POST', headers: { 'X-A': 'b' } };
        const made = request(options);
        made.setHeader('Content-Type', 'text/plain');
        made.on('response', (response) => read(response, resolve)).on('error', (error) => resolve([error.code, error.message]));
        made.write(body);
        made.end('!');
      });`,
    'emits/package.json': '{"name":"emits","type":"module","main":"index.js"}',
    'emits/index.js': `
      import { EventEmitter } from 'node:events';
      import { Readable } from 'node:stream';
      export const emitter = new EventEmitter();
      export class Own extends EventEmitter { constructor() { super({ captureRejections: true }); this.emit = super.emit } }
      export const stream = () => Readable.from(['a', 'b']);`,
    'patches/package.json': '{"name":"patches","main":"index.cjs"}',
    'patches/index.cjs': `'use strict'; exports.last = (list) => { Array.prototype.last = function () { return this.at(-1) }; return list.last() };`,
    'throws/package.json': '{"name":"throws","type":"module","main":"index.js"}',
    'throws/index.js': `throw new Error('needs a display');`,
    'lacks/package.json': '{"name":"lacks","type":"module","main":"index.js"}',
    'lacks/index.js': `import 'not-installed-anywhere';`,
    'native/package.json': '{"name":"native","main":"index.cjs"}',
    'native/index.cjs': `process.dlopen(module, __dirname + '/index.node');`,
    'lacks-binary/package.json': '{"name":"lacks-binary","main":"index.cjs"}',
    'lacks-binary/index.cjs': `require('../lacks-binary.linux-x64-gnu.node');`,
    'lacks-binding/package.json': '{"name":"lacks-binding","main":"index.cjs"}',
    'lacks-binding/index.cjs': `throw new Error('Cannot find native binding. Please remove node_modules');`,
    'reads/package.json': '{"name":"reads","main":"index.cjs"}',
    'reads/index.cjs': `exports.own = require('fs').readFileSync(__dirname + '/data.txt', 'utf8');`,
    'reads/data.txt': 'its own data',
  });
});

afterAll(async () => {
  await closeHandlerPool();
  await packages.remove();
});

const libraries = (...names: string[]) =>
  names.map((name) =>
    packages.libraryOf(
      name,
      `${name}/index.${['esm', 'talks', 'emits', 'throws', 'lacks'].includes(name) ? 'js' : 'cjs'}`,
    ),
  );

describe('a library', () => {
  test('is passed to the factory, with its dependencies', async () => {
    const program = hookOf(
      `const { esm } = libraries; return [esm.hello('you'), esm.inner.deep, new esm.Counter().add(), esm.inner.call()]`,
      { libraries: libraries('esm') },
    );
    expect(await callHook(program)).toEqual(['hello you', 1, 1, 1]);
  });

  test('is its default export if it has one', async () => {
    const program = hookOf(`const double = libraries['with-default']; return [double(2), double.triple(2)]`, {
      libraries: libraries('with-default'),
    });
    expect(await callHook(program)).toEqual([4, 6]);
  });

  test('can be imported by a handler', async () => {
    const program = hookOf(`const { default: double } = await __schemakitImport('with-default'); return double(4)`, {
      libraries: libraries('with-default'),
    });
    expect(await callHook(program)).toBe(8);
  });

  test('may extend the language before handlers run', async () => {
    const program = hookOf(`return [libraries['adds-to-language'].ready, JSON.stringify({ a: /x/ })]`, {
      libraries: libraries('adds-to-language'),
    });
    expect(await callHook(program)).toEqual([true, '{"a":"/x/"}']);
    expect(await callHook(hookOf('return typeof RegExp.prototype.toJSON'))).toBe('undefined');
  });

  test('that emits does not let handlers change the emitters of the process', async () => {
    const attacks = [
      'Object.getPrototypeOf(emitter).emit = function () { stolen = this }',
      'Object.defineProperty(Object.getPrototypeOf(emitter), "emit", { value() {} })',
      'Object.getPrototypeOf(emitter).added = 1',
      'emitter.constructor.init = function () { stolen = this }',
      'Object.getPrototypeOf(Object.getPrototypeOf(stream())).read = function () { stolen = this }',
    ];
    for (const attack of attacks) {
      const body = `const { emitter, stream } = libraries.emits; let stolen; ${attack}; return 'changed'`;
      await expect(callHook(hookOf(body, { libraries: libraries('emits') }))).rejects.toMatchObject({
        code: 'HANDLER_THREW',
      });
    }
    const works = `
      const { emitter, Own, stream } = libraries.emits;
      const heard = [];
      for (const source of [emitter, new Own()]) { source.on('x', (value) => heard.push(value)); source.emit('x', 1) }
      for await (const chunk of stream()) heard.push(chunk);
      return heard`;
    expect(await callHook(hookOf(works, { libraries: libraries('emits') }))).toEqual([1, 1, 'a', 'b']);
  });

  test('can read its own folder', async () => {
    expect(await callHook(hookOf('return libraries.reads.own', { libraries: libraries('reads') }))).toBe(
      'its own data',
    );
  });

  test.each([
    ['that is not installed', 'absent', 'LIBRARY_MISSING', `Library 'absent'`],
    ['with a missing dependency', 'lacks', 'LIBRARY_MISSING', 'not-installed-anywhere'],
    ['that throws', 'throws', 'LIBRARY_UNUSABLE', 'needs a display'],
    ['that is native', 'native', 'LIBRARY_UNUSABLE', `Library 'native' does not work in the sandbox`],
    ['without its binary', 'lacks-binary', 'LIBRARY_UNUSABLE', 'the sandbox: it has native code'],
    ['that says so itself', 'lacks-binding', 'LIBRARY_UNUSABLE', 'the sandbox: it has native code'],
  ])('%s is reported', async (_, name, code, text) => {
    const call = callHook(hookOf('return 1', { libraries: libraries(name) }));
    await expect(call).rejects.toMatchObject({
      code,
      message: expect.stringContaining(text),
      hint: expect.any(String),
    });
  });

  test('that is not declared is not available', async () => {
    const outcome = callHook(hookOf(`return await __schemakitImport('ethers')`));
    await expect(outcome).rejects.toMatchObject({ message: `Library 'ethers' is not on the allowlist` });
  });
});

test('a library that changes frozen objects is named, with a hint', async () => {
  const call = callHook(hookOf('return libraries.patches.last([1])', { libraries: libraries('patches') }));
  await expect(call).rejects.toMatchObject({
    code: 'HANDLER_THREW',
    message: expect.stringContaining('last'),
    hint: expect.stringMatching(/^If patches does this: .* isolation: 'trusted'/),
  });
  await expect(callHook(hookOf(`'use strict'; Array.prototype.last = 1`))).rejects.toMatchObject({ hint: undefined });
});

describe('a library with network requests', () => {
  const call = (expression: string) => {
    const asked: BrokerRequest[] = [];
    const result = callHook(
      hookOf(`return await libraries.talks.${expression}`, { libraries: libraries('talks') }),
      {},
      {
        fetch: async (request) => {
          asked.push(request);
          if (request.url.includes('down')) throw Object.assign(new Error('host is down'), { code: 'ECONNREFUSED' });
          const headers = { 'x-kind': 'test', 'content-encoding': 'gzip' };
          return { url: request.url, status: 200, statusText: 'OK', headers, body: Buffer.from('{"a":1}') };
        },
      },
    );
    return { asked, result };
  };

  test('with fetch uses the broker', async () => {
    const { asked, result } = call(`byFetch('https://api.example/f')`);
    expect(await result).toEqual({ a: 1 });
    expect(asked).toEqual([{ url: 'https://api.example/f', method: 'GET', headers: {} }]);
  });

  test('with http.get uses the broker', async () => {
    const { asked, result } = call(`byGet('http://api.example/g')`);
    expect(await result).toEqual([200, 'test', '{"a":1}']);
    expect(asked).toEqual([{ url: 'http://api.example/g', method: 'GET', headers: {} }]);
  });

  test('with https.request uses the broker, with its body', async () => {
    const { asked, result } = call(`byRequest('body')`);
    expect(await result).toEqual([200, 'test', '{"a":1}']);
    expect(asked).toEqual([
      {
        url: 'https://api.example:8443/post?x=1',
        method: 'POST',
        headers: { 'x-a': 'b', 'content-type': 'text/plain' },
        body: Buffer.from('body!'),
      },
    ]);
  });

  test('gets the error of a failed request', async () => {
    await expect(call(`byGet('http://down.example')`).result).rejects.toMatchObject({ message: 'host is down' });
  });
});

describe('a library that is not installed', () => {
  const absent = [{ name: 'axios', entry: '', folders: [], missing: true }];
  const failure = {
    code: 'LIBRARY_MISSING',
    message: "Library 'axios' is not installed",
    hint: expect.stringContaining('npm install axios'),
  };

  test.each([
    [`libraries.axios.get('https://api.example')`],
    ['libraries.axios()'],
    ['new libraries.axios()'],
    [`await __schemakitImport('axios')`],
    ['Object.getPrototypeOf(libraries.axios)'],
  ])('fails by its name: %s', async (code) => {
    await expect(callHook(hookOf(code, { libraries: absent }))).rejects.toMatchObject(failure);
  });

  test('does not affect handlers that do not use it', async () => {
    const source = `const handlers = ({ libraries: { axios } }) => ({ tool: { executeRequest: async () => 1 } });`;
    expect(await callHook(programOf(source, { libraries: absent }))).toBe(1);
  });

  test('exposes no class of the host to handlers', async () => {
    const body = `try { libraries.axios.get } catch (error) { return Object.getPrototypeOf(error) === Error.prototype }`;
    expect(await callHook(hookOf(body, { libraries: absent }))).toBe(true);
  });
});

test('a library without a default export keeps its state when it is imported', async () => {
  const packages = await installPackages({
    'counts/package.json': '{"name":"counts","type":"module","main":"index.js"}',
    'counts/index.js': 'export const state = { calls: 0 }; export const count = () => ++state.calls;',
  });
  const libraries = [packages.libraryOf('counts', 'counts/index.js')];
  const body = `const { default: counts } = await __schemakitImport('counts'); counts.count(); return counts.count()`;
  expect(await callHook(hookOf(body, { libraries }))).toBe(2);
  await packages.remove();
});

describe('a built-in module', () => {
  const cases: [string, string, unknown][] = [
    ['crypto', `m.createHash('md5').update('').digest('hex')`, 'd41d8cd98f00b204e9800998ecf8427e'],
    ['crypto', `m.randomBytes(8).length`, 8],
    ['zlib', `m.gunzipSync(m.gzipSync('packed')).toString()`, 'packed'],
    [
      'zlib',
      `new Promise((resolve) => m.inflate(m.deflateSync('x'), (error, result) => resolve(String(result))))`,
      'x',
    ],
    ['buffer', `m.Buffer.from('aGk=', 'base64').toString()`, 'hi'],
    ['path', `m.join('/a', '../b.txt') + m.extname('c.json')`, '/b.txt.json'],
    ['url', `new m.URL('?x=1', 'https://a.example').href`, 'https://a.example/?x=1'],
    ['url', `m.parse('https://a.example/b?x=1').pathname`, '/b'],
    ['url', `Object.getPrototypeOf(m.parse('https://a.example')) === Object.prototype`, true],
    [
      'crypto',
      `(() => {
        const [one, two] = [m.createECDH('prime256v1'), m.createECDH('prime256v1')];
        const shared = [one.computeSecret(two.generateKeys() && one.generateKeys() && two.getPublicKey(), null, 'hex')];
        return shared[0] === two.computeSecret(one.getPublicKey(), null, 'hex') && one.setPrivateKey(one.getPrivateKey()) === undefined;
      })()`,
      true,
    ],
    [
      'crypto',
      `(() => {
        const encoding = { publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: { type: 'pkcs8', format: 'pem' } };
        const { publicKey, privateKey } = m.generateKeyPairSync('ed25519', encoding);
        const data = Buffer.from('text');
        return m.verify(null, data, publicKey, m.sign(null, data, privateKey));
      })()`,
      true,
    ],
    [
      'crypto',
      `(() => { try { m.generateKeyPairSync('ed25519'); } catch (error) { return error.message; } })()`,
      'generateKeyPairSync needs publicKeyEncoding and privateKeyEncoding here',
    ],
    ['querystring', `m.stringify({ a: 'b c', d: [1, 2] })`, 'a=b%20c&d=1&d=2'],
    ['util', `m.promisify((x, done) => done(null, x + 1))(1)`, 2],
    ['util', `m.format('%s is %d', 'x', 2)`, 'x is 2'],
  ];

  test.each(cases)('%s works as a declared library and imported: %s', async (name, expression, expected) => {
    const builtin = { name, entry: '', folders: [] };
    expect(
      await callHook(hookOf(`const m = libraries['${name}']; return await ${expression}`, { libraries: [builtin] })),
    ).toBe(expected);
    expect(
      await callHook(hookOf(`const m = await __schemakitImport('node:${name}'); return await ${expression}`)),
    ).toBe(expected);
    expect(
      await callHook(hookOf(`const { default: m } = await __schemakitImport('${name}'); return await ${expression}`)),
    ).toBe(expected);
  });

  test('signs as real providers require', async () => {
    const body = `
      const { createHmac } = await __schemakitImport('crypto');
      const key = await crypto.subtle.importKey('raw', new TextEncoder().encode('key'), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
      const web = Buffer.from(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode('text'))).toString('hex');
      return [createHmac('sha256', 'key').update('text').digest('hex') === web, Object.getOwnPropertySymbols(key).length, key.type]`;
    expect(await callHook(hookOf(body))).toEqual([true, 0, 'secret']);
  });

  test('does not expose emitters of Node.js', async () => {
    const body = `
      const { createHash, createHmac, createCipheriv } = await __schemakitImport('crypto');
      const made = [createHash('md5'), createHmac('md5', 'k'), createCipheriv('aes-128-cbc', Buffer.alloc(16), Buffer.alloc(16))];
      return made.map((object) => Object.getPrototypeOf(object) === Object.prototype)`;
    expect(await callHook(hookOf(body))).toEqual([true, true, true]);
  });

  test('limits what it decompresses', async () => {
    const body = `const zlib = await __schemakitImport('zlib'); return zlib.gunzipSync(Buffer.from(context.bomb)).length`;
    const { gzipSync } = await import('node:zlib');
    const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024));
    await expect(callHook(hookOf(body), { bomb })).rejects.toMatchObject({
      message: expect.stringContaining('67108864'),
    });
  });

  test.each(['stream', 'node:stream'])('%s works if it is declared', async (name) => {
    const body = `
      const { Readable, Transform, promises } = libraries['${name}'];
      const seen = [];
      const louder = new Transform({ objectMode: true, transform(text, _, done) { done(null, text.toUpperCase()); } });
      await promises.pipeline(Readable.from(['a', 'b']), louder, async (chunks) => { for await (const chunk of chunks) seen.push(chunk); });
      const { PassThrough } = await __schemakitImport('stream');
      return [seen.join(''), typeof PassThrough, typeof process]`;
    const libraries = [{ name, entry: '', folders: [] }];
    expect(await callHook(hookOf(body, { libraries }))).toEqual(['AB', 'function', 'undefined']);
    await expect(callHook(hookOf(`return await __schemakitImport('${name}')`))).rejects.toMatchObject({
      code: 'HANDLER_THREW',
      message: expect.stringContaining('requiredLibraries'),
    });
  });

  test.each(['fs', 'node:child_process', 'net', 'vm', 'stream/web', 'toString', '__proto__'])(
    '%s is not available',
    async (name) => {
      const declared = callHook(hookOf('return 1', { libraries: [{ name, entry: '', folders: [] }] }));
      await expect(declared).rejects.toMatchObject({ code: 'LIBRARY_UNUSABLE' });
      await expect(callHook(hookOf(`return await __schemakitImport('${name}')`))).rejects.toMatchObject({
        code: 'HANDLER_THREW',
      });
    },
  );
});

test('programs without packages share a host with a compartment each', async () => {
  const one = programOf(
    'let seen = 0; const handlers = () => ({ tool: { executeRequest: async () => (seen += 1) } });',
  );
  const two = programOf(
    'let seen = 10; const handlers = () => ({ tool: { executeRequest: async () => (seen += 1) } });',
  );
  expect([await callHook(one), await callHook(two), await callHook(one)]).toEqual([1, 11, 2]);
});
