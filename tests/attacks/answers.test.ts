import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type FetchResult, SchemaKit } from '@schemakit/core';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { loadLoopbackSchema } from '../e2e/support/loopback-schema.ts';
import { type AnswerAttack, answerAttacks } from './answers.ts';

/** More than this no caller has to take. */
const muchBytes = 30_000_000;
const longMs = 1000;
const depth = 200_000;

afterEach(() => expect('polluted' in {}).toBe(false));

describe.each(answerAttacks)('an API that $name', ({ answer, outcome }) => {
  test('harms who takes what comes', async () => {
    const api = await startApi(answer);
    expect(await harmsNaive(answer, api)).toBe(true);
  });

  test.each([
    ['without handlers', undefined],
    [
      'with a handler after the answer',
      `() => ({ getThing: { postRequest: async ({ response }) => ({ response }) } })`,
    ],
    [
      'with a handler that fetches',
      `() => ({ getThing: { executeRequest: async ({ payload }) => ({ response: await (await fetch(payload.url)).json() }) } })`,
    ],
  ])(`${outcome}: %s`, async (_, handlers) => {
    const api = await startApi(answer);
    const { main } = await loadLoopbackSchema({ root: api.origin, ...(handlers !== undefined && { handlers }) });
    // Where something else than the deadline has to end it, a busy machine gets its time.
    const timeoutMs = outcome === 'TIMEOUT' ? 500 : 20_000;
    const result = await SchemaKit.fetch({ main, routeName: 'getThing', timeoutMs });
    if (!/^[A-Z_]+$/.test(outcome)) expectPassedOn(result);
    else expect(JSON.stringify(result)).toMatch(messages[outcome] ?? outcome);
    expect(api.sentBytes()).toBeLessThan(muchBytes);
    expect(api.count()).toBeLessThan(20);
  });
});

/** What is told of a failure inside of a handler, where its code is lost. */
const messages: Record<string, RegExp> = {
  TOO_LARGE: /TOO_LARGE|too large|more than \d+ bytes/,
  TIMEOUT: /TIMEOUT|timed out|in time|no answer within/i,
  TOO_MANY_REDIRECTS: /TOO_MANY_REDIRECTS|redirects/,
};

/** Whatever became of it, it can be looked at and written out. */
function expectPassedOn(result: FetchResult): void {
  expect((result.dataAsString ?? '').length).toBeLessThan(muchBytes);
  expect(typeof result.status).toBe('boolean');
}

async function harmsNaive(answer: AnswerAttack['answer'], api: Api): Promise<boolean> {
  const url = `${api.origin}/thing`;
  switch (answer) {
    case 'endless':
    case 'packed':
    case 'packed twice': {
      let taken = 0;
      for await (const chunk of (await fetch(url)).body ?? []) {
        taken += chunk.length;
        if (taken > muchBytes) return true;
      }
      return false;
    }
    case 'silent':
    case 'dripping': {
      const waited = new Promise<boolean>((resolve) => setTimeout(resolve, longMs, true));
      return Promise.race([waited, fetch(url).then(async (response) => (await response.text()) === 'never')]);
    }
    case 'deep': {
      const data: unknown = await (await fetch(url)).json();
      try {
        return JSON.stringify(data) === '';
      } catch (error) {
        return error instanceof RangeError;
      }
    }
    case 'circling': {
      for (let next = url; api.count() < 50; ) {
        const response = await fetch(next, { redirect: 'manual' });
        next = new URL(response.headers.get('location') ?? '', url).href;
      }
      return true;
    }
    case 'polluting': {
      merge({}, (await (await fetch(url)).json()) as Record<string, unknown>);
      const isPolluted = 'polluted' in {};
      Reflect.deleteProperty(Object.prototype, 'polluted');
      return isPolluted;
    }
  }
}

/** Puts one object into another, as many programs do. */
function merge(target: Record<string, unknown>, source: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(source)) {
    if (typeof value === 'object' && value !== null) {
      target[key] ??= {};
      merge(target[key] as Record<string, unknown>, value as Record<string, unknown>);
    } else target[key] = value;
  }
}

interface Api {
  origin: string;
  sentBytes: () => number;
  count: () => number;
}

async function startApi(answer: AnswerAttack['answer']): Promise<Api> {
  let count = 0;
  let sent = 0;
  const server = createServer((request, response) => {
    count += 1;
    const answered = answerWith(answer, request, response);
    response.on('close', () => answered.stop?.());
    const write = response.write.bind(response);
    response.write = (chunk: Buffer) => {
      sent += chunk.length;
      return write(chunk);
    };
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sentBytes: () => sent,
    count: () => count,
  };
}

const million = Buffer.alloc(1_000_000, ' ');
const packed = gzipSync(Buffer.alloc(100_000_000));

function answerWith(
  answer: AnswerAttack['answer'],
  _: IncomingMessage,
  response: ServerResponse,
): { stop?: () => void } {
  const json = { 'content-type': 'application/json' };
  switch (answer) {
    case 'endless': {
      response.writeHead(200, json);
      let isOver = false;
      const more = (): void => {
        if (!isOver && response.write(million)) setImmediate(more);
      };
      response.on('drain', more);
      setImmediate(more);
      return { stop: () => (isOver = true) };
    }
    case 'packed':
      response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(packed);
      return {};
    case 'packed twice':
      response.writeHead(200, { ...json, 'content-encoding': 'gzip, br' }).end(brotliCompressSync(packed));
      return {};
    case 'silent':
      return {};
    case 'dripping': {
      response.writeHead(200, json);
      const timer = setInterval(() => response.write(Buffer.from(' ')), 50);
      return { stop: () => clearInterval(timer) };
    }
    case 'deep':
      response.writeHead(200, json).end('['.repeat(depth) + ']'.repeat(depth));
      return {};
    case 'circling':
      response.writeHead(302, { location: '/thing' }).end();
      return {};
    case 'polluting':
      response.writeHead(200, json).end('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
      return {};
  }
}
