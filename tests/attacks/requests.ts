import type { DataAttack, DataGroup } from './attack.ts';

/** A value that a caller passes; the tool's path is `/public/{{id}}/details`. */
export interface ValueAttack extends DataAttack {
  place: 'path' | 'query' | 'body' | 'form';
  value: string;
}

/** What a hook does to the planned request. `%ROOT%` and `%OTHER%` are origins, `%OTHERHOST%` a host with its port. */
export interface HookAttack extends DataAttack {
  change: { url?: string; method?: string; headers?: Record<string, string>; body?: string };
}

/** An answer that leads elsewhere. */
export interface RedirectAttack extends DataAttack {
  status: number;
  location: string;
}

const moves = { harm: 'changes the target of the request' } as const;
const adds = { harm: 'injects into the request' } as const;
const refused = 'INP010';
const noEffect = 'no effect';

export const values: readonly ValueAttack[] = [
  { name: 'climbs up the path', place: 'path', value: '../../admin', ...moves, outcome: refused },
  { name: 'climbs up with encoded dots', place: 'path', value: '%2e%2e/%2E%2e/admin', ...moves, outcome: refused },
  { name: 'climbs up with encoded slashes', place: 'path', value: '..%2f..%2fadmin', ...moves, outcome: refused },
  {
    name: 'climbs up with slashes that are encoded twice',
    place: 'path',
    value: '..%252f..%252fadmin',
    ...moves,
    outcome: refused,
  },
  {
    name: 'climbs up with dots that are encoded twice',
    place: 'path',
    value: '%252e%252e/%252e%252e/admin',
    ...moves,
    outcome: refused,
  },
  { name: 'climbs up with backslashes', place: 'path', value: '..\\..\\admin', ...moves, outcome: refused },
  { name: 'climbs up with encoded backslashes', place: 'path', value: '..%5c..%5cadmin', ...moves, outcome: refused },
  { name: 'climbs up after a harmless segment', place: 'path', value: 'x/../../admin', ...moves, outcome: refused },
  {
    name: 'climbs up with a line break between the dots',
    place: 'path',
    value: '.\n./.\t./admin',
    ...moves,
    outcome: noEffect,
  },
  { name: 'starts a query in the path', place: 'path', value: '7?admin=1&', ...adds, outcome: noEffect },
  { name: 'starts a fragment in the path', place: 'path', value: '7#', ...moves, outcome: noEffect },
  { name: 'adds to the query', place: 'query', value: '1&admin=1', ...adds, outcome: noEffect },
  { name: 'ends the query', place: 'query', value: '1#', ...moves, outcome: noEffect },
  { name: 'closes a text in the body', place: 'body', value: '1","admin":"1', ...adds, outcome: noEffect },
  { name: 'adds to a form', place: 'form', value: '1&admin=1', ...adds, outcome: noEffect },
];

const second = 'GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n';

export const hooks: readonly HookAttack[] = [
  {
    name: 'ends a header and starts a request',
    change: { headers: { 'x-a': `1\r\n\r\n${second}` } },
    ...adds,
    outcome: 'INVALID_REQUEST',
  },
  {
    name: 'ends the name of a header and starts a request',
    change: { headers: { [`x-a: 1\r\n\r\n${second}x-b`]: '1' } },
    ...adds,
    outcome: 'INVALID_REQUEST',
  },
  {
    name: 'starts a request in the method',
    change: { method: `GET / HTTP/1.1\r\nhost: x\r\n\r\n${second}GET` },
    ...adds,
    outcome: 'HANDLER_RESULT_INVALID',
  },
  {
    name: 'sets a length that ends the request early',
    change: { method: 'POST', headers: { 'Content-Length': '0' }, body: second },
    ...adds,
    outcome: noEffect,
  },
  {
    name: 'sets chunked transfer encoding',
    change: { method: 'POST', headers: { 'Transfer-Encoding': 'chunked' }, body: `0\r\n\r\n${second}` },
    ...adds,
    outcome: noEffect,
  },
  {
    name: 'names another host in a header',
    change: { headers: { Host: 'admin.internal' } },
    ...moves,
    outcome: noEffect,
  },
  { name: 'puts the root before an @', change: { url: '%ROOT%@%OTHERHOST%/' }, ...moves, outcome: 'ORIGIN_BLOCKED' },
  {
    name: 'puts the root and a tab before an @',
    change: { url: '%ROOT%\t@%OTHERHOST%/' },
    ...moves,
    outcome: 'ORIGIN_BLOCKED',
  },
  {
    name: 'puts the root and a password before an @',
    change: { url: '%ROOT%:x@%OTHERHOST%/' },
    ...moves,
    outcome: 'ORIGIN_BLOCKED',
  },
];

const blocked = { harm: 'reaches the network', outcome: 'ADDRESS_BLOCKED' } as const;

export const redirects: readonly RedirectAttack[] = [
  { name: 'redirects to a private address', status: 302, location: '%OTHER%/', ...blocked },
  { name: 'redirects with the body', status: 307, location: '%OTHER%/', ...blocked },
  { name: 'redirects permanently', status: 308, location: '%OTHER%/', ...blocked },
  { name: 'redirects without a scheme', status: 302, location: '//%OTHERHOST%/', ...blocked },
  { name: 'redirects with backslashes', status: 302, location: '\\\\%OTHERHOST%/', ...blocked },
  { name: 'redirects with a tab in the scheme', status: 303, location: 'ht\ttp://%OTHERHOST%/', ...blocked },
];

export const requests: DataGroup = { title: 'Requests', attacks: [...values, ...hooks, ...redirects] };
