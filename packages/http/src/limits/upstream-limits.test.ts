import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { clientFor, type Loopback, serveHttp } from '../../fixtures/loopback-server.ts';
import type { HttpClient } from '../http-client.ts';
import type { HttpError } from '../http-error.ts';
import type { HttpOptions } from '../http-options.ts';
import type { BreakerState } from './breaker.ts';
import type { LimitOptions, UpstreamRecord } from './limiter.ts';
import { createUpstreamLimits } from './upstream-limits.ts';

/** A server whose answers the test controls. */
interface HeldServer extends Loopback {
  /** Received requests without an answer, in order. */
  held: { url: string; response: ServerResponse }[];
  /** All received requests. */
  count(): number;
  /** Resolves when this many requests were received. */
  received(count: number): Promise<void>;
  /** Answers the oldest. */
  answer(status?: number, headers?: Record<string, string>): void;
}

async function serveHeld(): Promise<HeldServer> {
  const held: HeldServer['held'] = [];
  let count = 0;
  let onRequest = () => {};
  const server = await serveHttp((request, response) => {
    count += 1;
    const entry = { url: request.url ?? '', response };
    held.push(entry);
    response.on('close', () => {
      const index = held.indexOf(entry);
      if (index >= 0) held.splice(index, 1);
    });
    onRequest();
  });
  return {
    ...server,
    held,
    count: () => count,
    async received(wanted) {
      while (count < wanted) await new Promise<void>((resolve) => (onRequest = resolve));
    },
    answer(status = 200, headers = {}) {
      held.shift()?.response.writeHead(status, headers).end('answer');
    },
  };
}

function open(server: Loopback, options: LimitOptions = {}) {
  const records: UpstreamRecord[] = [];
  const states: BreakerState[] = [];
  const limits = createUpstreamLimits({
    onUpstream: (record) => records.push(record),
    onBreaker: ({ state }) => states.push(state),
    ...options,
  });
  const client: HttpClient = clientFor([server], { limits, retries: 0 });
  const get = (path: string, more?: HttpOptions) => client.request({ url: server.origin + path, method: 'GET' }, more);
  return { client, get, records, states, outcomes: () => records.map(({ outcome }) => outcome) };
}

/** Waits until pending work cannot proceed without the network. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const failure = (request: Promise<unknown>): Promise<HttpError> =>
  request.then(
    () => {
      throw new Error('it succeeded');
    },
    (error) => error,
  );

describe('concurrency', () => {
  it('is respected, and queued requests run in order', async () => {
    const server = await serveHeld();
    const { get, records } = open(server, { concurrency: 2 });
    const answers = ['/1', '/2', '/3', '/4'].map((path) => get(path));
    await server.received(2);
    expect(server.held.map(({ url }) => url).sort()).toEqual(['/1', '/2']);
    for (const [index, total] of [3, 4].entries()) {
      server.answer();
      await server.received(total);
      expect(server.held.map(({ url }) => url)).toContain(`/${index + 3}`);
      expect(server.held).toHaveLength(2);
    }
    server.answer();
    server.answer();
    const waited = (await Promise.all(answers)).map(({ waitedMs }) => waitedMs > 0);
    expect(waited).toEqual([false, false, true, true]);
    expect(records).toHaveLength(4);
    expect(records).toContainEqual({
      origin: server.origin,
      outcome: 'ok',
      status: 200,
      waitedMs: 0,
      durationMs: expect.any(Number),
    });
  });

  it('is separate for each origin', async () => {
    const [one, two] = [await serveHeld(), await serveHeld()];
    const client = clientFor([one, two], { limits: createUpstreamLimits({ concurrency: 1 }) });
    const answers = [one, two].map(({ origin }) => client.request({ url: origin, method: 'GET' }));
    await Promise.all([one.received(1), two.received(1)]);
    one.answer();
    two.answer();
    await Promise.all(answers);
  });

  it('allows aborting a queued request, and ends it at its deadline', async () => {
    const server = await serveHeld();
    const { get, outcomes } = open(server, { concurrency: 1 });
    const first = get('/1');
    await server.received(1);
    const controller = new AbortController();
    const aborted = failure(get('/2', { signal: controller.signal }));
    const late = failure(get('/3', { timeoutMs: 20 }));
    await settled();
    controller.abort();
    expect(await aborted).toMatchObject({ code: 'ABORTED' });
    expect(await late).toMatchObject({ code: 'ETIMEDOUT' });
    expect(outcomes()).toEqual(['cancelled', 'limited']);
    server.answer();
    await first;
    const next = get('/4');
    await server.received(2);
    expect(server.held[0]?.url).toBe('/4');
    server.answer();
    await next;
  });

  it('refuses at once if the queue is full', async () => {
    const server = await serveHeld();
    const { get, outcomes } = open(server, { concurrency: 1, maxQueue: 1 });
    const answers = [get('/1'), get('/2')];
    await server.received(1);
    expect(await failure(get('/3'))).toMatchObject({
      code: 'QUEUE_FULL',
      message: expect.stringContaining('1 requests are waiting'),
      hint: expect.stringMatching(/^Try again in /),
      retryAfterMs: expect.any(Number),
    });
    expect(outcomes()).toEqual(['limited']);
    server.answer();
    await server.received(2);
    server.answer();
    await Promise.all(answers);
  });

  it('does not queue a request that is not allowed', async () => {
    const server = await serveHeld();
    const { get, records } = open(server, { concurrency: 1 });
    expect(await failure(get('/', { policy: {} }))).toMatchObject({ code: 'ADDRESS_BLOCKED' });
    expect(records).toEqual([]);
  });

  it('notifies queued requests', async () => {
    const server = await serveHeld();
    const { get } = open(server, { concurrency: 1 });
    const waits: unknown[] = [];
    const answers = [get('/1'), get('/2', { onWait: (waitMs) => waits.push(waitMs) })];
    await server.received(1);
    expect(waits).toEqual([undefined]);
    server.answer();
    await server.received(2);
    server.answer();
    await Promise.all(answers);
  });
});

describe('a rate', () => {
  it('is respected', async () => {
    const times: number[] = [];
    const server = await serveHttp((_request, response) => {
      times.push(performance.now());
      response.end();
    });
    const { get } = open(server, { requestsPerSecond: 20, burst: 1 });
    const start = performance.now();
    await Promise.all(['/1', '/2', '/3'].map((path) => get(path)));
    expect(times).toHaveLength(3);
    expect(performance.now() - start).toBeGreaterThanOrEqual(98);
  });

  it('refuses requests that would wait too long', async () => {
    const server = await serveHttp((_request, response) => response.end());
    const { get, outcomes } = open(server, { requestsPerSecond: 0.01 });
    await get('/1');
    expect(await failure(get('/2'))).toMatchObject({ code: 'RETRY_LATER', hint: 'Try again in 100 seconds.' });
    expect(outcomes()).toEqual(['ok', 'limited']);
  });
});

describe('Retry-After', () => {
  it.each([429, 503])('of status %i stops later requests, which report for how long', async (status) => {
    const server = await serveHeld();
    const { get } = open(server);
    const first = get('/1');
    await server.received(1);
    server.answer(status, { 'retry-after': '60' });
    expect((await first).status).toBe(status);
    expect(await failure(get('/2'))).toMatchObject({ code: 'RETRY_LATER', hint: 'Try again in 60 seconds.' });
    expect(server.count()).toBe(1);
  });

  it('lets requests wait for a short pause', async () => {
    const server = await serveHeld();
    const { get } = open(server);
    const first = get('/1');
    await server.received(1);
    const start = performance.now();
    server.answer(429, { 'retry-after': '2' });
    await first;
    const waits: (number | undefined)[] = [];
    const second = get('/2', { onWait: (waitMs) => waits.push(waitMs) });
    await server.received(2);
    server.answer();
    expect((await second).waitedMs).toBeGreaterThan(0);
    expect(performance.now() - start).toBeGreaterThan(1990);
    expect(waits).toEqual([expect.any(Number)]);
  });

  it('refuses queued requests that would wait too long', async () => {
    const server = await serveHeld();
    const { get } = open(server, { concurrency: 1 });
    const first = get('/1');
    const second = failure(get('/2'));
    await server.received(1);
    server.answer(503, { 'retry-after': '60' });
    expect(await second).toMatchObject({ code: 'RETRY_LATER' });
    await first;
  });
});

describe('an API that fails', () => {
  const breaker = { failures: 2, pauseMs: 50, maxPauseMs: 50 };

  it('gets no requests after failures in a row, then one trial', async () => {
    const server = await serveHeld();
    const { get, states, outcomes } = open(server, { breaker: { ...breaker, pauseMs: 1000, maxPauseMs: 1000 } });
    for (const path of ['/1', '/2']) {
      const answer = get(path);
      await server.received(path === '/1' ? 1 : 2);
      server.answer(500);
      await answer;
    }
    const refused = await failure(get('/3'));
    expect(refused).toMatchObject({ code: 'CIRCUIT_OPEN', hint: 'Try again in a second.' });
    expect(refused.message).toContain('2 failures in a row, the last one HTTP 500');
    await new Promise((resolve) => setTimeout(resolve, (refused.retryAfterMs ?? 0) + 5));
    const trial = get('/4');
    await server.received(3);
    expect(await failure(get('/5'))).toMatchObject({ code: 'CIRCUIT_OPEN' });
    server.answer();
    await trial;
    const next = get('/6');
    await server.received(4);
    server.answer();
    await next;
    expect(states).toEqual(['open', 'half-open', 'closed']);
    expect(outcomes()).toEqual(['error', 'error', 'open', 'open', 'ok', 'ok']);
  });

  it('refuses queued requests when it opens, and stops retries', async () => {
    const server = await serveHeld();
    const { get } = open(server, { concurrency: 1, breaker: { ...breaker, failures: 1 } });
    const first = get('/1', { retries: 2 });
    const second = failure(get('/2'));
    await server.received(1);
    server.answer(503);
    expect(await second).toMatchObject({ code: 'CIRCUIT_OPEN' });
    expect(await first).toMatchObject({ status: 503, attempts: 1 });
    expect(server.count()).toBe(1);
  });

  it('gets no requests after failed connections too', async () => {
    const server = await serveHttp((request) => request.socket.destroy());
    const { get } = open(server, { breaker });
    expect(await failure(get('/1'))).toMatchObject({ code: 'ECONNRESET' });
    expect(await failure(get('/2'))).toMatchObject({ code: 'ECONNRESET' });
    expect(await failure(get('/3'))).toMatchObject({ code: 'CIRCUIT_OPEN' });
  });

  it.each([400, 401, 404, 429])('has not failed if it answers with %i', async (status) => {
    const server = await serveHttp((_request, response) => response.writeHead(status).end());
    const { get } = open(server, { breaker });
    for (const path of ['/1', '/2', '/3']) expect((await get(path)).status).toBe(status);
  });

  it('has not failed if callers cancel', async () => {
    const server = await serveHeld();
    const { get, states } = open(server, { breaker });
    for (const [index, path] of ['/1', '/2', '/3'].entries()) {
      const controller = new AbortController();
      const given = failure(get(path, { signal: controller.signal }));
      await server.received(index + 1);
      controller.abort();
      expect(await given).toMatchObject({ code: 'ABORTED' });
    }
    expect(states).toEqual([]);
  });

  it('gets requests after any number of failures if the breaker is off', async () => {
    const server = await serveHttp((_request, response) => response.writeHead(500).end());
    const { get } = open(server, { breaker: false });
    for (let i = 0; i < 8; i += 1) expect((await get('/')).status).toBe(500);
  });
});

describe('identical requests', () => {
  it('are sent once', async () => {
    const server = await serveHeld();
    const { get, outcomes } = open(server);
    const answers = [get('/same'), get('/same'), get('/same')];
    await server.received(1);
    await settled();
    server.answer();
    const [one, two] = await Promise.all(answers);
    expect(server.count()).toBe(1);
    expect(outcomes()).toEqual(['ok', 'shared', 'shared']);
    one?.body.fill(0);
    expect(two?.text()).toBe('answer');
    expect(two?.headers).not.toBe(one?.headers);
  });

  it('are sent again after the answer', async () => {
    const server = await serveHttp((_request, response) => response.end());
    const { get, outcomes } = open(server);
    await get('/same');
    await get('/same');
    expect(outcomes()).toEqual(['ok', 'ok']);
  });

  it('differ with other headers, methods, bodies or options', async () => {
    const server = await serveHeld();
    const { client, get } = open(server);
    const url = `${server.origin}/same`;
    const answers = [
      get('/same'),
      client.request({ url, method: 'GET', headers: { authorization: 'another' } }),
      client.request({ url, method: 'HEAD' }),
      client.request({ url, method: 'POST' }),
      client.request({ url, method: 'POST' }),
      get('/same', { policy: { privateOrigins: [server.origin] } }),
      get('/same', { secretValues: ['another'] }),
      get('/same', { maxBytes: 1000 }),
    ];
    await server.received(8);
    for (let i = 0; i < 8; i += 1) server.answer();
    await Promise.all(answers);
  });

  it('are not cancelled with the one that started the exchange', async () => {
    const server = await serveHeld();
    const { get } = open(server);
    const [first, second] = [new AbortController(), new AbortController()];
    const given = failure(get('/same', { signal: first.signal }));
    await server.received(1);
    const kept = get('/same', { signal: second.signal });
    await settled();
    first.abort();
    expect(await given).toMatchObject({ code: 'ABORTED' });
    server.answer();
    expect((await kept).status).toBe(200);
    expect(server.count()).toBe(1);
  });

  it('end if no caller waits for them', async () => {
    const server = await serveHeld();
    const { get } = open(server);
    const controllers = [new AbortController(), new AbortController()];
    const given = controllers.map(({ signal }) => failure(get('/same', { signal })));
    await server.received(1);
    const gone = new Promise((resolve) => server.held[0]?.response.on('close', resolve));
    for (const controller of controllers) controller.abort();
    for (const error of await Promise.all(given)) expect(error).toMatchObject({ code: 'ABORTED' });
    await gone;
    const next = get('/same');
    await server.received(2);
    server.answer();
    await next;
  });

  it('have their own timeout', async () => {
    const server = await serveHeld();
    const { get } = open(server);
    const short = failure(get('/same', { timeoutMs: 100 }));
    await server.received(1);
    const long = get('/same', { timeoutMs: 60_000 });
    expect(await short).toMatchObject({ code: 'ETIMEDOUT' });
    await server.received(2);
    while (server.held.length > 1) await settled();
    server.answer();
    expect((await long).status).toBe(200);
  });

  it('fail together', async () => {
    const server = await serveHeld();
    const { get } = open(server);
    const answers = [failure(get('/same')), failure(get('/same'))];
    await server.received(1);
    server.held[0]?.response.destroy();
    for (const error of await Promise.all(answers)) expect(error).toMatchObject({ code: 'ECONNRESET' });
  });

  it('are sent separately if requested', async () => {
    const server = await serveHeld();
    const { get } = open(server, { singleFlight: false });
    const answers = [get('/same'), get('/same')];
    await server.received(2);
    server.answer();
    server.answer();
    await Promise.all(answers);
  });
});

describe('limits', () => {
  it('apply even if a callback throws', async () => {
    const server = await serveHttp((_request, response) => response.end());
    const onUpstream = () => {
      throw new Error('the observer failed');
    };
    const { get } = open(server, { concurrency: 1, onUpstream });
    await Promise.all(['/1', '/2', '/3'].map((path) => get(path)));
  });

  it('apply even if a callback aborts requests that are being refused', async () => {
    const server = await serveHeld();
    const controllers = [1, 2, 3].map(() => new AbortController());
    const onUpstream = ({ outcome }: UpstreamRecord) => {
      if (outcome === 'open') for (const controller of controllers) controller.abort();
    };
    const { get } = open(server, { concurrency: 1, breaker: { failures: 1, pauseMs: 1 }, onUpstream });
    const first = get('/1');
    const others = controllers.map(({ signal }, index) => failure(get(`/other/${index}`, { signal })));
    await server.received(1);
    server.answer(500);
    await first;
    const codes = (await Promise.all(others)).map(({ code }) => code);
    expect(codes).toEqual(['ABORTED', 'ABORTED', 'ABORTED']);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const trial = get('/2');
    await server.received(2);
    server.answer();
    expect((await trial).status).toBe(200);
  });

  it.each([Number.NaN, -1, 0])('that are invalid (%d) are the defaults', async (value) => {
    const server = await serveHttp((_request, response) => response.end());
    const { get } = open(server, {
      concurrency: value,
      requestsPerSecond: value,
      burst: value,
      breaker: { failures: value },
    });
    expect((await get('/')).status).toBe(200);
  });

  it('apply to redirects', async () => {
    const end = await serveHeld();
    const start = await serveHttp((_request, response) => response.writeHead(302, { location: end.origin }).end());
    const limits = createUpstreamLimits({ concurrency: 1 });
    const client = clientFor([start, end], { limits });
    const answers = ['/1', '/2'].map((path) => client.request({ url: start.origin + path, method: 'GET' }));
    await end.received(1);
    await settled();
    expect(end.held).toHaveLength(1);
    end.answer();
    await end.received(2);
    end.answer();
    await Promise.all(answers);
  });
});
