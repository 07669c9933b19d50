import { readFile, realpath } from 'node:fs/promises';
import { createRequire, findPackageJSON, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkArguments } from '../schema/arguments.ts';
import { checkResult, type Finding, hasNoErrors } from '../schema/finding.ts';
import { ruleFinding } from '../schema/finding-codes.ts';
import { isObject } from '../schema/json.ts';

/** Where a library is installed: what to import, and every folder that it reads. */
export interface LibraryLocation {
  name: string;
  /** Absolute path of the entry; empty for a module of Node itself. */
  entry: string;
  folders: readonly string[];
  /** It is not installed. */
  missing?: boolean;
}

/** Libraries that handlers may use unless a program passes its own list (specification 2.7). */
export const defaultAllowlist: readonly string[] = [
  'zlib',
  'crypto',
  'buffer',
  'path',
  'url',
  'util',
  'stream',
  'querystring',
  'ethers',
  'viem',
  'ccxt',
  'moment',
  'axios',
  'indicatorts',
  'trading-signals',
  'talib',
  'technicalindicators',
  'yahoo-finance2',
  'vega',
  'vega-lite',
  'canvas',
  'echarts',
  'pinata',
  'irys',
  'better-sqlite3',
  '@erc725/erc725.js',
  '@thanpolas/univ3prices',
];

/** Reports each required library that is not on the allowlist, in the words of specification 7.1. */
export function checkAllowlist(libraries: readonly string[], allowlist: readonly string[]): Finding[] {
  return libraries.flatMap((name, index) => {
    if (isAllowed(name, allowlist)) return [];
    return ruleFinding('VAL026', `main.requiredLibraries[${index}]`, `Library '${name}' is not on the allowlist`, {
      hint: `If you trust it, pass allowlist: [...SchemaKit.getDefaultAllowlist().allowlist, ${JSON.stringify(name)}].`,
    });
  });
}

/** Tells whether a library is on the allowlist. A module of Node is the same with and without `node:`. */
export function isAllowed(name: string, allowlist: readonly string[]): boolean {
  return allowlist.some((allowed) => withoutScheme(allowed) === withoutScheme(name));
}

/** Finds an installed library from the first of the folders that has it: the schema's, the program's, the current one. */
export async function locateLibrary(name: string, folders: readonly string[]): Promise<LibraryLocation | undefined> {
  const plain = withoutScheme(name);
  if (isBuiltin(plain)) return { name, entry: '', folders: [] };
  for (const folder of folders) {
    const manifest = findManifest(plain, folder);
    if (manifest === undefined) continue;
    const entry = await entryOf(manifest);
    if (entry !== undefined) return { name, entry, folders: await foldersOf(manifest) };
  }
  return undefined;
}

/**
 * The finding for a library that is allowed and not installed.
 *
 * @param folders Where it was looked for, the best place to install it first.
 */
export function notInstalled(name: string, { index, folders }: { index: number; folders: readonly string[] }): Finding {
  const [first = '.', ...others] = new Set(folders);
  const elsewhere = others.length === 0 ? '' : ` It was also looked for from ${others.join(' and ')}.`;
  return {
    code: 'LIB001',
    severity: 'warning',
    path: `main.requiredLibraries[${index}]`,
    message: `Library '${name}' is not installed; calls of handlers that use it will fail`,
    hint: `Run npm install ${name} in ${first}.${elsewhere}`,
  };
}

function withoutScheme(name: string): string {
  return name.startsWith('node:') ? name.slice('node:'.length) : name;
}

function findManifest(name: string, folder: string): string | undefined {
  try {
    return findPackageJSON(name, pathToFileURL(join(folder, 'schema.mjs')));
  } catch {
    return undefined; // Node throws where no package of that name is found.
  }
}

async function entryOf(manifest: string): Promise<string | undefined> {
  const { exports: map, main } = await readManifest(manifest);
  const target = isObject(map) && Object.hasOwn(map, '.') ? map['.'] : map;
  const exported = exportedFile(target, importConditions) ?? exportedFile(target, ['node', 'require', 'default']);
  if (exported !== undefined) return realpath(join(dirname(manifest), exported)).catch(() => undefined);
  try {
    return await realpath(createRequire(manifest).resolve(dirname(manifest)));
  } catch {
    return typeof main === 'string' ? join(dirname(manifest), main) : undefined;
  }
}

/** The file that Node's `import` would take (Node documentation, conditional exports). */
const importConditions: readonly string[] = ['node', 'import', 'module-sync', 'default'];

function exportedFile(target: unknown, conditions: readonly string[]): string | undefined {
  if (typeof target === 'string') return target;
  if (Array.isArray(target))
    return target.map((one) => exportedFile(one, conditions)).find((file) => file !== undefined);
  if (!isObject(target)) return undefined;
  for (const [condition, value] of Object.entries(target)) {
    if (!conditions.includes(condition)) continue;
    const file = exportedFile(value, conditions);
    if (file !== undefined) return file;
  }
  return undefined;
}

/** The folders of a package and of everything that it depends on. */
async function foldersOf(manifest: string): Promise<readonly string[]> {
  const folders = new Set<string>();
  const waiting = [manifest];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const folder = await realpath(dirname(next));
    if (folders.has(folder)) continue;
    folders.add(folder);
    const { dependencies, optionalDependencies, peerDependencies } = await readManifest(next);
    for (const group of [dependencies, optionalDependencies, peerDependencies]) {
      for (const name of isObject(group) ? Object.keys(group) : []) {
        const found = findManifest(name, folder);
        if (found !== undefined) waiting.push(found);
      }
    }
  }
  return [...folders];
}

async function readManifest(file: string): Promise<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return isObject(value) ? value : {};
  } catch {
    return {}; // A broken manifest says nothing; the library then fails where it is used.
  }
}

export interface LoadLibrariesOptions {
  requiredLibraries: readonly string[];
  allowlist: readonly string[];
  /** Folder from which packages are looked up. Default the current one. */
  folder?: string;
}

export interface LoadLibrariesResult {
  status: boolean;
  messages: string[];
  findings: Finding[];
  /** Name to what the module exports by default, or the module. */
  libraries: Record<string, unknown>;
}

/**
 * Imports allowlisted libraries into this process (specification 4.4), for programs that bring handlers of their own.
 * Handlers of schema files get theirs in a host process instead.
 */
export async function loadLibraries({
  requiredLibraries,
  allowlist,
  folder = process.cwd(),
}: LoadLibrariesOptions): Promise<LoadLibrariesResult> {
  const problems = checkArguments(
    'loadLibraries',
    { requiredLibraries, allowlist },
    { requiredLibraries: 'text array', allowlist: 'text array' },
  );
  if (problems.length > 0) return { ...checkResult(problems), libraries: {} };
  const findings = checkAllowlist(requiredLibraries, allowlist);
  const libraries: Record<string, unknown> = {};
  for (const [index, name] of hasNoErrors(findings) ? requiredLibraries.entries() : []) {
    const location = await locateLibrary(name, [folder]);
    if (location === undefined) {
      findings.push({ ...notInstalled(name, { index, folders: [folder] }), severity: 'error' });
      continue;
    }
    try {
      libraries[name] = await importLibrary(location);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const path = `main.requiredLibraries[${index}]`;
      findings.push({
        code: 'LIB002',
        severity: 'error',
        path,
        message: `Library '${name}' cannot be loaded: ${message}`,
      });
    }
  }
  const status = hasNoErrors(findings);
  return { status, messages: findings.map(({ message }) => message), findings, libraries: status ? libraries : {} };
}

/** What a library exports by default, or all that it exports. */
async function importLibrary({ name, entry }: LibraryLocation): Promise<unknown> {
  try {
    const module = (await import(entry === '' ? name : pathToFileURL(entry).href)) as { default?: unknown };
    return module.default ?? module;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Packages whose entry is a native add-on or JSON can only be required.
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION' || code === 'ERR_IMPORT_ATTRIBUTE_MISSING')
      return createRequire(entry)(entry);
    throw error;
  }
}
