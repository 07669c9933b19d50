import { offsetLocator } from '../module/module-text.ts';
import { readModule } from '../module/read-module.ts';
import { childPath, type Finding, type Report } from '../schema/finding.ts';
import { isObject } from '../schema/json.ts';
import { nearestWord } from '../schema/nearest-word.ts';
import { isOrigin, type LockGrants } from './grants.ts';
import { lockFinding } from './lock-codes.ts';
import { isLockPath } from './lock-paths.ts';
import type { SchemaPin } from './schema-pin.ts';

/** The version of the lock file that is written, and the only one that is read. */
export const lockVersion = 1;

/** One schema as it was trusted. */
export interface LockEntry extends SchemaPin {
  /** Where the file came from, such as the address of a repository; null for a file of one's own. */
  source: string | null;
  /** The revision of the source; null where there is none. */
  revision: string | null;
  grants: LockGrants;
}

/** A lock file. */
export interface Lock {
  /** Its absolute path. */
  file: string;
  /** Entries by the paths of their files; see `lockPaths`. */
  schemas: ReadonlyMap<string, LockEntry>;
}

const trustAgain = 'Correct it, or remove the file and run schemakit trust for each schema again.';

/** Reads the text of a lock file. What is wrong with it is in the findings, with lines; then there is no lock. */
export function parseLock(text: string, file: string): { lock?: Lock; findings: Finding[] } {
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
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/ \(line \d+ column \d+\)$/, '') : String(error);
    const offset =
      /^<{7}|^={7}|^>{7}/m.exec(text)?.index ?? Number(/at position (\d+)/.exec(reason)?.[1] ?? text.length);
    const isConflict = /^<{7} /m.test(text);
    const hint = isConflict
      ? 'It holds both sides of a merge. Take one of them, and run schemakit trust for the schemas of the other.'
      : trustAgain;
    const message = isConflict ? 'the lock file has an unresolved merge' : `the lock file is not JSON: ${reason}`;
    return {
      ok: false,
      finding: { ...lockFinding('LCK002', message, { hint, file }), ...offsetLocator(text)(offset) },
    };
  }
}

/** JSON is an expression, so that the places of a module's values are those of the file. */
function locator(text: string): (path: string) => { line: number; column: number } | undefined {
  const prefix = 'export const lock = ';
  const { locate } = readModule(`${prefix}${text}`, { file: '' });
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
    report(
      lockFinding('LCK003', `the lock file has lockVersion ${found}; this SchemaKit reads ${lockVersion}`, {
        path: 'lockVersion',
        hint: 'Use the SchemaKit that wrote it, or remove the file and run schemakit trust for each schema again.',
      }),
    );
    return new Map();
  }
  schemas(value.schemas, 'schemas', report);
  // Whoever gets it has looked at the findings first.
  return new Map(Object.entries(Object(value.schemas) as Record<string, LockEntry>));
}

/** Reports what is wrong with a value. */
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
    // A misspelt field would say nothing, and nobody would notice.
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
  }),
  seen: objectOf({
    root: text,
    secrets: texts,
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
