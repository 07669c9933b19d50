import { mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { serve, type TestService } from '../../fixtures/service.ts';
import { createService } from '../service.ts';

const folder = (): Promise<string> => mkdtemp(join(tmpdir(), 'reports-'));

const target = { url: 'http://127.0.0.1:1/', layers: ['http'] };

const newReport = async ({ post }: TestService): Promise<string> => (await post('/api/assess', target)).json.reportId;

const isKept = async ({ request }: TestService, id: string): Promise<boolean> =>
  (await request(`/api/reports/${id}`)).status === 200;

it('keeps only so many reports, the newest', async () => {
  const service = await serve({ maxReports: 3 });
  const ids: string[] = [];
  for (let count = 0; count < 5; count++) ids.push(await newReport(service));
  const kept = await Promise.all(ids.map((id) => isKept(service, id)));
  expect(kept).toEqual([false, false, true, true, true]);
  expect((await service.request('/metrics')).text).toContain('schemakit_validator_reports 3\n');
});

it('keeps none where none are wanted', async () => {
  const service = await serve({ maxReports: 0 });
  expect(await isKept(service, await newReport(service))).toBe(false);
});

it('keeps reports for so many days', async () => {
  onTestFinished(() => void vi.useRealTimers());
  const service = await serve({ retentionDays: 2 });
  const id = await newReport(service);
  const day = 24 * 3600_000;
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1.9 * day });
  expect(await isKept(service, id)).toBe(true);
  vi.setSystemTime(Date.now() + 0.2 * day);
  expect(await isKept(service, id)).toBe(false);
  expect((await service.request(`/reports/${id}`)).status).toBe(404);
});

it('keeps reports and sessions over a restart, in a file that others cannot read', async () => {
  const dataDir = join(await folder(), 'new');
  const apiToken = 'a-token-of-a-test';
  const first = await createService({ port: 0, allowPrivateTargets: true, dataDir, apiToken });
  const headers = { authorization: `Bearer ${apiToken}`, 'content-type': 'application/json' };
  const answer = await fetch(`${first.url}/api/assess`, { method: 'POST', headers, body: JSON.stringify(target) });
  const { reportId } = (await answer.json()) as { reportId: string };
  const cookie = (await fetch(first.url)).headers.get('set-cookie')?.split(';')[0] ?? '';
  await first.close();
  const { request } = await serve({ dataDir, apiToken });
  expect((await request(`/api/reports/${reportId}`, { headers: { cookie } })).status).toBe(200);
  for (const name of ['reports.sqlite', 'reports.sqlite-wal'])
    expect((await stat(join(dataDir, name))).mode & 0o077).toBe(0);
});

it('does not start with a file that is none of its own', async () => {
  const dataDir = await folder();
  await writeFile(join(dataDir, 'reports.sqlite'), 'no database, but long enough to be taken for one'.repeat(100));
  await expect(createService({ port: 0, dataDir })).rejects.toThrow(/Cannot keep reports in .*reports\.sqlite/);
  await expect(createService({ port: 0, dataDir: '/proc/none' })).rejects.toThrow(
    /Cannot keep reports in \/proc\/none/,
  );
  await expect(createService({ port: 0, dataDir: join(dataDir, 'reports.sqlite') })).rejects.toThrow(
    /Cannot keep reports/,
  );
});

it('a folder is for one process', async () => {
  const dataDir = await folder();
  await serve({ dataDir });
  await expect(createService({ port: 0, dataDir })).rejects.toThrow('another process uses the file');
});
