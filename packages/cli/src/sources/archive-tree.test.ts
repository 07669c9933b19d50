import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readArchive } from './archive-tree.ts';
import { makeTar } from './fixtures/tar-file.ts';

const tar = makeTar([
  { path: 'a.mjs', text: 'first' },
  { path: 'folder/', type: '5' },
  { path: 'folder/b.mjs', text: 'x'.repeat(600) },
  { path: 'c.mjs', type: '2', target: '/etc/passwd' },
]);

const read = (bytes: Uint8Array) => readArchive(bytes, { name: 'x.tar' });

test('members are read with their kinds, without folders', async () => {
  const tree = await read(tar);
  const entries = tree.ok ? [...tree.value.entries] : [];
  expect(entries.map(([path, { kind, bytes }]) => [path, kind, bytes])).toEqual([
    ['a.mjs', 'file', 5],
    ['folder/b.mjs', 'file', 600],
    ['c.mjs', 'link', 0],
  ]);
});

test('a wrong size is detected', async () => {
  const lying = makeTar([{ path: 'a.mjs', text: 'first' }]).subarray(0, 512 + 3);
  expect(await read(lying)).toMatchObject({ ok: false, finding: { code: 'SRC017' } });
});

test.each(['', 'not an archive'])('text too short for a tar file is refused: %j', async (text) => {
  expect(await read(Buffer.from(text))).toMatchObject({ ok: false, finding: { code: 'SRC017' } });
});

test('reading any file ends and never throws', async () => {
  const change = fc.tuple(fc.nat(tar.length - 1), fc.nat(255));
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 20 }),
      fc.nat(tar.length),
      fc.boolean(),
      async (changes, length, mends) => {
        const bytes = Buffer.from(tar.subarray(0, length));
        for (const [at, value] of changes) if (at < length) bytes[at] = value;
        if (mends) mendChecksums(bytes);
        const tree = await read(bytes);
        if (!tree.ok) return;
        const contents = await tree.value.read([...tree.value.entries.keys()]);
        for (const [path, content] of contents) {
          expect(path).toBeTypeOf('string');
          expect(content.length).toBeLessThanOrEqual(length);
        }
      },
    ),
    { numRuns: 3000 },
  );
});

/** So that a broken header gets past the first check. */
function mendChecksums(bytes: Buffer): void {
  for (let at = 0; at + 512 <= bytes.length; at += 512) {
    bytes.write('        ', at + 148);
    const sum = bytes.subarray(at, at + 512).reduce((total, byte) => total + byte, 0);
    bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, at + 148);
  }
}
