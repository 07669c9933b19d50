import { createOriginMatcher } from '@schemakit/http';

/** Permissions of a schema beyond the defaults. */
export interface Grants {
  /** Origins that handlers may reach besides the schema's root; a host label `*` matches one label. `any`: every public address. */
  network?: readonly string[] | 'any';
  /** Server parameters whose values, not tokens, handlers may read, for example to sign requests. */
  secrets?: readonly string[];
  /**
   * For a schema from elsewhere (`approveRoot: false`): secret name to the origins that may get it, written as for `network`. A
   * schema of your own may send its secrets to its root.
   */
  send?: Readonly<Record<string, readonly string[]>>;
  /** Paths of files outside the folder of the schema that its resources may read. */
  read?: readonly string[];
}

/** The permissions that a schema got when it was trusted. */
export interface LockGrants {
  /** Origins that its handlers may reach besides its root; `any`: every public address. */
  network: readonly string[] | 'any';
  /** Names of secrets whose values its handlers may read. */
  secrets: readonly string[];
  /** Secret name to the origins that may get it. Absent if there are none. */
  send?: Readonly<Record<string, readonly string[]>>;
  /** Paths that its resources may read. Absent if there are none. */
  read?: readonly string[];
}

/** The union of two grants, sorted. */
export function mergeGrants(one: Grants, other: Grants): LockGrants {
  const network = [one.network ?? [], other.network ?? []];
  const [send, more] = [one.send ?? {}, other.send ?? {}];
  const names = sorted([...Object.keys(send), ...Object.keys(more)]);
  return {
    network: network.includes('any') ? 'any' : sorted(network.flat()),
    secrets: sorted([...(one.secrets ?? []), ...(other.secrets ?? [])]),
    ...withoutEmpty({
      send: names.map((name) => [name, sorted([...origins(send, name), ...origins(more, name)])]),
      read: sorted([...(one.read ?? []), ...(other.read ?? [])]),
    }),
  };
}

/** Removes grants. In `send`, an empty list of origins removes all of its secret. */
export function withoutGrants(
  grants: LockGrants,
  { network = [], secrets = [], send = {}, read = [] }: Grants,
): LockGrants {
  const left = grants.network === 'any' ? 'any' : grants.network.filter((origin) => !network.includes(origin));
  return {
    network: network === 'any' ? [] : left,
    secrets: grants.secrets.filter((name) => !secrets.includes(name)),
    ...withoutEmpty({
      send: Object.entries(grants.send ?? {}).map(([name, all]) => {
        const removed = origins(send, name);
        const isAll = Object.hasOwn(send, name) && removed.length === 0;
        return [name, isAll ? [] : all.filter((origin) => !removed.includes(origin))];
      }),
      read: (grants.read ?? []).filter((path) => !read.includes(path)),
    }),
  };
}

function origins(send: Readonly<Record<string, readonly string[]>>, name: string): readonly string[] {
  return Object.hasOwn(send, name) ? (send[name] ?? []) : [];
}

/** Empty fields are left out, so that locks without these grants stay as older versions wrote them. */
function withoutEmpty({
  send,
  read,
}: {
  send: readonly (readonly [string, readonly string[]])[];
  read: readonly string[];
}): Pick<LockGrants, 'send' | 'read'> {
  const named = send.filter(([, all]) => all.length > 0);
  return {
    ...(named.length > 0 && { send: Object.fromEntries(named) }),
    ...(read.length > 0 && { read }),
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
