import { checkLock, type LoadedSchema, type Lock, type LockCheck, type LockGrants, mergeGrants } from '@schemakit/core';

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
