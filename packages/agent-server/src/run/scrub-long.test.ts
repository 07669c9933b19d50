import { createScrubber } from '@schemakit/http';
import { expect, it } from 'vitest';
import { scrubLong } from './scrub-long.ts';

const secret = 'sk-secret-0123456789';
const scrub = createScrubber([secret]);

it.each([199_990, 200_000, 400_010])('masks a secret wherever a long text is cut (%i)', async (at) => {
  const lines = 'a line\n'.repeat(90_000);
  const text = `${lines.slice(0, at)}${secret}${lines.slice(at)}`;
  const { signal } = new AbortController();
  expect(await scrubLong(text, scrub, signal)).toBe(scrub(text));
});

it('lets other work go on, and stops', async () => {
  const gone = new AbortController();
  setImmediate(() => gone.abort());
  await expect(scrubLong('a line\n'.repeat(1_000_000), scrub, gone.signal)).rejects.toThrow('aborted');
});
