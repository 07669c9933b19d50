import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHttpClient, HttpError, interceptRequests } from '@schemakit/http';
import { expect, onTestFinished, test } from 'vitest';
import { openRecordingSession } from './record-replay.ts';

/** A server that does not answer, or closes connections. */
async function brokenServer(): Promise<string> {
  const server = createServer((request) => {
    if (request.url === '/cut') request.socket.destroy();
  });
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  ['ETIMEDOUT', '/silent'],
  ['ECONNRESET', '/cut'],
  ['PROTOCOL_BLOCKED', 'ftp://example.com/'],
  ['ADDRESS_BLOCKED', 'http://169.254.169.254/'],
])('replays the failure %s as it was, with its detail and its hint', async (code, address) => {
  const server = await brokenServer();
  const folder = await mkdtemp(join(tmpdir(), 'schemakit-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'recording.json');
  const client = createHttpClient({ timeoutMs: 50, policy: { privateOrigins: [server] } });
  onTestFinished(() => client.close());
  const url = new URL(address, server).href;
  const fail = async (kind: 'record' | 'replay') => {
    const opened = await openRecordingSession({ kind, path, about: {}, secrets: [] });
    if (!('session' in opened)) throw new Error('There is no session.');
    const error = await interceptRequests(opened.session.intercept, () => client.request({ url, method: 'GET' })).catch(
      (thrown) => thrown,
    );
    expect(await opened.session.finish(true)).toEqual([]);
    expect(error).toBeInstanceOf(HttpError);
    const { message, hint } = error as HttpError;
    return { code: (error as HttpError).code, message, hint };
  };
  const recorded = await fail('record');
  expect(recorded.code).toBe(code);
  expect(await fail('replay')).toEqual(recorded);
});

test('a request that was not recorded is compared with one to the same address', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'schemakit-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'recording.json');
  const exchange = (url: string, json: object) => ({
    request: { method: 'POST', url, headers: { 'content-type': 'application/json' }, body: { json } },
    answer: { status: 200, headers: {}, body: { json: {} } },
  });
  const url = 'https://model.example.com/v1/messages';
  const exchanges = [exchange('https://api.example.com/height', { a: 1, b: 2 }), exchange(url, { a: 2, b: 3 })];
  await writeFile(path, JSON.stringify({ version: 1, exchanges }));
  const opened = await openRecordingSession({ kind: 'replay', path, about: {}, secrets: [] });
  if (!('session' in opened)) throw new Error('There is no session.');
  const client = createHttpClient({});
  onTestFinished(() => client.close());
  const request = { url, method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1,"b":2}' };
  await interceptRequests(opened.session.intercept, () => client.request(request)).catch(() => undefined);
  const [finding] = await opened.session.finish(false);
  expect(finding?.message).toContain('body.a: requested 1, recorded 2; body.b: requested 2, recorded 3');
  expect(finding?.hint).toMatch(/^The recording is of an older request.*record the test again/);
});
