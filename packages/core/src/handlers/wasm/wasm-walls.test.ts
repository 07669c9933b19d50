import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import type { FetchBroker } from '../answer-fetch.ts';
import { callHook, hookOf, noNetwork } from '../fixtures/program.ts';
import { callHandler } from '../handler-call.ts';
import { closeHandlerHosts } from '../run-in-host.ts';

afterAll(closeHandlerHosts);

const program = (body: string) => hookOf(body, { wall: 'wasm' });
const run = (body: string, visible = {}, rest = {}) => callHook(program(body), visible, rest);

describe('what never ends in WebAssembly ends at its deadline, and keeps nobody waiting', () => {
  test.each([
    ['a loop', 'for (;;);'],
    ['a pattern', `return /^(a+)+$/.test('a'.repeat(60) + '!')`],
    ['microtasks', 'const again = () => Promise.resolve().then(again); again(); await new Promise(() => {})'],
    ['a function of the engine', `return Array(2 ** 31).join('ab').length`],
    [
      'a sort',
      `return Array.from({ length: 1e6 }, (_, i) => i).sort(() => { for (let i = 0; i < 1000; i += 1); return 1 }).length`,
    ],
    [
      'a key that is derived',
      `const key = await crypto.subtle.importKey('raw', new Uint8Array(8), 'PBKDF2', false, ['deriveBits']);
      return await crypto.subtle.deriveBits({ name: 'PBKDF2', salt: new Uint8Array(8), iterations: 2e9, hash: 'SHA-512' }, key, 512)`,
    ],
    ['a wait', 'await new Promise(() => {})'],
    ['a getter of the answer', 'return { get value() { for (;;); } }'],
  ])('%s', async (_, body) => {
    const looping = program(`if (context.again) return 'again'; ${body}`);
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 5);
    const outcome = callHook(looping, {}, { timeoutMs: 300 });
    await expect(outcome).rejects.toMatchObject({ code: 'HANDLER_TIMEOUT' });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
    expect(await callHook(looping, { again: true })).toBe('again');
  });
});

describe('what is nested too deeply in WebAssembly is an error that a handler can catch', () => {
  test.each([
    ['a text', `JSON.parse('['.repeat(1e6))`],
    ['a text with an end', `JSON.parse('['.repeat(1e5) + ']'.repeat(1e5))`],
    ['an object', `let nested = []; for (let i = 0; i < 1e5; i += 1) nested = [nested]; JSON.stringify(nested)`],
  ])('%s', async (_, work) => {
    expect(await run(`try { ${work}; return 'read' } catch (error) { return error.name }`)).toMatch(
      /^(Range|Syntax)Error$/,
    );
  });

  test('and what hosts read is read', async () => {
    expect(await run(`return JSON.parse('['.repeat(20000) + ']'.repeat(20000)).length`)).toBe(1);
  });
});

test('a timer in WebAssembly that is too far away fires at once, as in Node.js', async () => {
  const wait =
    'await Promise.all([2 ** 31, Infinity].map((delay) => new Promise((resolve) => setTimeout(resolve, delay))))';
  expect(await run(`${wait}; return 'fired'`)).toBe('fired');
});

describe('what takes too much memory in WebAssembly', () => {
  test.each([
    ['step by step', 'const kept = []; for (;;) kept.push(new Array(1000).fill(kept.length))'],
    ['at once', `return 'x'.repeat(2 ** 28).length`],
    ['as bytes', 'const kept = []; for (;;) kept.push(new Uint8Array(10_000_000).fill(1))'],
  ])('%s, ends its VM and no other', async (_, body) => {
    // With more schemas than workers, an idle one would make room.
    await closeHandlerHosts();
    const other = program(`globalThis.calls = (globalThis.calls ?? 0) + 1; return globalThis.calls /* ${body} */`);
    expect(await callHook(other)).toBe(1);
    await expect(run(body)).rejects.toMatchObject({
      code: 'HANDLER_CRASHED',
      message: 'The WebAssembly host of executeRequest of tool of demo ended: it needed more than 128 MiB of memory',
    });
    expect(await callHook(other)).toBe(2);
  });

  test('in an argument that is nested too deeply, fails its call and leaves its VM', async () => {
    const other = program(`globalThis.calls = (globalThis.calls ?? 0) + 1; return globalThis.calls`);
    let deep: unknown = 1;
    for (let level = 1; level <= 3000; level += 1) {
      deep = [deep];
      // At one of these the engine gives up, and at a deeper one ours does.
      if (level % 500 === 0) await callHook(other, { deep }).catch(() => undefined);
    }
    await expect(callHook(other, { deep })).rejects.toMatchObject({ code: 'HANDLER_ARGUMENT_INVALID' });
    expect(await callHook(other)).toBeGreaterThan(1);
  });

  test('on the stack is an error like any other', async () => {
    const body = `const deeper = () => deeper() + 1; try { deeper() } catch (error) { return error.name }`;
    expect(await run(body)).toBe('RangeError');
  });
});

describe('a VM', () => {
  const counting = 'const before = globalThis.calls ?? 0; globalThis.calls = before + 1;';

  test('has one call at a time, and takes the next one of its program with what the last one left', async () => {
    const counted = program(`${counting} if (context.asks) await fetch('https://a.example'); return before`);
    expect(await callHook(counted)).toBe(0);
    expect(await callHook(counted)).toBe(1);
    const { promise: asked, resolve: onAsk } = Promise.withResolvers<void>();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const fetch: FetchBroker = async ({ url }) => {
      onAsk();
      await answered;
      return { url, status: 200, statusText: '', headers: {}, body: new Uint8Array() };
    };
    const open = callHook(counted, { asks: true }, { fetch });
    await asked;
    // Another VM.
    expect(await callHook(counted)).toBe(0);
    answer();
    expect(await open).toBe(2);
  });

  test('that was cancelled takes no other call', async () => {
    const cancelled = program(
      `${counting} if (context.waits) { console.log('waits'); await new Promise(() => {}) } return before`,
    );
    expect(await callHook(cancelled)).toBe(0);
    const controller = new AbortController();
    const onLog = () => controller.abort();
    const outcome = callHook(cancelled, { waits: true }, { signal: controller.signal, onLog });
    await expect(outcome).rejects.toMatchObject({ code: 'HANDLER_ABORTED' });
    expect(await callHook(cancelled)).toBe(0);
  });

  test('aborts the requests of a call that is cancelled', async () => {
    const { promise: aborted, resolve: onAbort } = Promise.withResolvers<void>();
    const controller = new AbortController();
    const fetch: FetchBroker = (_, signal) => {
      signal.addEventListener('abort', () => onAbort());
      controller.abort();
      return new Promise(() => {});
    };
    const body = `await fetch('https://a.example')`;
    const outcome = run(body, {}, { fetch, signal: controller.signal });
    await expect(outcome).rejects.toMatchObject({ code: 'HANDLER_ABORTED' });
    await aborted;
  });

  test('tells what its code does with secrets', async () => {
    const used: string[] = [];
    const context = {
      visible: { struct: { serverParams: {} } },
      secrets: { KEY: 'token-1234567' },
      hidden: [{ path: ['struct', 'serverParams'], value: { KEY: 'token-1234567' }, watched: true }],
    };
    await callHandler({
      program: program(`const { KEY } = context.struct.serverParams;
        const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(KEY), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
        await crypto.subtle.sign('HMAC', key, new Uint8Array(1));`),
      name: 'tool',
      hook: 'executeRequest',
      context,
      fetch: noNetwork,
      onSecret: (use, name) => used.push(`${use} ${name}`),
    });
    expect(used).toEqual(['read KEY', 'computed KEY']);
  });

  test.each([
    ['Object.prototype', 'Object.prototype.polluted = 1'],
    ['Array.prototype', `Array.prototype.some = () => false`],
    ['String.prototype', `String.prototype.includes = () => false`],
    ['Promise.prototype', `Promise.prototype.then = () => 'stolen'`],
    ['JSON', `JSON.stringify = () => 'stolen'`],
    ['Reflect', `Reflect.apply = () => 'stolen'`],
    ['URL.prototype', 'URL.prototype.stolen = 1'],
    ['crypto.subtle', 'crypto.subtle.sign = () => 1'],
    ['the iterators of lists', 'Object.getPrototypeOf([].values()).next = () => ({ done: true })'],
    ['generators', 'Object.getPrototypeOf(function* () {}).prototype.next = 1'],
    ['how stacks are made', 'Error.prepareStackTrace = () => 1'],
    ['a global', 'globalThis.fetch = () => 1'],
    ['what is inherited', 'Object.setPrototypeOf(Array.prototype, null)'],
  ])('has a language that cannot be changed: %s', async (_, attack) => {
    await expect(run(`${attack}; return 'changed'`)).rejects.toMatchObject({ code: 'HANDLER_THREW' });
  });

  test('has no modules, whoever asks for them', async () => {
    for (const body of [
      `return await (0, eval)("import('node:fs')")`,
      `return await import('./natives.ts')`,
      `return await new Function("return import('/etc/passwd')")()`,
    ]) {
      await expect(run(body)).rejects.toMatchObject({ message: 'There are no modules here' });
    }
  });

  test('says what it does not have, and where that is', async () => {
    await expect(run(`return Buffer.from('x')`)).rejects.toMatchObject({
      code: 'HANDLER_THREW',
      message: 'ReferenceError: Buffer is not defined',
      hint: expect.stringContaining(`isolation: 'process'`),
    });
    await expect(run(`return await __schemakitImport('crypto')`)).rejects.toMatchObject({ code: 'LIBRARY_UNUSABLE' });
  });
});

test('needs no process, and an idle VM keeps none alive', async () => {
  const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const script = `
    const { callHandler } = await import(${url('../handler-call.ts')});
    const program = { id: '', namespace: 'demo', file: '', libraries: [], sharedLists: {}, wall: 'wasm',
      source: 'const handlers = () => ({ tool: { executeRequest: async () => 7 } });' };
    console.log(await callHandler({ program, name: 'tool', hook: 'executeRequest', context: { visible: {}, hidden: [] }, fetch: null }));`;
  const root = fileURLToPath(new URL('../../../../../', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--permission',
    `--allow-fs-read=${root}*`,
    '--allow-worker',
    '--disable-warning=ExperimentalWarning',
    '--conditions=@schemakit/source',
    '--input-type=module',
    '--eval',
    script,
  ]);
  expect(stdout).toBe('7\n');
});
