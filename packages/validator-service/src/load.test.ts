import { expect, it } from 'vitest';
import { listen } from '../../validator/fixtures/loopback.ts';
import { serveScript } from '../../validator/fixtures/scripted-server.ts';
import { serve } from '../fixtures/service.ts';

const checks = 200;

it(`${checks} checks at once of slow targets all get an answer, in bounded time and memory`, {
  timeout: 240_000,
}, async () => {
  const hanging = await listen(() => {});
  const slow = await listen((_, response) => {
    const timer = setTimeout(() => response.writeHead(404).end(), 100);
    response.on('close', () => clearTimeout(timer));
  });
  const good = await serveScript({});
  const targets = [hanging.endpoint, slow.endpoint, good.endpoint];
  const { post, request } = await serve({ maxRunning: 20 });
  const begin = performance.now();
  const before = process.memoryUsage().rss;
  let peak = before;
  let isOver = false;
  const all = Promise.all(
    Array.from({ length: checks }, (_, index) => post('/api/assess', { url: targets[index % 3], timeout: 1000 })),
  ).finally(() => {
    isOver = true;
  });
  let slowest = 0;
  while (!isOver) {
    const asked = performance.now();
    expect((await request('/healthz')).status).toBe(200);
    slowest = Math.max(slowest, performance.now() - asked);
    peak = Math.max(peak, process.memoryUsage().rss);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const answers = await all;
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(new Set(answers.map(({ json }) => json.reportId)).size).toBe(checks);
  expect(answers.filter((_, index) => index % 3 === 2).every(({ json }) => json.layers.mcp !== undefined)).toBe(true);
  // 10 rounds of a second each, and a loaded machine.
  expect(performance.now() - begin).toBeLessThan(120_000);
  expect(slowest).toBeLessThan(5000);
  expect(peak - before).toBeLessThan(600 * 1024 * 1024);
  expect((await request('/metrics')).text).toMatch(/jobs_running 0\n/);
});
