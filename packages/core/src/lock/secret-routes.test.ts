import { expect, test } from 'vitest';
import type { LockEntry } from './lock-file.ts';
import { keptGrants, lostSends, privateOrigins, secretRoutes, sendGrants } from './secret-routes.ts';

const root = 'https://api.example.com';
const tokenEndpoint = { url: 'https://auth.example.com/token', secrets: ['ID', 'SECRET'] };
const seen = { root, secrets: ['ID', 'SECRET', 'KEY'], tokenEndpoint, libraries: [], hooks: [], hosts: [], parts: {} };

test('secrets go to the root, to the token endpoint, or to both', () => {
  const routes = secretRoutes({ ...seen, send: { SECRET: ['https://auth.example.com'] } });
  expect(routes.map(({ name, origin, granted }) => [name, origin, granted])).toEqual([
    ['ID', root, false],
    ['SECRET', root, false],
    ['KEY', root, false],
    ['ID', 'https://auth.example.com', false],
    ['SECRET', 'https://auth.example.com', true],
  ]);
  expect(sendGrants(routes)).toEqual({
    ID: [root, 'https://auth.example.com'],
    KEY: [root],
    SECRET: [root, 'https://auth.example.com'],
  });
});

test('a token endpoint that moves takes away the grant of its secrets', () => {
  const pin = { main: '', handlers: null, lists: {}, seen };
  const grants = { network: [], secrets: [], send: sendGrants(secretRoutes(seen)) };
  const entry: LockEntry = { ...pin, source: null, revision: null, grants };
  const moved = { ...pin, seen: { ...seen, tokenEndpoint: { ...tokenEndpoint, url: 'https://evil.example/token' } } };
  expect(lostSends(entry, pin)).toEqual([]);
  expect(lostSends(entry, moved).map(({ name, origin }) => [name, origin])).toEqual([
    ['ID', 'https://evil.example'],
    ['SECRET', 'https://evil.example'],
  ]);
  expect(keptGrants(entry, moved).send).toEqual({ KEY: [root] });
});

test('a private token endpoint counts as the root does', () => {
  const inside = { root, tokenEndpoint: { ...tokenEndpoint, url: 'http://10.0.0.7:8080/token' } };
  expect([privateOrigins(seen), privateOrigins(inside)]).toEqual([[], ['http://10.0.0.7:8080']]);
});
