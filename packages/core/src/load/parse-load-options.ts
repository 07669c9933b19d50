import type { LockOptions } from '../lock/check-lock.ts';
import { type Grants, isOrigin } from '../lock/grants.ts';
import { type ArgumentKind, checkArguments } from '../schema/arguments.ts';
import { childPath, type Finding } from '../schema/finding.ts';
import { isObject } from '../schema/json.ts';
import { nearestWord } from '../schema/nearest-word.ts';
import type { LibraryPin } from './library-pin.ts';

export interface LoadSchemaOptions extends LockOptions {
  /** The schema's file. */
  filePath: string;
  /** Folder of the shared lists. Default: the nearest `_lists` beside the file or in a parent folder. */
  listsDir?: string;
  /** Libraries that handlers may use. Default: `SchemaKit.getDefaultAllowlist()`. */
  allowlist?: readonly string[];
  /**
   * Libraries that handlers may use besides those of `allowlist`, with what was installed when each was allowed: another one is an
   * error. Null allows any version. Default none.
   */
  libraries?: Readonly<Record<string, LibraryPin | null>>;
  /** Turns warnings into errors. Default false. */
  strict?: boolean;
  /** `report` loads the schema whatever the security scan finds. Default `enforce`. */
  scan?: 'enforce' | 'report';
  /** Permissions beyond the defaults. Default none. */
  grants?: Grants;
  /**
   * Whether the schema is your own: its root may be a private or loopback address, and gets its secrets. Default true; use false
   * for files from elsewhere, which need `grants.send` for each secret.
   */
  approveRoot?: boolean;
  /**
   * Where handlers run: `process`, in shared host processes; `schema`, in a separate host process; or `trusted`, unsandboxed in
   * this process, which needs `pin`. Default `process`.
   */
  isolation?: 'process' | 'schema' | 'trusted';
  /** @internal Roots by namespace, which replace those in the files. Literal http(s) URLs without credentials. */
  roots?: Readonly<Record<string, string>>;
  /** @internal The folder that the file came with, if it is not that of its lock file. Schemas of one source share host processes. */
  source?: string;
  /** Such as a tenant's id. Schemas of different owners share no host process, so handler state stays with one owner. */
  owner?: string;
  /** `sha256:` and 64 hexadecimal digits, the hash of the file: only these bytes run as trusted. */
  pin?: string;
}

/** Null for options with their own check. */
const kinds: Readonly<Record<string, ArgumentKind | null>> = {
  listsDir: 'text',
  allowlist: 'text array',
  libraries: 'object',
  strict: 'true or false',
  scan: null,
  grants: 'object',
  approveRoot: 'true or false',
  isolation: null,
  source: 'text',
  roots: 'object',
  owner: 'text',
  pin: 'text',
  lockFile: 'text',
  onUnlocked: null,
  unaccepted: 'text array',
} satisfies Record<Exclude<keyof LoadSchemaOptions, 'filePath'>, ArgumentKind | null>;

/** The known options that were given, and findings about all. */
export interface ParsedLoadOptions {
  options: LoadSchemaOptions;
  problems: Finding[];
}

/**
 * Parses the options of `loadSchema`. Null counts as not given. An invalid value is an error, since most options restrict a
 * schema. An unknown option is a warning: programs written for other implementations may pass it.
 */
export function parseLoadOptions(
  given: LoadSchemaOptions | undefined,
  { method = 'loadSchema' }: { method?: string } = {},
): ParsedLoadOptions {
  const { filePath, ...others }: Record<string, unknown> = isObject(given) ? { ...given } : {};
  const problems = checkArguments(method, { filePath }, { filePath: 'text' });
  const options: Record<string, unknown> = { filePath };
  for (const [name, value] of Object.entries(others)) {
    if (value === undefined || value === null) continue;
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) {
      const found = unknown(name, { path: name, what: `${method} has no option ${name}`, known: Object.keys(kinds) });
      problems.push({ ...found, severity: 'warning' });
      continue;
    }
    options[name] = value;
    problems.push(
      ...(kind === null
        ? checkChoice(method, name, value)
        : checkArguments(method, { [name]: value }, { [name]: kind })),
    );
    if (name === 'grants' && isObject(value)) problems.push(...checkGrants(method, value));
  }
  return { options: options as unknown as LoadSchemaOptions, problems };
}

/** Options with fixed values. The first value is the default. */
const choices: Readonly<Record<string, { values: readonly string[]; hint: string }>> = {
  isolation: {
    values: ['process', 'schema', 'trusted'],
    hint: "Use 'process', which is the default, 'schema' for a host process of its own, or 'trusted' with the hash of the file as pin.",
  },
  scan: {
    values: ['enforce', 'report'],
    hint: "Use 'enforce', which is the default, or 'report', which loads whatever the scan finds.",
  },
  onUnlocked: {
    values: ['trust', 'refuse'],
    hint: "Use 'trust', which is the default, or 'refuse', which loads only what the lock file has.",
  },
};

function checkChoice(method: string, name: string, value: unknown): Finding[] {
  const choice = choices[name];
  if (choice?.values.some((word) => word === value)) return [];
  if (name === 'isolation' && value === 'wasm') {
    return [wrong(name, 'WebAssembly isolation was removed', "Use 'process', which is the default, or 'schema'.")];
  }
  return [wrong(name, `${name} of ${method} cannot be ${shown(value)}`, choice?.hint)];
}

function checkGrants(method: string, grants: Readonly<Record<string, unknown>>): Finding[] {
  const problems: Finding[] = [];
  for (const [name, value] of Object.entries(grants)) {
    if (value === undefined) continue;
    const path = childPath('grants', name);
    if (name === 'network') problems.push(...checkNetwork(method, value));
    else if (name === 'send') problems.push(...checkSend(method, value));
    else if (name === 'secrets' || name === 'read') {
      problems.push(...checkArguments(method, { [path]: value }, { [path]: 'text array' }));
    } else problems.push(unknown(name, { path, what: `there is no grant ${name}`, known: grantNames }));
  }
  return problems;
}

const grantNames = ['network', 'secrets', 'send', 'read'];

function checkSend(method: string, value: unknown): Finding[] {
  const path = 'grants.send';
  if (!isObject(value)) return checkArguments(method, { [path]: value }, { [path]: 'object' });
  const hint = "Write { API_KEY: ['https://api.example.com'] }.";
  return Object.entries(value).flatMap(([name, origins]) => {
    const place = childPath(path, name);
    if (!Array.isArray(origins)) {
      return [wrong(place, `${method} needs ${place} (an array of origins), got ${shown(origins)}`, hint)];
    }
    return checkOrigins(origins, place, hint);
  });
}

function checkNetwork(method: string, value: unknown): Finding[] {
  if (value === 'any') return [];
  const path = 'grants.network';
  const hint = "Write ['https://api.example.com'], or 'any' for every public address.";
  if (!Array.isArray(value)) {
    return [wrong(path, `${method} needs ${path} (an array of origins, or 'any'), got ${shown(value)}`, hint)];
  }
  return checkOrigins(value, path, hint);
}

function checkOrigins(origins: readonly unknown[], path: string, hint: string): Finding[] {
  return [...origins].flatMap((origin, index) => {
    const place = childPath(path, index);
    return isOrigin(origin) ? [] : [wrong(place, `${place} is not an origin: ${shown(origin)}`, hint)];
  });
}

function unknown(
  name: string,
  { path, what, known }: { path: string; what: string; known: readonly string[] },
): Finding {
  const meant = nearestWord(name, known);
  return wrong(path, what, meant === undefined ? `There are ${known.join(', ')}.` : `Did you mean ${meant}?`);
}

function wrong(path: string, message: string, hint?: string): Finding {
  return { code: 'ARG001', severity: 'error', path, message, ...(hint !== undefined && { hint }) };
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : `a value of type ${value === null ? 'null' : typeof value}`;
}
