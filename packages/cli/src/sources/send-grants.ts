import { type Finding, SchemaKit } from '@schemakit/core';
import {
  findEntry,
  keptGrants,
  lockFinding,
  privateOrigins,
  type SecretRoute,
  secretRoutes,
  sendGrants,
  trustCommand,
} from '@schemakit/core/internal';
import { checkLock, type Lock, type LockEntry, type LockGrants, readLock, trustSchemas } from '@schemakit/core/lock';
import { ask, canAsk } from '../output/confirm.ts';
import { printFindings } from '../output/print-findings.ts';
import { textTable } from '../output/text-table.ts';
import { importedFrom } from './lock-files.ts';

/** What an imported schema is not granted yet: to send secrets, or to reach a private address. */
export interface MissingGrants {
  source: string;
  file: string;
  lockFile: string;
  path: string;
  entry: LockEntry;
  /** Its secrets that wait. */
  routes: readonly SecretRoute[];
  /** The private or loopback addresses of its root and its token endpoint that wait. */
  networks: readonly string[];
  /** It is no longer the schema that was trusted: granting means to trust it as it is now. */
  hasChanged: boolean;
}

/** The grants that imported schemas lack, as their lock file has them. Files of the user need none. */
export async function missingGrants(
  files: readonly string[],
  { lock: named }: { lock?: string | undefined } = {},
): Promise<MissingGrants[]> {
  const locks = new Map<string, Lock | undefined>();
  const waiting: MissingGrants[] = [];
  for (const file of files) {
    const imported = importedFrom(file);
    const lockFile = named ?? imported?.lockFile;
    if (imported === undefined || lockFile === undefined) continue;
    if (!locks.has(lockFile)) locks.set(lockFile, readLock({ lockFile }).lock);
    const lock = locks.get(lockFile);
    const { path, entry } = (lock && findEntry(lock, file)) ?? {};
    if (lock === undefined || path === undefined || entry === undefined) continue;
    const pinned = lacking(entry.seen, entry.grants);
    if (!pinned) continue;
    const { main } = await SchemaKit.loadSchema({ filePath: file });
    const check = checkLock({ lock, schema: { file, main } });
    const hasChanged = check?.state === 'changed';
    const lacks = hasChanged ? lacking(check.pin.seen, keptGrants(entry, check.pin)) : pinned;
    if (lacks) waiting.push({ source: imported.source, file, lockFile, path, entry, hasChanged, ...lacks });
  }
  return waiting;
}

/** What a schema needs beyond its grants; undefined if nothing. */
function lacking(
  seen: LockEntry['seen'],
  { send, network: granted }: LockGrants,
): Pick<MissingGrants, 'routes' | 'networks'> | undefined {
  const routes = secretRoutes({ ...seen, send }).filter((route) => !route.granted);
  const networks = privateOrigins(seen).filter((origin) => !granted.includes(origin));
  return routes.length + networks.length === 0 ? undefined : { routes, networks };
}

/**
 * At a terminal: asks once for each source whether its schemas get the grants that they lack. A yes is written to the lock file.
 * Schemas that changed are left out: they are reviewed first.
 */
export async function askForGrants(
  files: readonly string[],
  options: { lock?: string | undefined } = {},
): Promise<void> {
  if (!canAsk()) return;
  const all = (await missingGrants(files, options)).filter(({ hasChanged }) => !hasChanged);
  for (const [source, waiting] of Map.groupBy(all, (one) => one.source)) {
    process.stderr.write(questionText(source, waiting));
    if (!(await ask('Allow it?'))) continue;
    for (const [lockFile, own] of Map.groupBy(waiting, (one) => one.lockFile)) {
      const schemas = own.map(({ file, path, entry, routes, networks }) => ({
        check: { state: 'same' as const, file, path, entry, pin: entry, changed: [], summary: [] },
        grants: { send: sendGrants(routes), network: networks },
      }));
      printFindings((await trustSchemas({ lockFile, schemas })).findings);
    }
  }
}

function questionText(source: string, waiting: readonly MissingGrants[]): string {
  const rows = uniqueRoutes(waiting).map(({ name, origin }) => [name, origin]);
  const secrets = `Schemas of ${source} send secrets of yours to\n${textTable(['Secret', 'Origin'], rows)}`;
  const networks = uniqueNetworks(waiting);
  const reached = `Schemas of ${source} send requests to this machine or a private network: ${networks.join(', ')}\n`;
  return `${rows.length > 0 ? secrets : ''}${networks.length > 0 ? reached : ''}`;
}

function uniqueRoutes(waiting: readonly MissingGrants[]): { name: string; origin: string }[] {
  const routes = waiting.flatMap(({ routes }) =>
    routes.map(({ name, origin }) => [`${name} ${origin}`, { name, origin }] as const),
  );
  return [...new Map(routes).values()];
}

function uniqueNetworks(waiting: readonly MissingGrants[]): string[] {
  return [...new Set(waiting.flatMap(({ networks }) => networks))];
}

/** The command that grants what is waiting: for a file, or for a whole source where several of its files wait. */
function grantCommand(waiting: readonly MissingGrants[]): string {
  const names = new Set(waiting.flatMap(({ routes }) => routes.map(({ name }) => name)));
  const flags = [
    ...[...names].flatMap((name) => ['--send', name]),
    ...uniqueNetworks(waiting).flatMap((origin) => ['--network', origin]),
  ];
  const [first] = waiting;
  // `trust` finds the lock file of a source by itself.
  const isFound = first === undefined || importedFrom(first.file)?.lockFile === first.lockFile;
  const lockFile = isFound ? undefined : first.lockFile;
  if (waiting.length === 1 && first) return trustCommand({ files: [first.file], flags, lockFile });
  return trustCommand({ files: [], flags: ['--source', first?.source ?? '', ...flags], lockFile });
}

/** One command for each source, and another one for those of its schemas that changed. */
function byCommand(waiting: readonly MissingGrants[]): MissingGrants[][] {
  return [...Map.groupBy(waiting, ({ source, hasChanged }) => `${source} ${hasChanged}`).values()];
}

/** A secret that waits with the origin that it would go to, or the private address of a root. */
type NeededGrant = { source: string; fix: string } & ({ secret: string; origin: string } | { network: string });

/** For JSON documents: the grants that are missing, if there are any, with the command that grants them. */
export function needsGrants(waiting: readonly MissingGrants[]): { needsGrants?: NeededGrant[] } {
  const needed = byCommand(waiting).flatMap((own): NeededGrant[] => {
    const [{ source } = { source: '' }] = own;
    const fix = grantCommand(own);
    return [
      ...uniqueRoutes(own).map(({ name: secret, origin }) => ({ source, secret, origin, fix })),
      ...uniqueNetworks(own).map((network) => ({ source, network, fix })),
    ];
  });
  return needed.length > 0 ? { needsGrants: needed } : {};
}

/** A warning for each source whose schemas lack grants. */
export function waitingFindings(waiting: readonly MissingGrants[]): Finding[] {
  return byCommand(waiting).map((own) => {
    const [{ source, hasChanged } = { source: '', hasChanged: false }] = own;
    const routes = uniqueRoutes(own).map(({ name, origin }) => `${name} to ${origin}`);
    const networks = uniqueNetworks(own);
    const lacks = [
      ...(routes.length > 0 ? [`send ${routes.join(', ')}`] : []),
      ...(networks.length > 0 ? [`reach ${networks.join(', ')}`] : []),
    ].join(' or ');
    const since = hasChanged ? 'have changed since they were trusted, and ' : '';
    const message = `schemas of ${source} ${since}may not ${lacks}: their calls will fail`;
    const review = hasChanged ? 'Review the changes. ' : '';
    return lockFinding('LCK010', message, { hint: `${review}If you trust them: ${grantCommand(own)}` });
  });
}
