import { afterEach, expect, test, vi } from 'vitest';

const { versions } = process;

afterEach(() => {
  Object.defineProperty(process, 'versions', { value: versions });
  vi.resetModules();
});

test.each(['20.20.2', '22.18.0', '18.0.0'])('Node.js %s gets a line that says what is needed', async (node) => {
  Object.defineProperty(process, 'versions', { value: { ...versions, node } });
  vi.resetModules();
  await expect(import('./index.ts')).rejects.toThrow(`SchemaKit needs Node.js 22.19 or newer; this is ${node}.`);
});

test.each(['22.19.0', '24.0.0', '26.10.0'])('Node.js %s is new enough', async (node) => {
  Object.defineProperty(process, 'versions', { value: { ...versions, node } });
  vi.resetModules();
  expect(Object.keys(await import('./index.ts'))).toContain('createHttpClient');
});
