import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeTar } from './fixtures/tar-file.ts';
import { readTar } from './read-tar.ts';

const tar = makeTar([
  { path: 'a.mjs', text: 'first' },
  { path: 'folder/', type: '5' },
  { path: 'folder/b.mjs', text: 'x'.repeat(600) },
  { path: 'c.mjs', type: '2', target: '/etc/passwd' },
]);

test('members are read with their kinds, without folders', () => {
  const reading = readTar(tar);
  expect(reading.ok && reading.members.map(({ path, kind, bytes }) => [path, kind, bytes.length])).toEqual([
    ['a.mjs', 'file', 5],
    ['folder/b.mjs', 'file', 600],
    ['c.mjs', 'link', 0],
  ]);
});

test('a size that lies is noticed', () => {
  const lying = makeTar([{ path: 'a.mjs', text: 'first' }]).subarray(0, 512 + 3);
  expect(readTar(lying)).toMatchObject({ ok: false });
});

test.each(['', 'not an archive'])('what is too short for a tar file is none: %j', (text) => {
  expect(readTar(Buffer.from(text))).toMatchObject({ ok: false });
});

test('whatever is in a file, reading it ends and never throws', () => {
  const change = fc.tuple(fc.nat(tar.length - 1), fc.nat(255));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), fc.nat(tar.length), fc.boolean(), (changes, length, mends) => {
      const bytes = Buffer.from(tar.subarray(0, length));
      for (const [at, value] of changes) if (at < length) bytes[at] = value;
      if (mends) mendChecksums(bytes);
      const reading = readTar(bytes);
      if (!reading.ok) return;
      for (const { path, bytes: content } of reading.members) {
        expect(path).toBeTypeOf('string');
        expect(content.length).toBeLessThanOrEqual(length);
      }
    }),
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
