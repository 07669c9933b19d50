import { lstatSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { analyzeModule } from '../module/analyze-module.ts';
import { offsetLocator } from '../module/module-text.ts';
import { type CheckResult, checkResult, childPath, type Finding, messageOf, type Report } from '../schema/finding.ts';
import { isObject } from '../schema/json.ts';
import { nearestWord } from '../schema/nearest-word.ts';
import { updateFile } from './file-lock.ts';
import { isOrigin, type LockGrants } from './grants.ts';
import { lockFinding } from './lock-codes.ts';
import { isLockPath, lockedFile, lockPaths } from './lock-paths.ts';
import type { SchemaPin } from './schema-pin.ts';

export interface LockFileResult extends CheckResult {
  /** Absent if `status` is false. */
  lock?: Lock;
}

interface ReadLockOptions {
  lockFile: string;
  missing?: 'error' | 'empty';
}

/**
 * Reads a lock file. Any part that cannot be parsed is an error; nothing is skipped.
 *
 * @param options.missing - For a missing file: `error`, or `empty`, a lock without entries. Default `error`.
 *
 * @example
 * const { lock, findings } = readLock({ lockFile: 'schemakit.lock.json', missing: 'empty' });
 * console.log(lock?.schemas.size, findings); // 0 []
 */
export function readLock({ lockFile, missing = 'error' }: ReadLockOptions): LockFileResult {
  const file = resolve(lockFile);
  try {
    const { lock, findings } = parseFile(file);
    return { ...checkResult(findings), ...(lock && { lock }) };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const isLink = isMissing && lstatSync(file, { throwIfNoEntry: false }) !== undefined;
    if (isMissing && !isLink && missing === 'empty') {
      return { ...checkResult([]), lock: { file, schemas: new Map() } };
    }
    if (isLink) {
      const hint = 'Remove the link, or restore the file that it points to.';
      return checkResult([lockFinding('LCK001', `the lock file ${file} is a link to a missing file`, { hint, file })]);
    }
    const message = isMissing ? `there is no lock file ${file}` : `the lock file cannot be read: ${messageOf(error)}`;
    const hint = isMissing
      ? 'Check the path, or write it with schemakit trust.'
      : 'Check the path and its permissions.';
    return checkResult([lockFinding('LCK001', message, { hint, file })]);
  }
}

type ParsedLock = ReturnType<typeof parseLock>;

let latest: (ParsedLock & { file: string; state: string }) | undefined;

/** A file that changed this recently may change again with the same timestamps. In milliseconds. */
const settledAfterMs = 1000;

/** Loading a folder reads the same lock file for each schema, so the latest one is cached until it changes. */
function parseFile(file: string): ParsedLock {
  const now = Date.now();
  const stats = statSync(file);
  // Reading a pipe or a device could block.
  if (!stats.isFile()) throw new Error('it is not a regular file');
  const { dev, ino, size, mtimeMs, ctimeMs } = stats;
  if (size > maxBytes) return tooLarge(size, file);
  const state = [dev, ino, size, mtimeMs, ctimeMs].join();
  if (latest?.file === file && latest.state === state) return latest;
  const parsed = parseLock(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''), file);
  latest = ctimeMs < now - settledAfterMs ? { ...parsed, file, state } : undefined;
  return parsed;
}

/** The text of a lock file, with sorted keys, so that equal locks have equal text. */
export function formatLock({ schemas }: Lock): string {
  return `${JSON.stringify(sortKeys({ lockVersion, schemas: Object.fromEntries(schemas) }), null, 2)}\n`;
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key])]));
}

/** The entries of files, and those below folders. */
export function entriesAt({ file, schemas }: Lock, paths: readonly string[]): [string, LockEntry][] {
  const places = paths.flatMap((path) => lockPaths(file, path));
  // The folder of the lock file itself has no relative path, so all spellings are compared.
  return [...schemas].filter(([path]) => {
    const names = lockPaths(file, lockedFile(file, path));
    return places.some((place) => names.some((name) => name === place || name.startsWith(`${place}/`)));
  });
}

/** Returns the new entries, or findings that say why there are none. */
export type LockChange = (lock: Lock) => { schemas?: ReadonlyMap<string, LockEntry>; findings?: readonly Finding[] };

/** Updates a lock file under a file lock. A missing file is created; nothing is written if the file or `change` has an error. */
export async function updateLock(lockFile: string, change: LockChange): Promise<CheckResult> {
  const file = resolve(lockFile);
  let result = checkResult([]);
  try {
    await updateFile(file, () => {
      const { lock, findings: unreadable } = readLock({ lockFile: file, missing: 'empty' });
      result = checkResult(unreadable);
      if (lock === undefined) return undefined;
      const { schemas, findings = [] } = change(lock);
      result = checkResult(findings);
      if (schemas === undefined || !result.status) return undefined;
      const text = formatLock({ file, schemas });
      const { findings: unwritable } = parseLock(text, file);
      if (unwritable.length > 0) result = checkResult(unwritable);
      return result.status && text !== formatLock(lock) ? text : undefined;
    });
    return result;
  } catch (error) {
    const hint = 'Check the permissions of its folder, and try again.';
    return checkResult([lockFinding('LCK007', `the lock file cannot be written: ${messageOf(error)}`, { hint, file })]);
  }
}

/** The only version of the lock file that is written and read. */
export const lockVersion = 1;

/** One schema as it was trusted. */
export interface LockEntry extends SchemaPin {
  /** The origin of the file, such as the URL of a repository; null for a local file. */
  source: string | null;
  /** The revision of the source; null if there is none. */
  revision: string | null;
  grants: LockGrants;
}

export interface Lock {
  /** Its absolute path. */
  file: string;
  /** Entries by the paths of their files; see `lockPaths`. */
  schemas: ReadonlyMap<string, LockEntry>;
}

const trustAgain = 'Correct it, or remove the file and run schemakit trust for each schema again.';

/** Thousands of schemas. A lock file may come with a project, and each command reads it. */
const maxBytes = 8 * 1024 * 1024;

function tooLarge(bytes: number, file: string): { findings: Finding[] } {
  const message = `the lock file has ${bytes} bytes, more than ${maxBytes}`;
  const hint = 'Remove what does not belong in it, or remove the file and run schemakit trust for each schema again.';
  return { findings: [lockFinding('LCK002', message, { hint, file })] };
}

/** Parses the text of a lock file. `lock` is absent if there are findings, which have lines. */
export function parseLock(text: string, file: string): { lock?: Lock; findings: Finding[] } {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) return tooLarge(bytes, file);
  const parsed = parseJson(text, file);
  if (!parsed.ok) return { findings: [parsed.finding] };
  const findings: Finding[] = [];
  const schemas = readDocument(parsed.value, (finding) => findings.push(finding));
  if (findings.length === 0) return { lock: { file, schemas }, findings };
  const locate = locator(text);
  return { findings: findings.map((finding) => ({ ...finding, file, ...locate(finding.path) })) };
}

function parseJson(text: string, file: string): { ok: true; value: unknown } | { ok: false; finding: Finding } {
  try {
    const value: unknown = JSON.parse(text);
    const repeated = repeatedKey(text);
    if (repeated === undefined) return { ok: true, value };
    const { key, offset } = repeated;
    // Readers differ in which of them counts.
    const finding = lockFinding('LCK002', `the lock file has the key ${key} twice`, { hint: trustAgain, file });
    return { ok: false, finding: { ...finding, ...offsetLocator(text)(offset) } };
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/ \(line \d+ column \d+\)$/, '') : String(error);
    const offset =
      /^<{7}|^={7}|^>{7}/m.exec(text)?.index ?? Number(/at position (\d+)/.exec(reason)?.[1] ?? text.length);
    const isConflict = /^<{7} /m.test(text);
    const hint = isConflict
      ? 'It contains both sides of a merge. Keep one of them, and run schemakit trust for the schemas of the other.'
      : trustAgain;
    const message = isConflict ? 'the lock file has an unresolved merge' : `the lock file is not JSON: ${reason}`;
    return {
      ok: false,
      finding: { ...lockFinding('LCK002', message, { hint, file }), ...offsetLocator(text)(offset) },
    };
  }
}

/** Finds a key that an object of JSON text has twice, in any spelling. */
function repeatedKey(json: string): { key: string; offset: number } | undefined {
  const open: Set<unknown>[] = [];
  for (const { 0: token, 1: colon, index: offset } of json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (colon !== undefined) {
      const key = token.slice(0, -colon.length);
      const name: unknown = JSON.parse(key);
      if (open.at(-1)?.has(name)) return { key, offset };
      open.at(-1)?.add(name);
    }
  }
  return undefined;
}

/** JSON is a JavaScript expression, so the positions of a module's values are those of the file. */
function locator(text: string): (path: string) => { line: number; column: number } | undefined {
  const prefix = 'export const lock = ';
  const { locate } = analyzeModule(`${prefix}${text}`, { file: '' });
  return (path) => {
    const place = locate(path === '' ? 'lock' : `lock${path.startsWith('[') ? '' : '.'}${path}`);
    if (place?.line !== 1) return place;
    return { line: 1, column: Math.max(1, place.column - prefix.length) };
  };
}

function readDocument(value: unknown, report: Report): Map<string, LockEntry> {
  document(value, '', report);
  if (!isObject(value)) return new Map();
  if (value.lockVersion !== lockVersion) {
    const found = JSON.stringify(value.lockVersion);
    const message = `the lock file has lockVersion ${found}; this SchemaKit reads ${lockVersion}`;
    const hint = 'Use the SchemaKit that wrote it, or remove the file and run schemakit trust for each schema again.';
    report(lockFinding('LCK003', message, { path: 'lockVersion', hint }));
    return new Map();
  }
  schemas(value.schemas, 'schemas', report);
  // Used only if there are no findings.
  return new Map(Object.entries(Object(value.schemas) as Record<string, LockEntry>));
}

type Rule = (value: unknown, path: string, report: Report) => void;

function rule(expected: string, isRight: (value: unknown) => boolean): Rule {
  return (value, path, report) => {
    if (!isRight(value)) report(wrong(path, expected));
  };
}

function recordOf(item: Rule, isName: (name: string) => boolean = () => true): Rule {
  return (value, path, report) => {
    if (!isObject(value)) return report(wrong(path, 'an object'));
    for (const [name, one] of Object.entries(value)) {
      const place = childPath(path, name);
      if (!isName(name)) report(wrong(place, lockPath));
      item(one, place, report);
    }
  };
}

function objectOf(fields: Readonly<Record<string, Rule>>): Rule {
  return (value, path, report) => {
    if (!isObject(value)) return report(wrong(path, 'an object'));
    // A misspelt field would be ignored silently.
    for (const name of Object.keys(value).filter((key) => !Object.hasOwn(fields, key))) {
      const meant = nearestWord(name, Object.keys(fields));
      const place = childPath(path, name);
      const hint = meant === undefined ? trustAgain : `Did you mean ${meant}?`;
      report(lockFinding('LCK002', `the lock file has an unknown field (${place})`, { path: place, hint }));
    }
    for (const [name, field] of Object.entries(fields)) field(value[name], childPath(path, name), report);
  };
}

function wrong(path: string, expected: string): Finding {
  const what = path === '' ? 'the lock file' : path;
  return lockFinding('LCK002', `${what} must be ${expected}`, { path, hint: trustAgain });
}

const lockPath = 'a path with forward slashes and without "..", relative to the lock file or absolute';
const isText = (value: unknown) => typeof value === 'string';
const isHash = (value: unknown) => typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value);
const isOrigins = (value: unknown) => value === 'any' || (Array.isArray(value) && value.every(isOrigin));
const orNull = (isRight: (value: unknown) => boolean) => (value: unknown) => value === null || isRight(value);

const text = rule('text', isText);
const textOrNull = rule('text or null', orNull(isText));
const texts = rule('an array of text', (value) => Array.isArray(value) && value.every(isText));
const origins = rule(
  'an array of origins such as "https://api.example.com"',
  (value) => value !== 'any' && isOrigins(value),
);
const optional =
  (field: Rule): Rule =>
  (value, path, report) => {
    if (value !== undefined) field(value, path, report);
  };
const hash = rule('sha256: and 64 hexadecimal digits', isHash);
const entry = objectOf({
  source: textOrNull,
  revision: textOrNull,
  main: hash,
  handlers: rule('sha256: and 64 hexadecimal digits', orNull(isHash)),
  lists: recordOf(hash),
  grants: objectOf({
    network: rule('"any", or an array of origins such as "https://api.example.com"', isOrigins),
    secrets: texts,
    send: optional(recordOf(origins)),
    read: optional(texts),
  }),
  seen: objectOf({
    root: text,
    secrets: texts,
    // `only` is of earlier files: it is read and no longer used.
    tokenEndpoint: optional(objectOf({ url: text, secrets: texts, only: optional(texts) })),
    libraries: texts,
    hooks: rule(
      'an array of text',
      orNull((value) => Array.isArray(value) && value.every(isText)),
    ),
    hosts: texts,
    parts: recordOf(text),
  }),
});
const schemas = recordOf(entry, isLockPath);
const document = objectOf({ lockVersion: () => {}, schemas: () => {} });
