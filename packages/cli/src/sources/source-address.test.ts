import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readAddress } from './source-address.ts';

const git = (url: string, more: object = {}) => ({ type: 'git', url, ...more });

describe('parses an address:', () => {
  test.each([
    ['https://github.com/example/tides', git('https://github.com/example/tides.git')],
    ['https://github.com/example/tides/', git('https://github.com/example/tides.git')],
    ['https://www.github.com/example/tides.git', git('https://github.com/example/tides.git')],
    ['https://github.com/example/tides?tab=readme#top', git('https://github.com/example/tides.git')],
    [
      'https://github.com/example/tides/tree/next/schemas/v3',
      git('https://github.com/example/tides.git', { tree: 'next/schemas/v3' }),
    ],
    ['https://github.com/example/tides/tree/a%20b', undefined],
    ['https://gitlab.com/example/group/tides', git('https://gitlab.com/example/group/tides.git')],
    [
      'https://gitlab.com/example/tides/-/tree/main/schemas',
      git('https://gitlab.com/example/tides.git', { tree: 'main/schemas' }),
    ],
    ['https://git.example.com/a/b/-/tree/v1.0', git('https://git.example.com/a/b.git', { tree: 'v1.0' })],
    ['https://git.example.com/tides.git', git('https://git.example.com/tides.git')],
    ['git@github.com:example/tides.git', git('git@github.com:example/tides.git')],
    ['ssh://git@example.com:2222/tides.git', git('ssh://git@example.com:2222/tides.git')],
    ['file:///srv/tides.git', git('file:///srv/tides.git')],
    ['https://example.com/tides-1.0.tar.gz', { type: 'archive', url: 'https://example.com/tides-1.0.tar.gz' }],
    ['https://example.com/a/registry.json?v=2', { type: 'registry', url: 'https://example.com/a/registry.json?v=2' }],
    ['./tides', { type: 'folder', url: resolve('tides') }],
    ['/srv/tides.tgz', { type: 'archive', url: '/srv/tides.tgz' }],
  ])('%s', (text, expected) => {
    const reading = readAddress(text);
    expect(reading.ok ? reading.value : undefined).toEqual(expected);
  });
});

describe('refuses an address:', () => {
  test.each([
    [''],
    ['-oProxyCommand=touch${IFS}/tmp/x'],
    ['--upload-pack=touch /tmp/x'],
    ['ext::sh -c touch% /tmp/x'],
    ['git://example.com/tides.git'],
    ['ftp://example.com/tides.git'],
    ['javascript:alert(1)'],
    ['ssh://-oProxyCommand=touch/x'],
    ['ssh://-l@example.com/x'],
    ['https://token@example.com/tides.git'],
    ['https://user:secret@example.com/tides.git'],
    ['ssh://git:secret@example.com/tides.git'],
    ['file://server/share/tides.git'],
    ['https://github.com/example'],
    ['https://github.com/example/tides/issues/1'],
    ['https://github.com/example/tides/tree/--upload-pack=x'],
    ['https://github.com/example/tides/tree/main/../..%2f'],
    ['https://example.com/tides.zip'],
    ['https://example.com/a\nb'],
  ])('%j', (text) => {
    const reading = readAddress(text);
    expect(reading.ok ? reading.value : reading.finding.code).toBe('SRC001');
  });

  test.each(['-x', '--upload-pack=x', 'a b', 'a..b', 'a@{1}', '.a', 'a.lock', 'a:b', 'a\0', 'a/'])(
    'with the branch %j',
    (branch) => {
      expect(readAddress('https://github.com/example/tides', { branch }).ok).toBe(false);
    },
  );

  test('with a branch, if it is not a repository', () => {
    expect(readAddress('./tides', { branch: 'main' }).ok).toBe(false);
  });

  test('without repeating a password', () => {
    const reading = readAddress('https://user:secret@example.com/tides.git');
    expect(JSON.stringify(reading)).not.toContain('secret');
  });
});

test('a given branch separates branch and folder in the address of a page', () => {
  const page = 'https://github.com/example/tides/tree/feature/x/schemas';
  const reading = readAddress(page, { branch: 'feature/x' });
  expect(reading).toEqual({
    ok: true,
    value: git('https://github.com/example/tides.git', { branch: 'feature/x', path: 'schemas' }),
  });
});
