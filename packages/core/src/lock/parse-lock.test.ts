import { describe, expect, test } from 'vitest';
import { mergeGrants, withoutGrants } from './grants.ts';
import { formatLock, type LockEntry, parseLock } from './lock-file.ts';

const hash = `sha256:${'a'.repeat(64)}`;

const entry: LockEntry = {
  source: null,
  revision: null,
  main: hash,
  handlers: null,
  lists: {},
  grants: { network: [], secrets: [] },
  seen: { root: 'https://api.example.com', secrets: [], libraries: [], hooks: [], hosts: [], parts: {} },
};

function textWith(change: Record<string, unknown>): string {
  return JSON.stringify({ lockVersion: 1, schemas: { 'shop.mjs': { ...entry, ...change } } }, null, 2);
}

/** Code, line and message of each finding. */
function problems(text: string): string[] {
  return parseLock(text, '/lock.json').findings.map(({ code, line, message }) => `${code} ${line}: ${message}`);
}

test('a written lock can be parsed and is written identically', () => {
  const schemas = new Map([
    ['b.mjs', { ...entry, handlers: hash, lists: { chains: hash } }],
    ['/elsewhere/a.mjs', { ...entry, grants: { network: 'any' as const, secrets: ['KEY'] } }],
  ]);
  const text = formatLock({ file: '/lock.json', schemas });
  const { lock, findings } = parseLock(text, '/lock.json');
  expect(findings).toEqual([]);
  expect(lock?.schemas).toEqual(new Map([...schemas].reverse()));
  expect(lock && formatLock(lock)).toBe(text);
  expect(text.endsWith('}\n')).toBe(true);
});

test('grants to send and to read are written only where there are any', () => {
  const some = { network: [], secrets: [], send: { KEY: ['https://*.example.com'] }, read: ['/data/tides.db'] };
  const none = { network: [], secrets: [], send: {}, read: [] };
  const lock = { file: '/lock.json', schemas: new Map([['a.mjs', { ...entry, grants: some }]]) };
  const parsed = parseLock(formatLock(lock), '/lock.json');
  expect(parsed.lock?.schemas.get('a.mjs')?.grants).toEqual(some);
  expect(mergeGrants(none, entry.grants)).toStrictEqual(entry.grants);
  expect(withoutGrants(some, { send: { KEY: [] }, read: ['/data/tides.db'] })).toStrictEqual(entry.grants);
});

test('grants to send add up and are removed by origin', () => {
  const one = { send: { KEY: ['https://b.example.com'] } };
  const other = { send: { KEY: ['https://a.example.com'], ['__proto__']: ['https://b.example.com'] } };
  const both = mergeGrants(one, other);
  expect(Object.entries(both.send ?? {})).toEqual([
    ['KEY', ['https://a.example.com', 'https://b.example.com']],
    ['__proto__', ['https://b.example.com']],
  ]);
  expect(withoutGrants(both, other)).toEqual({ network: [], secrets: [], ...one });
});

test('a token endpoint with a field of earlier files is read', () => {
  const tokenEndpoint = { url: 'https://auth.example.com/token', secrets: ['ID', 'SECRET'], only: ['SECRET'] };
  expect(problems(textWith({ seen: { ...entry.seen, tokenEndpoint } }))).toEqual([]);
});

test('the text does not depend on the order of entries', () => {
  const one = new Map([
    ['b.mjs', entry],
    ['a.mjs', { ...entry, lists: { y: hash, x: hash } }],
  ]);
  const other = new Map([
    ['a.mjs', { ...entry, lists: { x: hash, y: hash } }],
    ['b.mjs', entry],
  ]);
  expect(formatLock({ file: '', schemas: one })).toBe(formatLock({ file: '', schemas: other }));
});

test('__proto__ is a name like any other', () => {
  const names = JSON.parse(`{"__proto__":"${hash}","constructor":"${hash}"}`) as Record<string, string>;
  const schemas = new Map([['__proto__', { ...entry, lists: names, seen: { ...entry.seen, parts: names } }]]);
  const text = formatLock({ file: '', schemas });
  const { lock } = parseLock(text, '');
  const read = lock?.schemas.get('__proto__');
  expect(Object.keys(read?.lists ?? {})).toEqual(['__proto__', 'constructor']);
  expect(Object.getPrototypeOf(read?.lists)).toBe(Object.prototype);
  expect(lock && formatLock(lock)).toBe(text);
});

describe('is refused, with the line', () => {
  test.each([
    ['', 'LCK002 1: the lock file is not JSON: Unexpected end of JSON input'],
    ['{\n  "lockVersion": 1,\n}', 'LCK002 3: the lock file is not JSON: '],
    ['{\n<<<<<<< ours\n"a": 1\n', 'LCK002 2: the lock file has an unresolved merge'],
    ['[]', 'LCK002 1: the lock file must be an object'],
    ['{\n  "lockVersion": 2\n}', 'LCK003 2: the lock file has lockVersion 2; this SchemaKit reads 1'],
    ['{}', 'LCK003 1: the lock file has lockVersion undefined; this SchemaKit reads 1'],
    [
      '{"lockVersion":1,\n"schemas":{},\n"sch\\u0065mas":{}}',
      'LCK002 3: the lock file has the key "sch\\u0065mas" twice',
    ],
    [
      '{"lockVersion":1,"schemas":{"a.mjs":{"grants":{"a":[],\n"a":[]}}}}',
      'LCK002 2: the lock file has the key "a" twice',
    ],
    ['{"lockVersion":1,\n"schemas":[]}', 'LCK002 2: schemas must be an object'],
    ['{"lockVersion":1,\n"schema":{},\n"schemas":{}}', 'LCK002 2: the lock file has an unknown field (schema)'],
    ['{"lockVersion":1,\n"schemas":{"a.mjs":\n5}}', 'LCK002 2: schemas["a.mjs"] must be an object'],
  ])('%j', (text, problem) => {
    expect(problems(text)).toEqual([expect.stringContaining(problem)]);
  });

  test.each([
    [{ main: 'sha256:abc' }, 'LCK002 7: schemas["shop.mjs"].main must be sha256: and 64 hexadecimal digits'],
    [{ handlers: 1 }, 'LCK002 8: schemas["shop.mjs"].handlers must be sha256: and 64 hexadecimal digits'],
    [{ source: 1 }, 'LCK002 5: schemas["shop.mjs"].source must be text or null'],
    [{ grants: { network: ['example.com'], secrets: [] } }, 'schemas["shop.mjs"].grants.network must be "any"'],
    [{ grants: { network: 'all', secrets: [] } }, 'schemas["shop.mjs"].grants.network must be "any"'],
    [{ grants: { network: [], secrets: [1] } }, 'schemas["shop.mjs"].grants.secrets must be an array of text'],
    [{ grants: { network: [], secrets: [], secret: [] } }, 'unknown field (schemas["shop.mjs"].grants.secret)'],
    [{ grants: { ...entry.grants, send: [] } }, 'schemas["shop.mjs"].grants.send must be an object'],
    [{ grants: { ...entry.grants, send: { KEY: 'any' } } }, 'grants.send.KEY must be an array of origins'],
    [{ grants: { ...entry.grants, read: '/data' } }, 'schemas["shop.mjs"].grants.read must be an array of text'],
    [{ lists: { a: 'x' } }, 'schemas["shop.mjs"].lists.a must be sha256:'],
    [{ seen: null }, 'schemas["shop.mjs"].seen must be an object'],
  ])('%j', (change, problem) => {
    expect(problems(textWith(change))).toEqual([expect.stringContaining(problem)]);
  });

  test.each(['../shop.mjs', 'a/../../shop.mjs', './shop.mjs', 'a\\shop.mjs', '', 'a//b.mjs', '/a/../b'])(
    'the path %j',
    (path) => {
      const text = JSON.stringify({ lockVersion: 1, schemas: { [path]: entry } });
      expect(problems(text)).toEqual([expect.stringContaining('must be a path with forward slashes')]);
    },
  );

  test.each(['shop.mjs', 'a/b/shop.mjs', '/home/me/shop.mjs', 'C:/me/shop.mjs', '...mjs', 'a b.mjs'])(
    'but not the path %j',
    (path) => {
      expect(problems(JSON.stringify({ lockVersion: 1, schemas: { [path]: entry } }))).toEqual([]);
    },
  );
});

test('a text that is too long is not parsed', () => {
  const schemas = '['.repeat(9 * 1024 * 1024);
  expect(parseLock(schemas, '/lock.json').findings).toMatchObject([
    { code: 'LCK002', file: '/lock.json', message: 'the lock file has 9437184 bytes, more than 8388608' },
  ]);
});
