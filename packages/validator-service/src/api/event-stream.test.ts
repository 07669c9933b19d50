import { describe, expect, it } from 'vitest';
import { listen } from '../../../validator/fixtures/loopback.ts';
import { send, serveScript } from '../../../validator/fixtures/scripted-server.ts';
import { eventsOf, gate, type StreamEvent, serve } from '../../fixtures/service.ts';

const streamOf = (url: string, target: string) => new URL(`/api/assess/stream?url=${encodeURIComponent(target)}`, url);

async function all(response: Response): Promise<StreamEvent[]> {
  return await Array.fromAsync(eventsOf(response));
}

/** A target that answers nobody until its gate opens. */
async function heldTarget() {
  const { opened, open } = gate();
  const { endpoint } = await listen(async (_, response) => {
    await opened;
    send(response, 404, {});
  });
  return { endpoint, open };
}

describe('the stream', () => {
  it('tells each layer as it ends, and last what POST would answer', async () => {
    const { endpoint } = await serveScript({});
    const { url, request } = await serve();
    const response = await fetch(streamOf(url, endpoint));
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const events = await all(response);
    expect(events.map(({ name }) => name)).toEqual([...Array(8).fill('layer'), 'end']);
    const { reportId, layers } = events[8]?.data ?? {};
    for (const { data } of events.slice(0, -1)) expect(data.layer).toEqual(layers[data.name]);
    expect((await request(`/api/reports/${reportId}`)).json.assessment.layers).toEqual(layers);
    expect(new Set(events.map(({ id }) => id)).size).toBe(9);
  });

  it('goes on where a client left it, also after its end', async () => {
    const { endpoint } = await serveScript({});
    const { url } = await serve();
    const events = await all(await fetch(streamOf(url, endpoint)));
    const resume = async (id: string) =>
      await all(await fetch(streamOf(url, endpoint), { headers: { 'last-event-id': id } }));
    expect(await resume(events[3]?.id ?? '')).toEqual(events.slice(4));
    expect(await resume(events[7]?.id ?? '')).toEqual(events.slice(8));
    // Another address is another check.
    const other = await all(
      await fetch(streamOf(url, `${endpoint}/other`), { headers: { 'last-event-id': events[3]?.id ?? '' } }),
    );
    expect(other).toHaveLength(9);
    // A browser that comes back after the last event is told to stop.
    expect((await fetch(streamOf(url, endpoint), { headers: { 'last-event-id': events[8]?.id ?? '' } })).status).toBe(
      204,
    );
  });

  it('goes on after a broken connection, and the check runs only once', async () => {
    const { endpoint, open } = await heldTarget();
    const { url } = await serve({ maxRunning: 1 });
    const leaving = new AbortController();
    const first = eventsOf(await fetch(streamOf(url, endpoint), { signal: leaving.signal }));
    const waiting = eventsOf(await fetch(streamOf(url, endpoint)));
    const { value: place } = await waiting.next();
    expect(place).toMatchObject({ name: 'queued', data: { position: 1 } });
    const back = fetch(streamOf(url, endpoint), { headers: { 'last-event-id': place?.id ?? '' } });
    const left = expect(first.next()).rejects.toThrow();
    leaving.abort();
    await left;
    open();
    const rest = await Array.fromAsync(waiting);
    expect(await all(await back)).toEqual(rest);
    expect(rest.at(-1)?.name).toBe('end');
  });

  it('starts a new check for an id that it does not know', async () => {
    const { endpoint } = await serveScript({});
    const { url } = await serve();
    for (const id of ['x', 'AAAAAAAAAAAAAAAAAAAAAA.1', `${'x'.repeat(5000)}.1`]) {
      const events = await all(await fetch(streamOf(url, endpoint), { headers: { 'last-event-id': id } }));
      expect(events).toHaveLength(9);
    }
  });

  it('ends with a problem for a target that is no URL', async () => {
    const { url } = await serve();
    expect(await all(await fetch(streamOf(url, 'nonsense')))).toMatchObject([
      { name: 'problem', data: { status: 400, findings: [{ code: 'ASM-004' }] } },
    ]);
  });

  it('is the answer of POST too, for who asks for it', async () => {
    const { endpoint } = await serveScript({});
    const { url } = await serve();
    const response = await fetch(new URL('/api/assess', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ url: endpoint, layers: ['http'], headers: { 'x-own': '1' } }),
    });
    expect((await all(response)).map(({ name }) => name)).toEqual(['layer', 'end']);
  });
});

describe('the queue', () => {
  it('tells the places, which move up, and runs in order', async () => {
    const { endpoint, open } = await heldTarget();
    const { url, request } = await serve({ maxRunning: 1 });
    const counts = async () => (await request('/metrics')).text.match(/jobs_\w+ \d/g);
    const running = fetch(streamOf(url, endpoint));
    const next = async () => eventsOf(await fetch(streamOf(url, endpoint)));
    const second = await next();
    expect((await second.next()).value?.data).toEqual({ position: 1 });
    const third = await next();
    expect((await third.next()).value?.data).toEqual({ position: 2 });
    expect(await counts()).toEqual(['jobs_running 1', 'jobs_waiting 2']);
    open();
    await all(await running);
    expect((await third.next()).value?.data).toEqual({ position: 1 });
    expect((await Array.fromAsync(second)).at(-1)?.name).toBe('end');
    expect((await Array.fromAsync(third)).at(-1)?.name).toBe('end');
    expect(await counts()).toEqual(['jobs_running 0', 'jobs_waiting 0']);
  });

  it('forgets who leaves before it is their turn', async () => {
    const { endpoint, open } = await heldTarget();
    const { url, request, post } = await serve({ maxRunning: 1 });
    const running = post('/api/assess', { url: endpoint });
    const waiting = async (count: number) =>
      expect
        .poll(async () => (await request('/metrics')).text)
        .toContain(`schemakit_validator_jobs_waiting ${count}\n`);
    const leaving = new AbortController();
    await expect.poll(async () => (await request('/metrics')).text).toContain('schemakit_validator_jobs_running 1\n');
    const left = fetch(new URL('/api/validate', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: endpoint }),
      signal: leaving.signal,
    }).catch((error: Error) => error.name);
    await waiting(1);
    leaving.abort();
    expect(await left).toBe('AbortError');
    await waiting(0);
    open();
    expect((await running).status).toBe(200);
  });
});
