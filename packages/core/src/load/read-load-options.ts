import type { LockOptions } from '../lock/check-lock.ts';
import type { Grants } from '../lock/grants.ts';
import { isOrigin } from '../lock/grants.ts';
import { type ArgumentKind, checkArguments } from '../schema/arguments.ts';
import { childPath, type Finding } from '../schema/finding.ts';
import { isObject } from '../schema/json.ts';
import { nearestWord } from '../schema/nearest-word.ts';

export interface LoadSchemaOptions extends LockOptions {
  /** The schema's file. */
  filePath: string;
  /** Folder of the shared lists. Default: the nearest `_lists` beside the file or above it. */
  listsDir?: string;
  /** Libraries that handlers may use. Default: `SchemaKit.getDefaultAllowlist()`. */
  allowlist?: readonly string[];
  /** Turns warnings into errors. Default false. */
  strict?: boolean;
  /** `report` records what the security scan finds and loads all the same. Default `enforce`. */
  scan?: 'enforce' | 'report';
  /** What this schema may do beyond the rules. Default nothing. */
  grants?: Grants;
  /**
   * Whether naming the file approves the schema's root even if its host is private or loopback. Default true; false for
   * files that came from somewhere else.
   */
  approveRoot?: boolean;
  /**
   * Where handlers run: `process`, in host processes that schemas share; `schema`, in a host process of its own; or `trusted`,
   * in this process with all that it may do, which needs `pin`. Default `process`.
   */
  isolation?: 'process' | 'schema' | 'trusted';
  /**
   * The folder that the file came with, if it is not that of its lock file. Schemas of one source share host processes.
   *
   * @internal
   */
  source?: string;
  /**
   * For whom the schema is loaded, such as a tenant's id. Schemas that are loaded for different owners share no host process, so
   * that what a handler keeps from one call to the next stays with one owner.
   */
  owner?: string;
  /** sha256 of the file, `sha256:` and 64 hexadecimal digits: only these bytes run as trusted. */
  pin?: string;
}

/** Null where an option has a check of its own. */
const kinds: Readonly<Record<string, ArgumentKind | null>> = {
  listsDir: 'text',
  allowlist: 'text array',
  strict: 'true or false',
  scan: null,
  grants: 'object',
  approveRoot: 'true or false',
  isolation: null,
  source: 'text',
  owner: 'text',
  pin: 'text',
  lockFile: 'text',
  onUnlocked: null,
} satisfies Record<Exclude<keyof LoadSchemaOptions, 'filePath'>, ArgumentKind | null>;

/** The options that are known and given, and what is wrong with them. */
export interface ReadOptions {
  options: LoadSchemaOptions;
  problems: Finding[];
}

/**
 * Reads the options of `loadSchema`, which programs without types may give in any shape; null is as if an option was not given.
 * One that is not understood is an error: most of them say what a schema may do, and a slip must not loosen that. One that is not
 * known does nothing, and programs that were written for another implementation of the format may give it: a warning.
 *
 * @param settings.method - Named in what is found.
 */
export function readLoadOptions(
  given: LoadSchemaOptions | undefined,
  { method = 'loadSchema' }: { method?: string } = {},
): ReadOptions {
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

/** What can be chosen by a word. The first word is the default. */
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
  return [wrong(name, `${method} knows no ${name} ${shown(value)}`, choice?.hint)];
}

function checkGrants(method: string, grants: Readonly<Record<string, unknown>>): Finding[] {
  const problems: Finding[] = [];
  for (const [name, value] of Object.entries(grants)) {
    if (value === undefined) continue;
    const path = childPath('grants', name);
    if (name === 'network') problems.push(...checkNetwork(method, value));
    else if (name === 'secrets') {
      problems.push(...checkArguments(method, { [path]: value }, { [path]: 'text array' }));
    } else problems.push(unknown(name, { path, what: `there is no grant ${name}`, known: ['network', 'secrets'] }));
  }
  return problems;
}

function checkNetwork(method: string, value: unknown): Finding[] {
  if (value === 'any') return [];
  const path = 'grants.network';
  const hint = "Write ['https://api.example.com'], or 'any' for every public address.";
  if (!Array.isArray(value)) {
    return [wrong(path, `${method} needs ${path} (an array of origins, or 'any'), got ${shown(value)}`, hint)];
  }
  return [...value].flatMap((origin: unknown, index) => {
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
