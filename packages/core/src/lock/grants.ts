import { createOriginMatcher } from '@schemakit/http';

/** Permissions of a schema beyond the defaults. */
export interface Grants {
  /** Origins that handlers may reach besides the schema's root; a host label `*` matches one label. `any`: every public address. */
  network?: readonly string[] | 'any';
  /** Server parameters whose values, not tokens, handlers may read, for example to sign requests. */
  secrets?: readonly string[];
}

/** The permissions that a schema got when it was trusted. */
export interface LockGrants {
  /** Origins that its handlers may reach besides its root; `any`: every public address. */
  network: readonly string[] | 'any';
  /** Names of secrets whose values its handlers may read. */
  secrets: readonly string[];
}

/** The union of two grants, sorted. */
export function mergeGrants(one: Grants, other: Grants): LockGrants {
  const network = [one.network ?? [], other.network ?? []];
  return {
    network: network.includes('any') ? 'any' : sorted(network.flat()),
    secrets: sorted([...(one.secrets ?? []), ...(other.secrets ?? [])]),
  };
}

export function withoutGrants(grants: LockGrants, { network = [], secrets = [] }: Grants): LockGrants {
  const left = grants.network === 'any' ? 'any' : grants.network.filter((origin) => !network.includes(origin));
  return {
    network: network === 'any' ? [] : left,
    secrets: grants.secrets.filter((name) => !secrets.includes(name)),
  };
}

/** Unique names in order. */
export function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}

/** Whether a value is an origin that can be granted: `https://host[:port]`, where a label of the host may be `*`. */
export function isOrigin(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  try {
    createOriginMatcher([value]);
    return true;
  } catch {
    return false; // It throws for anything else.
  }
}
