import { lstatSync, statSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { type Finding, findSchemaFiles } from '@schemakit/core';
import { findEntry, lockedFile, lockFinding, mergeGrants, trustCommand } from '@schemakit/core/internal';
import { findLockFile, type LockGrants, readLock } from '@schemakit/core/lock';
import { ask, canAsk } from '../output/confirm.ts';
import { printFindings } from '../output/print-findings.ts';
import { printable } from '../output/terminal-text.ts';
import { type AcceptablePart, accept, unaccepted } from '../settings/accepted.ts';
import { allowedLibraries } from '../settings/allowed-libraries.ts';
import { realPath, settingsPaths } from '../settings/settings-paths.ts';

export interface LockPlace {
  /** The lock file that the user named. It counts as it is. */
  named: string | undefined;
  /** That of an imported source. Default: the nearest one. */
  imported?: string | undefined;
  /** Whether a terminal may ask. Default: yes; no for commands that only show something. */
  asks?: boolean | undefined;
}

/** Options of `loadSchema` for a lock file, and for the libraries that the user allowed. */
export interface UsedLock extends ReturnType<typeof allowedLibraries> {
  lockFile?: string;
  /** Entries whose grants wait until the user accepts them. */
  unaccepted?: readonly string[];
}

/**
 * Chooses the lock file. All its pins count; the grants of one that came with a project count once the user accepted them, for
 * which it asks at a terminal (docs/trust.md, "Lock files of others").
 */
export async function useLock(
  { named, imported, asks = true }: LockPlace,
  { paths, isAgain = false }: { paths: readonly string[]; isAgain?: boolean },
): Promise<{ used: UsedLock; refused: Finding[] }> {
  const lockFile = named ?? imported ?? findLockFile();
  const libraries = allowedLibraries();
  if (lockFile === undefined || named !== undefined)
    return { used: { ...libraries, ...(lockFile && { lockFile }) }, refused: [] };
  const problem = strangerProblem(lockFile);
  if (problem !== undefined) return { used: libraries, refused: [problem] };
  const { lock } = readLock({ lockFile });
  let waiting = lock === undefined ? [] : waitingGrants(lock);
  if (lock !== undefined && waiting.length > 0 && !isAgain) {
    const files = await findSchemaFiles(paths);
    const used = new Set(files.map(({ file }) => findEntry(lock, file).path));
    const asked = waiting.filter(({ part }) => used.has(part));
    if (asks && asked.length > 0 && (await askToAccept(asked))) waiting = waitingGrants(lock);
    else printFindings(asked.map(notAccepted));
  }
  return { used: { ...libraries, lockFile, unaccepted: waiting.map(({ part }) => part) }, refused: [] };
}

export interface GrantsOfEntry extends AcceptablePart {
  contents: LockGrants;
}

/** The grants of a lock file that wait until the user accepts them. Those of imported sources are the user's own. */
export function waitingGrants({ file, schemas }: Grantable): GrantsOfEntry[] {
  if (isGlobal(file)) return [];
  const parts = [...schemas].map(([part, { grants }]) => ({ file, part, contents: mergeGrants(grants, {}) }));
  return unaccepted(parts.filter(({ contents }) => grantRows(contents).length > 0));
}

/** A lock file, or entries of one. */
interface Grantable {
  file: string;
  schemas: Iterable<readonly [path: string, entry: { grants: LockGrants }]>;
}

/** Whether a lock file is that of the global folder, where also what was accepted is recorded. */
function isGlobal(lockFile: string): boolean {
  return realPath(dirname(lockFile)) === realPath(settingsPaths().home.schemas);
}

async function askToAccept(waiting: readonly GrantsOfEntry[]): Promise<boolean> {
  if (!canAsk()) return false;
  const [{ file } = { file: '' }] = waiting;
  const lines = waiting.flatMap(({ part, contents }) => [
    `  ${printable(part)}`,
    ...grantRows(contents).map(([label, value]) => `    ${label.padEnd(20)}${printable(value)}`),
  ]);
  const heading = `${relative(process.cwd(), file) || file} has grants that you have not accepted:`;
  process.stderr.write(`${printable(heading)}\n${lines.join('\n')}\n`);
  if (!(await ask('Accept them?'))) return false;
  const written = await accept(waiting);
  if (!written.ok) printFindings([written.finding]);
  return written.ok;
}

/** What a schema is granted, one thing a row. */
export function grantRows({ network, secrets, send = {}, read = [] }: LockGrants): [label: string, value: string][] {
  const reached = network === 'any' ? ['any public address'] : network;
  return [
    ...Object.entries(send).flatMap(([name, origins]) =>
      origins.map((origin): [string, string] => ['may send', `${name} to ${origin}`]),
    ),
    ...secrets.map((name): [string, string] => ['handlers may read', name]),
    ...reached.map((origin): [string, string] => ['handlers may reach', origin]),
    ...read.map((path): [string, string] => ['may read', path]),
  ];
}

function notAccepted({ file, part, contents }: GrantsOfEntry): Finding {
  const what = grantRows(contents).map(([label, value]) => `${label} ${value}`);
  const schema = lockedFile(file, part);
  const hint = `If you agree: ${trustCommand({ files: [schema], lockFile: file })}, or name the lock file with --lock or SCHEMAKIT_LOCK.`;
  const message = `the grants of ${part} wait until you accept them: ${what.join(', ')}`;
  return lockFinding('LCK008', message, { hint, file });
}

/**
 * The finding for a lock file that was found, not named, and that another user may have put there. Files of root are fine, and a
 * folder with the sticky bit, such as `/tmp`, where others cannot replace them.
 */
export function strangerProblem(lockFile: string): Finding | undefined {
  const uid = process.getuid?.();
  const folder = statSync(dirname(lockFile), { throwIfNoEntry: false });
  const files = [lstatSync(lockFile, { throwIfNoEntry: false }), statSync(lockFile, { throwIfNoEntry: false })];
  if (uid === undefined || folder === undefined) return undefined;
  const isOthers = files.some((info) => info !== undefined && info.uid !== uid && info.uid !== 0);
  const isOpen = (folder.mode & 0o002) !== 0 && (folder.mode & 0o1000) === 0;
  if (!isOthers && !isOpen) return undefined;
  const message = isOthers
    ? `the lock file ${lockFile} belongs to another user`
    : `other users can replace the lock file ${lockFile}: they can write to its folder`;
  const hint = `If you trust it, name it: --lock ${lockFile}, or SCHEMAKIT_LOCK. Otherwise remove it.`;
  return lockFinding('LCK009', message, { hint, file: lockFile });
}
