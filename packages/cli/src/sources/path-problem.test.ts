import { join, relative, sep, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pathCollisions, pathProblem } from './path-problem.ts';

describe('refuses a path that', () => {
  test.each([
    ['is empty', ''],
    ['leads up', '../evil.mjs'],
    ['leads up later', 'a/../../evil.mjs'],
    ['leads up with a backslash', '..\\evil.mjs'],
    ['has a backslash', 'a\\b.mjs'],
    ['is absolute', '/etc/cron.d/evil.mjs'],
    ['names a drive', 'C:/evil.mjs'],
    ['names a drive without a slash', 'C:evil.mjs'],
    ['names a network share', '//server/share/evil.mjs'],
    ['names a home', '~/evil.mjs'],
    ['has an encoded slash', 'a%2fb.mjs'],
    ['has encoded dots', '%2e%2e/evil.mjs'],
    ['has a percent that is encoded itself', '%252e%252e/evil.mjs'],
    ['has an encoded NUL', 'a%00.mjs'],
    ['has a NUL', 'a\0.mjs'],
    ['has a line break', 'a\n.mjs'],
    ['has a character that reverses the direction', 'a\u202Esjm.exe.mjs'],
    ['has a character without width', 'a\u200Bb.mjs'],
    ['has half a surrogate pair', 'a\uD800.mjs'],
    ['has bytes that are no text', 'a\uFFFD.mjs'],
    ['is a device', 'CON'],
    ['is a device with an extension', 'nul.mjs'],
    ['is a device with two extensions', 'a/com1.tar.mjs'],
    ['is a device with a raised digit', 'lpt².mjs'],
    ['is a device with a space', 'aux .mjs'],
    ['has a folder that is a device', 'prn/a.mjs'],
    ['has a stream', 'a.mjs:hidden'],
    ['has a wildcard', 'a*.mjs'],
    ['ends with a dot', 'a.mjs.'],
    ['ends with a space', 'a.mjs '],
    ['has a folder that ends with a dot', 'a./b.mjs'],
    ['has a folder that ends with a space', 'a /b.mjs'],
    ['begins with a space', ' a.mjs'],
    ['has an empty part', 'a//b.mjs'],
    ['ends with a slash', 'a/'],
    ['has a dot for a part', './a.mjs'],
    ['is hidden', '.git/hooks/evil.mjs'],
    ['leads into node_modules', 'node_modules/ethers/index.mjs'],
    ['leads into node_modules in capitals', 'a/Node_Modules/x.mjs'],
    ['is our own file', '_source.json'],
    ['is our own file in a folder', 'a/_source.json'],
    ['is our own file as a folder', 'a/_source.json/b.mjs'],
    ['is our own file in capitals', '_SOURCE.JSON'],
    ['has a long name', `${'a'.repeat(121)}.mjs`],
    ['is long', `${'aaaaaaaaa/'.repeat(20)}a.mjs`],
    ['is not composed', 'cafe\u0301.mjs'],
  ])('%s: %j', (_, path) => {
    expect(pathProblem(path)).toBeTypeOf('string');
  });
});

test.each([
  'tides.mjs',
  'a/b/c.mjs',
  '_lists/evm-chains.mjs',
  'café/æ.mjs',
  'a b/c d.mjs',
  'con1.mjs',
  'console.mjs',
  'x@2.mjs',
  '100%.mjs',
])('an honest path is taken: %j', (path) => {
  expect(pathProblem(path)).toBeUndefined();
});

const piece = fc.oneof(
  fc.constantFrom(
    '..',
    '.',
    '/',
    '\\',
    '%2e',
    '%2f',
    '%5c',
    'C:',
    '~',
    ' ',
    '\0',
    'a',
    '.mjs',
    'con',
    '_',
    '\u2215',
    '\uFF0F',
    '\uFF0E',
  ),
  fc.string({ unit: 'binary', maxLength: 4 }),
);

test('every accepted path stays in its folder, on disk and on the web', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const path = pieces.join('');
      if (pathProblem(path) !== undefined) return;
      expect(relative('/home/sources/x', join('/home/sources/x', path)).split(sep).join('/')).toBe(path);
      expect(win32.relative('C:\\x', win32.join('C:\\x', path)).split('\\').join('/')).toBe(path);
      const url = new URL(`./${path.split('/').map(encodeURIComponent).join('/')}`, 'https://example.com/base/');
      expect(url.pathname.startsWith('/base/') && url.origin === 'https://example.com').toBe(true);
      expect(decodeURIComponent(url.pathname)).toBe(`/base/${path}`);
    }),
    { numRuns: 5000 },
  );
});

describe('paths collide', () => {
  test.each([
    ['in upper and lower case', ['a/Tides.mjs', 'a/tides.mjs'], 'a/tides.mjs'],
    ['in the case of their folders', ['A/x.mjs', 'a/y.mjs'], 'a/y.mjs'],
    ['where one is a folder of the other', ['a.mjs', 'a.mjs/b.mjs'], 'a.mjs/b.mjs'],
    ['where the other is a folder of one', ['a.mjs/b.mjs', 'a.mjs'], 'a.mjs'],
    ['in letters that are one in capitals', ['straße.mjs', 'STRASSE.mjs'], 'STRASSE.mjs'],
    ['in wide letters', ['\uFF54ides.mjs', 'tides.mjs'], 'tides.mjs'],
  ])('%s', (_, paths, expected) => {
    expect([...pathCollisions(paths).keys()]).toEqual([expected]);
  });

  test('not if they differ', () => {
    expect(pathCollisions(['a/x.mjs', 'a/y.mjs', 'b/x.mjs', 'x.mjs'])).toEqual(new Map());
  });
});
