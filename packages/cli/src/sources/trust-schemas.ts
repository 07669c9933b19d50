import { existsSync, realpathSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type Grants, type LoadedSchema, loadSchemas } from '@schemakit/core';
import {
  grantedPath,
  keptGrants,
  lockPaths,
  mergeGrants,
  type ResourceFile,
  resourceFiles,
  secretRoutes,
  sendGrants,
  trustCommand,
} from '@schemakit/core/internal';
import {
  checkLock,
  findLockFile,
  type Lock,
  type LockCheck,
  type LockGrants,
  lockFileName,
  readLock,
  revokeTrust,
  trustSchemas,
} from '@schemakit/core/lock';
import { type CommandResult, failed, failWith, refused, type Step, usageError } from '../output/command-result.ts';
import { ask, canAsk } from '../output/confirm.ts';
import { printErrors, printFindings } from '../output/print-findings.ts';
import { printable } from '../output/terminal-text.ts';
import { accept } from '../settings/accepted.ts';
import { allowedLibraries } from '../settings/allowed-libraries.ts';
import { type Environment, environmentProblem, namespacesOf, openEnvironment } from '../settings/environment.ts';
import { readSettings } from '../settings/read-settings.ts';
import { settingsPaths, withHome } from '../settings/settings-paths.ts';
import { importedFrom } from './lock-files.ts';
import { type GrantsOfEntry, grantRows, strangerProblem, waitingGrants } from './use-lock.ts';

interface TrustFlags {
  secret?: readonly string[];
  /** Names of secrets, also several in one text. */
  send?: readonly string[];
  source?: string;
  network?: readonly string[];
  read?: readonly string[];
  revoke: boolean;
  yes: boolean;
  /** Secrets may go to the roots of this environment instead. */
  env?: string;
  lock?: string;
}

/** `schemakit trust <path>...`: shows what schemas request and, once confirmed, pins them in the lock file. */
export async function trust(flags: TrustFlags, ...named: string[]): Promise<CommandResult> {
  const paths = flags.source === undefined ? named : [...named, join(settingsPaths().home.schemas, flags.source)];
  const fault = pathsProblem(flags, paths);
  if (fault !== undefined) return fault;
  const nearest = lockOfSource(paths) ?? findLockFile();
  const lockFile = resolve(flags.lock ?? nearest ?? lockFileName);
  const stranger = flags.lock === undefined && nearest !== undefined ? strangerProblem(nearest) : undefined;
  if (stranger !== undefined) return failedWith([stranger]);
  const read = parseGrants(flags, lockFile);
  if (!read.ok) return read.result;
  const { lock, findings } = readLock({ lockFile, missing: 'empty' });
  if (lock === undefined) return failedWith(findings);
  if (flags.revoke) return revoke(lock, paths, { ...read.grants, send: noOrigins(read.send) });
  const opened = await openEnvironment(flags, readSettings());
  if (!opened.ok) return opened.result;
  const { environment } = opened;
  const { schemas, status, findings: found } = await loadSchemas({ ...allowedLibraries(), paths });
  if (!status) return failedWith(found, { fix: `Run: schemakit validate ${paths.join(' ')}` });
  const elsewhere = environmentProblem(environment, namespacesOf(schemas));
  if (elsewhere !== undefined) return elsewhere;
  const all = await Promise.all(schemas.map((schema) => requestedTrust(schema, { lock, environment, ...read })));
  const requested = all.filter((one) => one !== undefined);
  const problem = undeclaredSecret(requested, [...read.grants.secrets, ...read.send]);
  if (problem !== undefined) return problem;
  return decide(flags, { lockFile, paths, requested });
}

function pathsProblem({ source }: TrustFlags, paths: readonly string[]): CommandResult | undefined {
  if (paths.length === 0) return usageError('Expected a path, or --source <name>.', 'Run: schemakit trust --help');
  const { schemas } = settingsPaths().home;
  if (source === undefined || importedFrom(join(schemas, source))?.source === source) return undefined;
  return failed('notFound', { error: `No source named ${source} was imported.`, fix: 'Run: schemakit status' });
}

/** Imported schemas are pinned in the lock file beside the sources. */
function lockOfSource(paths: readonly string[]): string | undefined {
  const files = new Set(paths.map((path) => importedFrom(path)?.lockFile));
  const [file] = files;
  return files.size === 1 ? file : undefined;
}

async function decide(
  flags: TrustFlags,
  { lockFile, paths, requested }: { lockFile: string; paths: readonly string[]; requested: readonly RequestedTrust[] },
): Promise<CommandResult> {
  const news = requested.filter(({ isNew }) => isNew);
  const mustAsk = news.length > 0 && !flags.yes;
  const text = `${requested.map(({ request }) => requestText(request)).join('\n')}\n`;
  const shown = { lockFile: shortPath(lockFile), schemas: requested.map(({ request }) => request) };
  if (mustAsk && !canAsk()) {
    const error = 'Nothing was trusted: cannot ask without a terminal.';
    const command = trustCommand({ files: paths, lockFile, flags: [...grantFlags(flags), '--yes'] });
    const fix = `Review the schemas above, then run: ${command}`;
    return { ...failed('other', { error, fix, ...shown }), text: () => text };
  }
  if (mustAsk) {
    process.stderr.write(text);
    const question = `Trust ${news.length === 1 ? 'this schema' : `these ${news.length} schemas`}?`;
    if (!(await ask(question))) return failed('other', { error: 'Nothing was trusted.', ...shown });
  }
  const { status, findings } = await trustSchemas({ lockFile, schemas: news });
  if (!status) return failedWith(findings);
  const confirmed = requested.map(({ check, request }) => [check.path, request] as const);
  await acceptGrants(waitingGrants({ file: lockFile, schemas: confirmed }));
  const names = news.map(({ request }) => request.file).join(', ');
  const done = `${names === '' ? 'Already trusted' : `Trusted ${names}`} in ${shown.lockFile}.`;
  return { document: { status: true, ...shown }, text: () => (mustAsk ? done : `${text}${done}`) };
}

/** What the user wrote or confirmed is accepted. */
async function acceptGrants(parts: readonly GrantsOfEntry[]): Promise<void> {
  const written = parts.length === 0 ? undefined : await accept(parts);
  if (written?.ok === false) printFindings([written.finding]);
}

async function revoke(lock: Lock, paths: readonly string[], grants: Grants): Promise<CommandResult> {
  const lockFile = lock.file;
  const isAll = grantRows(mergeGrants(grants, {})).length === 0 && Object.keys(grants.send ?? {}).length === 0;
  const waiting = new Set(waitingGrants(lock).map(({ part }) => part));
  const { status, findings, revoked } = await revokeTrust({ lockFile, paths, ...(!isAll && { grants }) });
  if (!status) return failedWith(findings);
  const left = readLock({ lockFile }).lock;
  // What is left of grants that were accepted stays accepted.
  await acceptGrants(
    left === undefined ? [] : waitingGrants(left).filter(({ part }) => revoked.includes(part) && !waiting.has(part)),
  );
  const shown = { lockFile: shortPath(lockFile), revoked };
  if (revoked.length === 0) {
    const missing = isAll ? 'no entry for' : 'no such grant for';
    return failed('notFound', { error: `${shown.lockFile} has ${missing} ${paths.join(', ')}.`, ...shown });
  }
  const text = () => `Revoked ${isAll ? 'the trust in' : 'grants of'} ${revoked.join(', ')}.`;
  return { document: { status: true, ...shown }, text };
}

/** Means all origins of these secrets. */
function noOrigins(names: readonly string[]): Record<string, string[]> {
  return Object.fromEntries(names.map((name) => [name, []]));
}

function failedWith(findings: Parameters<typeof failWith>[0], more: { fix?: string } = {}): CommandResult {
  printErrors(findings);
  return failWith(findings, more);
}

function grantFlags({ secret = [], send = [], network = [], read = [] }: TrustFlags): string[] {
  const flags = { '--secret': secret, '--send': send, '--network': network, '--read': read };
  return Object.entries(flags).flatMap(([flag, values]) => values.flatMap((value) => [flag, value]));
}

function shortPath(file: string): string {
  return relative(process.cwd(), file) || file;
}

interface RequestedTrust {
  check: LockCheck;
  /** New grants, in addition to those of its entry. */
  grants: LockGrants;
  request: TrustRequest;
  isNew: boolean;
}

/** What the user reviews. `hooks` and `hosts` belong to its handlers. */
interface TrustRequest extends Pick<LockCheck['pin']['seen'], 'root' | 'secrets' | 'hooks' | 'hosts' | 'libraries'> {
  file: string;
  state: LockCheck['state'];
  changes: readonly string[];
  /** Of the token endpoint. */
  tokenUrl?: string | undefined;
  lists: readonly string[];
  scan: readonly string[];
  /** The files of its resources; `refused` without a further grant. */
  reads: readonly ResourceFile[];
  grants: LockGrants;
}

interface TrustOptions {
  lock: Lock;
  grants: LockGrants;
  environment?: Environment | undefined;
  send?: readonly string[];
}

/** Collects what a schema requests and would be granted. Undefined if it could not be read. */
async function requestedTrust(
  schema: LoadedSchema,
  { lock, environment, grants: named, send: sent = [] }: TrustOptions,
): Promise<RequestedTrust | undefined> {
  const check = checkLock({ lock, schema });
  if (check === undefined) return undefined;
  const { path: file, state, summary: changes, pin, entry } = check;
  const { root, secrets, tokenEndpoint, hooks, hosts, libraries } = pin.seen;
  const { [String(schema.main?.namespace)]: target = root } = environment?.roots ?? {};
  // A schema is granted only secrets that it declares, and may send them to its own root, or to that of the environment.
  const declared = (names: readonly string[]) => names.filter((name) => secrets.includes(name));
  const routes = secretRoutes({ root: target, secrets: declared(sent), tokenEndpoint });
  const send = sendGrants(routes);
  const own = mergeGrants({ ...named, secrets: declared(named.secrets), send }, {});
  const before = mergeGrants(entry === undefined ? {} : keptGrants(entry, pin), {});
  const grants = mergeGrants(before, own);
  const isWaiting = entry !== undefined && waitingGrants({ file: lock.file, schemas: [[file, entry]] }).length > 0;
  const scan = schema.findings
    .filter(({ code }) => /^(SEC|MOD|LIB)/.test(code))
    .map(({ code, message, line }) => `${code}${line === undefined ? '' : ` line ${line}`}: ${message}`);
  const lists = Object.keys(pin.lists);
  const reads = await resourceFiles(schema, { read: grants.read?.map((path) => grantedPath(lock.file, path)) });
  return {
    check,
    grants: own,
    request: {
      file,
      state,
      changes,
      root,
      secrets,
      tokenUrl: tokenEndpoint?.url,
      hooks,
      hosts,
      libraries,
      lists,
      scan,
      reads,
      grants,
    },
    isNew: state !== 'same' || isWaiting || JSON.stringify(before) !== JSON.stringify(grants),
  };
}

/** The error for a granted secret that none of the schemas declares. */
function undeclaredSecret(requested: readonly RequestedTrust[], secrets: readonly string[]): CommandResult | undefined {
  const declared = new Set(requested.flatMap(({ request }) => request.secrets));
  const unknown = secrets.find((name) => !declared.has(name));
  if (unknown === undefined) return undefined;
  const fix = declared.size === 0 ? 'They declare none.' : `They declare: ${[...declared].sort().join(', ')}.`;
  return usageError(`None of the schemas declares the secret ${unknown}.`, fix);
}

function requestText(request: TrustRequest): string {
  const { file, state, changes, root, tokenUrl, secrets, hooks, hosts, libraries, lists, scan, reads, grants } =
    request;
  const rows: [label: string, values: readonly string[]][] = [
    ['changed', changes],
    ['sends requests to', [root || 'no fixed address']],
    ['gets tokens from', tokenUrl === undefined ? [] : [tokenUrl]],
    ['declares secrets', secrets],
    ['has handlers', hooks ?? ['known only at run time']],
    ['mentions hosts', hosts],
    ['uses libraries', libraries],
    ['uses shared lists', lists],
    ['reads files', reads.map(readText)],
    ['scan', scan],
    ...Object.entries(Object.groupBy(grantRows(grants), ([label]) => label)).map(
      ([label, own = []]): [string, string[]] => [label, own.map(([, value]) => value)],
    ),
  ];
  const shown = rows.flatMap(([label, values]) =>
    values.map((value, index) => `  ${(index === 0 ? label : '').padEnd(20)}${printable(value)}\n`),
  );
  return `${printable(file)} (${state})\n${shown.join('')}`;
}

/** `harbours: /maps/harbours.db (refused)`. */
export function readText({ resource, path, file, state }: ResourceFile): string {
  const note = { read: '', missing: ' (missing)', refused: ' (refused)' };
  return `${resource}: ${file ?? path}${note[state]}`;
}

/** Parses `--secret`, `--send`, `--network` and `--read`. */
function parseGrants(
  { secret: secrets = [], send = [], network = [], read = [], revoke: isRevoked }: TrustFlags,
  lockFile: string,
): Step<{ grants: LockGrants; send: string[] }> {
  const origins: string[] = [];
  for (const word of network.filter((text) => text !== 'any')) {
    const url = URL.parse(word);
    if (url === null || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
      const fix = 'Write --network https://api.example.com, or --network any.';
      return refused(`"${word}" is not an origin.`, fix);
    }
    origins.push(url.origin);
  }
  const names = send.flatMap((text) => text.split(',')).map((name) => name.trim());
  const paths = read.flatMap((path) => readPaths(path, lockFile).slice(0, isRevoked ? undefined : 1));
  const grants = {
    network: network.includes('any') ? ('any' as const) : origins,
    secrets,
    ...(paths.length > 0 && { read: paths }),
  };
  return { ok: true, grants, send: names.filter((name) => name !== '') };
}

/** The ways in which a lock file may name a path, first that of a new grant: links are resolved, since they may lead elsewhere later. */
function readPaths(path: string, lockFile: string): string[] {
  const file = resolve(withHome(path));
  const real = existsSync(file) ? realpathSync(file) : file;
  return [...lockPaths(lockFile, real), ...lockPaths(lockFile, file), path];
}
