import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../validator/fixtures/loopback.ts';
import { send } from '../../validator/fixtures/scripted-server.ts';
import { clientOf, gate, type TestService } from '../fixtures/service.ts';

const command = join(import.meta.dirname, '../bin/schemakit-validator.js');

interface Running extends TestService {
  child: ChildProcess;
  /** What it has written to stderr. */
  log(): string;
  /** The status and signal that it ended with. */
  ended: Promise<[number | null, string | null]>;
}

/** Starts the command, after other commands of a shell if there are any, and waits for its first line or its end. */
async function start(env: Record<string, string> = {}, before: string = 'true'): Promise<Running> {
  const child = spawn('sh', ['-c', `${before}; exec "$0" "$1"`, process.execPath, command], {
    env: { ...process.env, PORT: '0', ALLOW_PRIVATE_TARGETS: '1', RATE_LIMIT: '0', ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log += text;
  });
  const ended = once(child, 'close') as Running['ended'];
  const [line] = await Promise.race([once(child.stdout.setEncoding('utf8'), 'data'), ended]);
  const url = typeof line === 'string' ? (JSON.parse(line) as { url: string }).url : 'http://none.invalid';
  return { ...clientOf(url), child, ended, log: () => log };
}

const folder = (): Promise<string> => mkdtemp(join(tmpdir(), 'reports-'));

const target = { url: 'http://127.0.0.1:1/', layers: ['http'] };

/** A target that answers when its gate opens, and the promise that it was asked. */
async function heldTarget() {
  const { opened, open } = gate();
  const asked = gate();
  const { endpoint } = await listen(async (_, response) => {
    asked.open();
    await opened;
    send(response, 404, {});
  });
  return { endpoint, open, asked: asked.opened };
}

it('logs JSON without secrets, and ends when its checks have ended', async () => {
  const apiToken = 'a-token-of-a-test';
  const { endpoint, open, asked } = await heldTarget();
  const { post, request, child, ended, log } = await start({ API_TOKEN: apiToken });
  expect((await request('/readyz')).json).toEqual({ status: 'ready' });
  const headers = { authorization: `Bearer ${apiToken}` };
  const running = post(
    '/api/assess',
    { url: `${endpoint}?key=query-secret`, layers: ['html'], headers: { 'x-own': 'own-secret' } },
    headers,
  );
  await asked;
  child.kill('SIGTERM');
  await expect.poll(async () => (await request('/readyz')).status).toBe(503);
  expect(await post('/api/assess', target, headers)).toMatchObject({
    status: 503,
    json: { findings: [{ code: 'SVC052' }] },
  });
  open();
  expect(await running).toMatchObject({ status: 200, json: { reportId: expect.any(String) } });
  expect(await ended).toEqual([0, null]);
  const lines = log().trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).msg)).toContain('Answered');
  for (const secret of [apiToken, 'query-secret', 'own-secret', (await running).json.reportId])
    expect(log()).not.toContain(secret);
});

it('names each setting that is wrong, and what it must be', async () => {
  const wrong = {
    PORT: '99999',
    HOST: 'a b',
    API_TOKEN: 'a secret',
    DATA_DIR: '',
    ALLOW_PRIVATE_TARGETS: 'yes',
    PUBLIC_URL: 'https://example.com/path',
    TRUST_PROXY: 'proxy',
    RATE_LIMIT: '-1',
    MAX_RUNNING: '0',
    MAX_REPORTS: 'many',
    RETENTION_DAYS: '0.5',
  };
  const { ended, log } = await start(wrong);
  expect((await ended)[0]).toBe(2);
  const lines = log().trim().split('\n');
  expect(lines.map((line) => line.split(' ')[0])).toEqual(Object.keys(wrong));
  expect(lines[0]).toBe(
    'PORT must be a whole number from 0 to 65535; it is "99999". Correct the environment variable, or unset it.',
  );
  expect(log()).not.toContain('a secret');
});

it('says why it cannot start', async () => {
  const { url } = await start();
  const { port } = new URL(url);
  const taken = await start({ PORT: port });
  expect((await taken.ended)[0]).toBe(1);
  expect(taken.log()).toBe(`Port ${port} of 127.0.0.1 is in use. Set PORT to another, or to 0 for any.\n`);
  const elsewhere = await start({ HOST: '192.0.2.1' });
  expect((await elsewhere.ended)[0]).toBe(1);
  expect(elsewhere.log()).toContain('HOST 192.0.2.1 is not an address of this machine.');
});

it('kill -9 under load loses no report that was kept', async () => {
  const dataDir = await folder();
  const { post, child, ended } = await start({ DATA_DIR: dataDir, MAX_RUNNING: '20' });
  const kept: string[] = [];
  const enough = gate();
  const client = async (): Promise<void> => {
    for (;;) {
      const { json } = await post('/api/assess', target);
      if (kept.push(json.reportId) === 100) enough.open();
    }
  };
  const clients = Promise.allSettled(Array.from({ length: 20 }, client));
  await enough.opened;
  child.kill('SIGKILL');
  expect(await ended).toEqual([null, 'SIGKILL']);
  await clients;
  const { request } = await start({ DATA_DIR: dataDir });
  const found = await Promise.all(kept.map(async (id) => (await request(`/api/reports/${id}`)).status));
  expect(found.length).toBeGreaterThanOrEqual(100);
  expect(new Set(found)).toEqual(new Set([200]));
});

it('goes on when the disk is full, and says that the report is not kept', async () => {
  // Files may have 256 KiB, and a write beyond fails instead of ending the process.
  const { post, request, log } = await start({ DATA_DIR: await folder() }, "trap '' XFSZ; ulimit -f 512");
  const first = await post('/api/assess', target);
  expect(first.json.reportId).toEqual(expect.any(String));
  let last = first;
  while (last.json.reportId !== null) last = await post('/api/assess', target);
  expect(last).toMatchObject({
    status: 200,
    json: { deleteToken: null, layers: { http: {} }, reportProblem: { code: 'SVC060', severity: 'warning' } },
  });
  expect(log()).toContain('A report could not be kept');
  const form = await request('/check', { method: 'POST', body: new URLSearchParams({ url: target.url }) });
  expect(form).toMatchObject({ status: 500, text: expect.stringContaining('could not be kept') });
  expect((await request(`/api/reports/${first.json.reportId}`)).status).toBe(200);
  expect((await request('/healthz')).status).toBe(200);
});
