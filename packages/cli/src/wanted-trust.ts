import { checkLock, type LoadedSchema, type Lock, type LockCheck, type LockGrants, mergeGrants } from '@schemakit/core';
import { printable } from './printable.ts';

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

/** What a person sees who decides whether to trust a schema. */
export interface SchemaWants {
  /** The path of its entry in the lock file. */
  file: string;
  state: LockCheck['state'];
  /** What changed since it was trusted. */
  changes: readonly string[];
  root: string;
  secrets: readonly string[];
  /** `tool.hook`; null where only running the handlers can tell. */
  hooks: readonly string[] | null;
  /** Of the addresses in the code of handlers. */
  hosts: readonly string[];
  libraries: readonly string[];
  lists: readonly string[];
  /** What the security scan found. */
  scan: readonly string[];
  /** All that it would have been granted. */
  grants: LockGrants;
}

/** Puts together what a schema wants and would be granted. Undefined where it could not be read. */
export function wantedTrust(
  schema: LoadedSchema,
  { lock, grants }: { lock: Lock; grants: LockGrants },
): WantedTrust | undefined {
  const check = checkLock({ lock, schema });
  if (check === undefined) return undefined;
  // A schema gets only secrets that it asks for, whatever is granted to others beside it.
  const own = { ...grants, secrets: grants.secrets.filter((name) => check.pin.seen.secrets.includes(name)) };
  const all = mergeGrants(check.entry?.grants ?? {}, own);
  const isNew = check.state !== 'same' || JSON.stringify(check.entry?.grants) !== JSON.stringify(all);
  return { check, grants: own, wants: wantsOf(check, { schema, grants: all }), isNew };
}

function wantsOf(
  { path, state, summary, pin }: LockCheck,
  { schema, grants }: { schema: LoadedSchema; grants: LockGrants },
): SchemaWants {
  const { root, secrets, hooks, hosts, libraries } = pin.seen;
  const scan = schema.findings.filter(({ code }) => /^(SEC|MOD|LIB)/.test(code));
  return {
    file: path,
    state,
    changes: summary,
    root,
    secrets,
    hooks,
    hosts,
    libraries,
    lists: Object.keys(pin.lists),
    scan: scan.map(({ code, message, line }) => `${code}${line === undefined ? '' : ` line ${line}`}: ${message}`),
    grants,
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
  secret = [],
  network = [],
}: {
  secret?: readonly string[];
  network?: readonly string[];
}): GrantsReading {
  const origins = network.filter((word) => word !== 'any').map((word) => ({ word, origin: originOf(word) }));
  const wrong = origins.find(({ origin }) => origin === undefined);
  if (wrong !== undefined) {
    return {
      ok: false,
      problem: `"${wrong.word}" is no origin.`,
      fix: 'Write --network https://api.example.com, or --network any.',
    };
  }
  const named = origins.flatMap(({ origin }) => origin ?? []);
  return { ok: true, grants: { network: network.includes('any') ? 'any' : named, secrets: secret } };
}

/** An origin as URLs have it; undefined for text with a path, another scheme or no host. */
function originOf(text: string): string | undefined {
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return url && isWeb && url.href === `${url.origin}/` ? url.origin : undefined;
}
