import { isIP } from 'node:net';
import { createOriginMatcher, isPublicAddress } from '@schemakit/http';
import type { TokenEndpoint } from '../schema/schema.ts';
import { type Grants, type LockGrants, mergeGrants, sorted, withoutGrants } from './grants.ts';
import type { LockEntry } from './lock-file.ts';
import type { SchemaPin, SchemaSummary } from './schema-pin.ts';

/** Where a schema sends a secret. */
export interface SecretRoute {
  name: string;
  /** The origin of the root or the token endpoint, with `*` for each label of the host that is filled in later. */
  origin: string;
  /** Whether a schema from elsewhere may send it there; the user's own need no grant. */
  granted: boolean;
}

type Send = NonNullable<Grants['send']>;

/**
 * Where the secrets of a schema go: to its root, and to the token endpoint of its `auth`. Those that only `auth` and `signature` use go to
 * the root too: as an access token or a signature, which are worth as much. To what is no http(s) URL goes none.
 */
export function secretRoutes({
  root,
  secrets,
  tokenEndpoint,
  send = {},
}: {
  root: string;
  secrets: readonly string[];
  tokenEndpoint?: TokenEndpoint | undefined;
  send?: Send | undefined;
}): SecretRoute[] {
  const routes = [
    [root, secrets],
    [tokenEndpoint?.url ?? '', secrets.filter((name) => tokenEndpoint?.secrets.includes(name))],
  ] as const;
  return routes.flatMap(([place, names]) => {
    const origin = rootOrigin(place);
    if (origin === undefined) return [];
    // A label that no grant names, so that only `*` covers a part of the host that is filled in later.
    const url = origin.replaceAll('*', '--x--');
    return names.map((name) => ({ name, origin, granted: maySend(name, url, send) }));
  });
}

/** The grants for routes. */
export function sendGrants(routes: readonly SecretRoute[]): Record<string, string[]> {
  const byName = Map.groupBy(routes, ({ name }) => name);
  return Object.fromEntries([...byName].map(([name, own]) => [name, sorted(own.map(({ origin }) => origin))]));
}

/** Stands for a server parameter in a host: only there may a label have it. */
const filledIn = 'x-filled-in-x';

/** The origin of a root. A label of its host with a server parameter, or with `--network--`, which a hook fills in, becomes `*`. */
export function rootOrigin(root: string): string | undefined {
  const url = URL.parse(root.replace(/\{\{[^{}]*\}\}/g, filledIn));
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!isWeb) return undefined;
  const labels = url.hostname.split('.').map((label) => (isFilledIn(label) ? '*' : label));
  return `${url.protocol}//${labels.join('.')}${url.port && `:${url.port}`}`;
}

/** A hyphen begins or ends no real label, so one with `--network--` there is a template too. */
function isFilledIn(label: string): boolean {
  return label.includes(filledIn) || /^--[a-z0-9_-]+?--|--[a-z0-9_-]+?--$/i.test(label);
}

/** The origins of a schema that are on this machine or in a private network, as far as their texts tell. */
export function privateOrigins({ root, tokenEndpoint }: Pick<SchemaSummary, 'root' | 'tokenEndpoint'>): string[] {
  return sorted([root, tokenEndpoint?.url ?? ''].flatMap((place) => privateOrigin(place) ?? []));
}

function privateOrigin(root: string): string | undefined {
  const origin = rootOrigin(root);
  if (origin === undefined || origin.includes('*')) return undefined;
  const host = new URL(origin).hostname.replace(/^\[|\]$/g, '');
  const isPrivate = isIP(host) === 0 ? /(^|\.)localhost$/.test(host) : !isPublicAddress(host);
  return isPrivate ? origin : undefined;
}

/** Whether a grant lets a secret go to a URL. */
export function maySend(name: string, url: string, send: Send): boolean {
  const granted = Object.hasOwn(send, name) ? (send[name] ?? []) : [];
  return granted.length > 0 && createOriginMatcher(granted)(new URL(url));
}

/** The secrets whose grants a new root or token endpoint takes away, since it is at an origin that they do not name. */
export function lostSends(
  { seen: before, grants: { send = {} } }: LockEntry,
  { seen: after }: SchemaPin,
): SecretRoute[] {
  const places = [before, after].map(({ root, tokenEndpoint }) => [
    rootOrigin(root),
    rootOrigin(tokenEndpoint?.url ?? ''),
  ]);
  if (places[0]?.join() === places[1]?.join()) return [];
  return secretRoutes({ ...after, secrets: Object.keys(send), send }).filter(({ granted }) => !granted);
}

/** The grants that an entry keeps when its schema is trusted again. */
export function keptGrants(entry: LockEntry, pin: SchemaPin): LockGrants {
  const lost = lostSends(entry, pin).map(({ name }) => [name, []] as const);
  return withoutGrants(mergeGrants(entry.grants, {}), { send: Object.fromEntries(lost) });
}
