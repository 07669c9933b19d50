import { readFile, realpath } from 'node:fs/promises';
// The names that Node 20 lacks are read at run time: see require-node.ts of @schemakit/http.
import nodeModule, { createRequire, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HandlerLibrary } from '../sandbox/handler-program.ts';
import { checkArguments } from '../schema/arguments.ts';
import { type CheckResult, checkResult, type Finding, hasNoErrors, messageOf } from '../schema/finding.ts';
import { ruleFinding } from '../schema/finding-codes.ts';
import { isObject } from '../schema/json.ts';

/** Libraries that handlers may use by default (docs/libraries.md). */
export const defaultAllowlist: readonly string[] = `
  zlib crypto buffer path url util stream querystring ethers viem ccxt moment axios indicatorts
  trading-signals talib technicalindicators yahoo-finance2 vega vega-lite canvas echarts pinata irys
  better-sqlite3 @erc725/erc725.js @thanpolas/univ3prices txml papaparse node-html-parser`
  .trim()
  .split(/\s+/);

/** Reports each required library that is not on the allowlist. */
export function checkAllowlist(libraries: readonly string[], allowlist: readonly string[]): Finding[] {
  return libraries.flatMap((name, index) => {
    if (isAllowed(name, allowlist)) return [];
    // The command allows packages only: modules of Node reach files and processes.
    const byCommand = isBuiltin(name) ? 'In' : `If you trust it: schemakit --allow-library ${name} <command>; in`;
    const hint = `${byCommand} a program, allowlist: [...SchemaKit.getDefaultAllowlist().allowlist, ${JSON.stringify(name)}].`;
    return ruleFinding('VAL026', libraryPath(index), `Library '${name}' is not on the allowlist`, hint);
  });
}

/** Whether a library is on the allowlist. `node:` makes no difference. */
export function isAllowed(name: string, allowlist: readonly string[]): boolean {
  return allowlist.some((allowed) => withoutScheme(allowed) === withoutScheme(name));
}

/** Finds an installed library from the first folder that has it. */
export async function locateLibrary(name: string, folders: readonly string[]): Promise<HandlerLibrary | undefined> {
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

/** The finding for an allowed library that is not installed. `folders` were searched; the first is the best to install it in. */
export function notInstalled(name: string, { index, folders }: { index: number; folders: readonly string[] }): Finding {
  const [first = '.', ...others] = new Set(folders);
  const elsewhere = others.length === 0 ? '' : ` It was also looked for from ${others.join(' and ')}.`;
  return {
    code: 'LIB001',
    severity: 'warning',
    path: libraryPath(index),
    message: `Library '${name}' is not installed; calls of handlers that use it will fail`,
    hint: `Run npm install ${name} in ${first}.${elsewhere}`,
  };
}

function libraryPath(index: number): string {
  return `main.requiredLibraries[${index}]`;
}

function withoutScheme(name: string): string {
  return name.startsWith('node:') ? name.slice('node:'.length) : name;
}

function findManifest(name: string, folder: string): string | undefined {
  try {
    return nodeModule.findPackageJSON(name, pathToFileURL(join(folder, 'schema.mjs')));
  } catch {
    return undefined; // Node throws for a missing package.
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

/** The conditions of Node's `import` (https://nodejs.org/api/packages.html, "Conditional exports"). */
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
    return {}; // The library then fails where it is used.
  }
}

export interface LoadLibrariesOptions {
  requiredLibraries: readonly string[];
  allowlist: readonly string[];
  /** Folder from which packages are looked up. Default the current one. */
  folder?: string;
}

export interface LoadLibrariesResult extends CheckResult {
  /** Name to what the module exports by default, or the module. */
  libraries: Record<string, unknown>;
}

/** Imports allowlisted libraries into this process, for handlers of the program's own. */
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
      const message = messageOf(error);
      const text = `Library '${name}' cannot be loaded: ${message}`;
      findings.push({ code: 'LIB002', severity: 'error', path: libraryPath(index), message: text });
    }
  }
  const result = checkResult(findings);
  return { ...result, libraries: result.status ? libraries : {} };
}

/** The default export of a library, or its namespace. */
async function importLibrary({ name, entry }: HandlerLibrary): Promise<unknown> {
  try {
    const module = (await import(entry === '' ? name : pathToFileURL(entry).href)) as { default?: unknown };
    return module.default ?? module;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Native add-ons and JSON can only be required.
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION' || code === 'ERR_IMPORT_ATTRIBUTE_MISSING')
      return createRequire(entry)(entry);
    throw error;
  }
}
