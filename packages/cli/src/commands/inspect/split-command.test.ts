import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitCommand } from './read-target.ts';

test.each([
  ['node server.js', ['node', 'server.js']],
  ['  node   "my server.js" ', ['node', 'my server.js']],
  [`node -e 'a "b" c'`, ['node', '-e', 'a "b" c']],
  ['node a\\ b', ['node', 'a b']],
  ['node --name="two words"', ['node', '--name=two words']],
  ['', []],
])('splits %s', (command, words) => {
  expect(splitCommand(command)).toEqual(words);
});

test.each(["'unclosed", 'node "a', 'node \\'])('returns undefined for %s, which does not end', (command) => {
  expect(splitCommand(command)).toBeUndefined();
});

test('restores any quoted words', () => {
  const word = fc.string().filter((text) => !text.includes("'"));
  fc.assert(
    fc.property(fc.array(word), (words) => {
      expect(splitCommand(words.map((text) => `'${text}'`).join(' '))).toEqual(words);
    }),
  );
});
