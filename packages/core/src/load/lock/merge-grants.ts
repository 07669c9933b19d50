import type { Grants } from '../schema-record.ts';
import type { LockGrants } from './lock.ts';

/** What either of two grants allows, sorted. */
export function mergeGrants(one: Grants, other: Grants): LockGrants {
  const network = [one.network ?? [], other.network ?? []];
  return {
    network: network.includes('any') ? 'any' : sorted(network.flat()),
    secrets: sorted([...(one.secrets ?? []), ...(other.secrets ?? [])]),
  };
}

/** What is left of grants when others are taken away. */
export function withoutGrants(grants: LockGrants, revoked: Grants): LockGrants {
  const { network = [], secrets = [] } = revoked;
  return {
    network: remaining(grants.network, network),
    secrets: grants.secrets.filter((name) => !secrets.includes(name)),
  };
}

function remaining(granted: LockGrants['network'], revoked: LockGrants['network']): LockGrants['network'] {
  if (revoked === 'any') return [];
  return granted === 'any' ? 'any' : granted.filter((origin) => !revoked.includes(origin));
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
