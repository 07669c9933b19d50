import { checkLock, type LoadedSchema, type Lock, type LockCheck, type LockGrants, mergeGrants } from '@schemakit/core';
import { printable } from '../output/terminal-text.ts';

/** A schema that its user wants to trust. */
export interface WantedTrust {
  check: LockCheck;
  /** What it shall be granted, in addition to what its entry grants. */
  grants: LockGrants;
  /** What to show to the person who decides. */
  wants: SchemaWants;
  /** Whether there is something to decide. */
  isNew: boolean;
}

/** What a person sees who decides whether to trust a schema; `hooks` and `hosts` are those of its handlers. */
export interface SchemaWants
  extends Pick<LockCheck['pin']['seen'], 'root' | 'secrets' | 'hooks' | 'hosts' | 'libraries'> {
  /** The path of its entry in the lock file. */
  file: string;
  state: LockCheck['state'];
  /** What changed since it was trusted. */
  changes: readonly string[];
  lists: readonly string[];
  /** What the security scan found. */
  scan: readonly string[];
  /** All that it would have been granted. */
  grants: LockGrants;
}

/** Puts together what a schema wants and would be granted. Undefined where it could not be read. */
export function wantedTrust(
  schema: LoadedSchema,
  { lock, grants: named }: { lock: Lock; grants: LockGrants },
): WantedTrust | undefined {
  const check = checkLock({ lock, schema });
  if (check === undefined) return undefined;
  const { path: file, state, summary: changes, pin, entry } = check;
  const { root, secrets, hooks, hosts, libraries } = pin.seen;
  // A schema gets only secrets that it asks for, whatever is granted to others beside it.
  const own = { ...named, secrets: named.secrets.filter((name) => secrets.includes(name)) };
  const grants = mergeGrants(entry?.grants ?? {}, own);
  const scan = schema.findings
    .filter(({ code }) => /^(SEC|MOD|LIB)/.test(code))
    .map(({ code, message, line }) => `${code}${line === undefined ? '' : ` line ${line}`}: ${message}`);
  const lists = Object.keys(pin.lists);
  return {
    check,
    grants: own,
    wants: { file, state, changes, root, secrets, hooks, hosts, libraries, lists, scan, grants },
    isNew: state !== 'same' || JSON.stringify(entry?.grants) !== JSON.stringify(grants),
  };
}

/** What is wrong with a grant of a secret that none of the schemas asks for. */
export function unwantedSecret(
  wanted: readonly WantedTrust[],
  { secrets }: LockGrants,
): { error: string; fix: string } | undefined {
  const declared = new Set(wanted.flatMap(({ wants }) => wants.secrets));
  const unknown = secrets.find((name) => !declared.has(name));
  if (unknown === undefined) return undefined;
  const error = `No schema that was named asks for the secret ${unknown}.`;
  const fix = declared.size === 0 ? 'They ask for none.' : `They ask for: ${[...declared].sort().join(', ')}.`;
  return { error, fix };
}

/** What a schema wants, as text for a terminal. */
export function wantsText(wants: SchemaWants): string {
  const { file, state, changes, root, secrets, hooks, hosts, libraries, lists, scan, grants } = wants;
  const network = grants.network === 'any' ? ['any public address'] : grants.network;
  const rows: [label: string, values: readonly string[]][] = [
    ['changed', changes],
    ['sends requests to', [root || 'no address of its own']],
    ['asks for secrets', secrets],
    ['has handlers', hooks ?? ['known only once they run']],
    ['with addresses of', hosts],
    ['uses libraries', libraries],
    ['uses shared lists', lists],
    ['scan', scan],
    ['handlers may read', grants.secrets],
    ['handlers may reach', network],
  ];
  const shown = rows.flatMap(([label, values]) =>
    values.map((value, index) => `  ${(index === 0 ? label : '').padEnd(20)}${printable(value)}\n`),
  );
  return `${printable(file)} (${state})\n${shown.join('')}`;
}

export type GrantsReading = { ok: true; grants: LockGrants } | { ok: false; problem: string; fix: string };

/** Reads `--secret` and `--network`. */
export function readGrants({
  secret: secrets = [],
  network = [],
}: {
  secret?: readonly string[];
  network?: readonly string[];
}): GrantsReading {
  const origins: string[] = [];
  for (const word of network.filter((text) => text !== 'any')) {
    const url = URL.parse(word);
    if (url === null || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
      const fix = 'Write --network https://api.example.com, or --network any.';
      return { ok: false, problem: `"${word}" is no origin.`, fix };
    }
    origins.push(url.origin);
  }
  return { ok: true, grants: { network: network.includes('any') ? 'any' : origins, secrets } };
}
