import { childPath, type Finding, type Report } from '../../format/finding.ts';
import { isObject } from '../../format/json.ts';
import { lockFinding } from '../../format/lock-codes.ts';
import { nearestWord } from '../../format/nearest-word.ts';
import { offsetLocator } from '../../module/module-text.ts';
import { readModule } from '../../module/read-module.ts';
import { type Lock, type LockEntry, lockVersion } from './lock.ts';
import { isLockPath } from './lock-paths.ts';
import { isOrigin } from './origin.ts';

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
  const schemas = new Map<string, LockEntry>();
  const document = objectAt(value, { path: '', keys: ['lockVersion', 'schemas'], report });
  if (document === undefined) return schemas;
  if (document.lockVersion !== lockVersion) {
    const found = JSON.stringify(document.lockVersion);
    report(
      lockFinding('LCK003', `the lock file has lockVersion ${found}; this SchemaKit reads ${lockVersion}`, {
        path: 'lockVersion',
        hint: 'Use the SchemaKit that wrote it, or remove the file and run schemakit trust for each schema again.',
      }),
    );
    return schemas;
  }
  const entries = objectAt(document.schemas, { path: 'schemas', report });
  for (const [name, entry] of Object.entries(entries ?? {})) {
    const path = childPath('schemas', name);
    if (!isLockPath(name)) {
      report(wrong(path, 'a path with forward slashes and without "..", relative to the lock file or absolute'));
    }
    const read = readEntry(entry, path, report);
    if (read) schemas.set(name, read);
  }
  return schemas;
}

const entryKeys = ['source', 'revision', 'main', 'handlers', 'lists', 'grants', 'seen'];
const seenKeys = ['root', 'secrets', 'libraries', 'hooks', 'hosts', 'parts'];

function readEntry(value: unknown, path: string, report: Report): LockEntry | undefined {
  const entry = objectAt(value, { path, keys: entryKeys, report });
  const seen = entry && objectAt(entry.seen, { path: `${path}.seen`, keys: seenKeys, report });
  const grants = entry && objectAt(entry.grants, { path: `${path}.grants`, keys: ['network', 'secrets'], report });
  if (entry === undefined || seen === undefined || grants === undefined) return undefined;
  const at = (key: string) => ({ path: `${path}.${key}`, report });
  return {
    source: textOrNull(entry.source, at('source')),
    revision: textOrNull(entry.revision, at('revision')),
    main: hashText(entry.main, at('main')),
    handlers: entry.handlers === null ? null : hashText(entry.handlers, at('handlers')),
    lists: texts(entry.lists, { ...at('lists'), read: hashText }),
    grants: {
      network: origins(grants.network, at('grants.network')),
      secrets: textArray(grants.secrets, at('grants.secrets')),
    },
    seen: {
      root: text(seen.root, at('seen.root')),
      secrets: textArray(seen.secrets, at('seen.secrets')),
      libraries: textArray(seen.libraries, at('seen.libraries')),
      hooks: seen.hooks === null ? null : textArray(seen.hooks, at('seen.hooks')),
      hosts: textArray(seen.hosts, at('seen.hosts')),
      parts: texts(seen.parts, { ...at('seen.parts'), read: text }),
    },
  };
}

interface Place {
  path: string;
  report: Report;
}

function objectAt(
  value: unknown,
  { path, keys, report }: Place & { keys?: readonly string[] },
): Record<string, unknown> | undefined {
  if (!isObject(value)) {
    report(wrong(path, 'an object'));
    return undefined;
  }
  // A misspelt field would say nothing, and nobody would notice.
  for (const key of Object.keys(value)) {
    if (keys === undefined || keys.includes(key)) continue;
    const meant = nearestWord(key, keys);
    const place = childPath(path, key);
    const hint = meant === undefined ? trustAgain : `Did you mean ${meant}?`;
    report(lockFinding('LCK002', `the lock file has an unknown field (${place})`, { path: place, hint }));
  }
  return value;
}

function text(value: unknown, { path, report }: Place): string {
  if (typeof value === 'string') return value;
  report(wrong(path, 'text'));
  return '';
}

function textOrNull(value: unknown, place: Place): string | null {
  if (value === null || typeof value === 'string') return value;
  place.report(wrong(place.path, 'text or null'));
  return null;
}

function hashText(value: unknown, { path, report }: Place): string {
  if (typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value)) return value;
  report(wrong(path, 'sha256: and 64 hexadecimal digits'));
  return '';
}

function textArray(value: unknown, { path, report }: Place): string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  report(wrong(path, 'an array of text'));
  return [];
}

function origins(value: unknown, place: Place): string[] | 'any' {
  if (value === 'any' || (Array.isArray(value) && value.every(isOrigin))) return value;
  place.report(wrong(place.path, '"any", or an array of origins such as "https://api.example.com"'));
  return [];
}

/** Keys are names from files: `__proto__` is one like any other. */
function texts(
  value: unknown,
  { read, ...place }: Place & { read: (value: unknown, place: Place) => string },
): Record<string, string> {
  const entries = Object.entries(objectAt(value, place) ?? {});
  return Object.fromEntries(
    entries.map(([key, item]) => [key, read(item, { ...place, path: childPath(place.path, key) })]),
  );
}

function wrong(path: string, expected: string): Finding {
  const what = path === '' ? 'the lock file' : path;
  return lockFinding('LCK002', `${what} must be ${expected}`, { path, hint: trustAgain });
}
