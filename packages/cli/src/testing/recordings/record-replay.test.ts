import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
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
