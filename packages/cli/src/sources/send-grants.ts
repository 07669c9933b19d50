import { readFileSync } from 'node:fs';
import type { Finding } from '@schemakit/core';
import {
  analyzeModule,
  findEntry,
  lockFinding,
  rootOrigin,
  type SecretRoute,
  secretRoutes,
  trustCommand,
} from '@schemakit/core/internal';
import { type Lock, type LockEntry, readLock, trustSchemas } from '@schemakit/core/lock';
import { ask, canAsk } from '../output/confirm.ts';
import { printFindings } from '../output/print-findings.ts';
import { textTable } from '../output/text-table.ts';
import { isRecord } from '../settings/parse-json.ts';
import { importedFrom } from './lock-files.ts';

/** An imported schema with secrets that it may not send yet. */
export interface WaitingSecrets {
  source: string;
  file: string;
  lockFile: string;
  path: string;
  entry: LockEntry;
  routes: readonly SecretRoute[];
}

/** The secrets that imported schemas may not send yet, as their lock file has them. Files of the user need no grant. */
export function waitingSecrets(
  files: readonly string[],
  { lock: named }: { lock?: string | undefined } = {},
): WaitingSecrets[] {
  const locks = new Map<string, Lock | undefined>();
  return files.flatMap((file) => {
    const imported = importedFrom(file);
    const lockFile = named ?? imported?.lockFile;
    if (imported === undefined || lockFile === undefined) return [];
    if (!locks.has(lockFile)) locks.set(lockFile, readLock({ lockFile }).lock);
    const lock = locks.get(lockFile);
    const { path, entry } = (lock && findEntry(lock, file)) ?? {};
    if (path === undefined || entry === undefined) return [];
    const { root, secrets } = entry.seen;
    const routes = secretRoutes({ root, secrets, send: entry.grants.send }).filter(({ granted }) => !granted);
    // A schema that moved is asked about once it is trusted again.
    return routes.length === 0 || hasMoved(file, root)
      ? []
      : { source: imported.source, file, lockFile, path, entry, routes };
  });
}

/** Whether the file names another origin than the root that was pinned. */
function hasMoved(file: string, root: string): boolean {
  try {
    const main = analyzeModule(readFileSync(file, 'utf8'), { file }).read('main');
    const now = main.status === 'read' && isRecord(main.value) ? main.value.root : undefined;
    return typeof now === 'string' && rootOrigin(now) !== rootOrigin(root);
  } catch {
    return false; // Loading it reports the problem.
  }
}

/** At a terminal: asks once for each source whether its schemas may send their secrets. A yes is written to the lock file. */
export async function askToSend(files: readonly string[], options: { lock?: string | undefined } = {}): Promise<void> {
  if (!canAsk()) return;
  for (const [source, waiting] of Map.groupBy(waitingSecrets(files, options), (one) => one.source)) {
    process.stderr.write(`Schemas of ${source} send secrets of yours to\n${routesText(waiting)}`);
    if (!(await ask('Allow it?'))) continue;
    for (const [lockFile, own] of Map.groupBy(waiting, (one) => one.lockFile)) {
      const schemas = own.map(({ file, path, entry, routes }) => ({
        check: { state: 'same' as const, file, path, entry, pin: entry, changed: [], summary: [] },
        grants: { send: Object.fromEntries(routes.map(({ name, origin }) => [name, [origin]])) },
      }));
      printFindings((await trustSchemas({ lockFile, schemas })).findings);
    }
  }
}

/** A table of secrets and origins, each pair once. */
function routesText(waiting: readonly Pick<WaitingSecrets, 'routes'>[]): string {
  return textTable(
    ['Secret', 'Origin'],
    uniqueRoutes(waiting).map(({ name, origin }) => [name, origin]),
  );
}

function uniqueRoutes(waiting: readonly Pick<WaitingSecrets, 'routes'>[]): { name: string; origin: string }[] {
  const routes = waiting.flatMap(({ routes }) =>
    routes.map(({ name, origin }) => [`${name} ${origin}`, { name, origin }] as const),
  );
  return [...new Map(routes).values()];
}

/** The command that grants what is waiting: for a file, or for a whole source where several of its files wait. */
function sendCommand(waiting: readonly WaitingSecrets[]): string {
  const flags = [...new Set(waiting.flatMap(({ routes }) => routes.map(({ name }) => name)))].flatMap((name) => [
    '--send',
    name,
  ]);
  const [first] = waiting;
  if (waiting.length === 1 && first) {
    const { file, lockFile } = first;
    // `trust` finds the lock file of a source by itself.
    return trustCommand({
      files: [file],
      flags,
      lockFile: importedFrom(file)?.lockFile === lockFile ? undefined : lockFile,
    });
  }
  return trustCommand({ files: [], flags: ['--source', first?.source ?? '', ...flags] });
}

/** For JSON documents: the secrets that wait, if there are any, with the command that grants them. */
export function needsGrants(waiting: readonly WaitingSecrets[]): {
  needsGrants?: { source: string; secret: string; origin: string; fix: string }[];
} {
  const bySource = Map.groupBy(waiting, ({ source }) => source);
  const needed = [...bySource].flatMap(([source, own]) =>
    uniqueRoutes(own).map(({ name: secret, origin }) => ({ source, secret, origin, fix: sendCommand(own) })),
  );
  return needed.length > 0 ? { needsGrants: needed } : {};
}

/** A warning for each source with secrets that it may not send. */
export function waitingFindings(waiting: readonly WaitingSecrets[]): Finding[] {
  return [...Map.groupBy(waiting, ({ source }) => source)].map(([source, own]) => {
    const routes = uniqueRoutes(own).map(({ name, origin }) => `${name} to ${origin}`);
    const message = `schemas of ${source} may not send ${routes.join(', ')}: their calls will fail`;
    return lockFinding('LCK010', message, { hint: `If you trust them: ${sendCommand(own)}` });
  });
}
