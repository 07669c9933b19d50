import { relative, resolve } from 'node:path';
import {
  findLockFile,
  type LockGrants,
  loadSchemas,
  lockFileName,
  readLock,
  revokeTrust,
  trustCommand,
  trustSchemas,
} from '@schemakit/core';
import { type CommandResult, failed, failedOver, misused } from '../output/command-result.ts';
import { ask, canAsk } from '../output/confirm.ts';
import { printFindings } from '../output/print-findings.ts';
import { importedFrom } from '../sources/imported-from.ts';
import { readGrants, unwantedSecret, type WantedTrust, wantedTrust, wantsText } from './wanted-trust.ts';

interface TrustFlags {
  secret?: readonly string[];
  network?: readonly string[];
  revoke: boolean;
  yes: boolean;
  lock?: string;
}

/** `schemakit trust <path>...`: shows what schemas want and, if the answer is yes, writes entries for them in the lock file. */
export async function trust(flags: TrustFlags, ...paths: string[]): Promise<CommandResult> {
  const lockFile = resolve(flags.lock ?? lockOfSource(paths) ?? findLockFile() ?? lockFileName);
  const read = readGrants(flags);
  if (!read.ok) return misused(read.problem, read.fix);
  const { lock, findings } = readLock({ lockFile, missing: 'empty' });
  if (lock === undefined) return failedWith(findings);
  if (flags.revoke) return revoke(lockFile, paths, read.grants);
  const { schemas, status, findings: found } = await loadSchemas({ paths });
  if (!status) return failedWith(found, { fix: `Run: schemakit validate ${paths.join(' ')}` });
  const wanted = schemas.flatMap((schema) => wantedTrust(schema, { lock, grants: read.grants }) ?? []);
  const problem = unwantedSecret(wanted, read.grants);
  if (problem) return misused(problem.error, problem.fix);
  return decide(flags, { lockFile, paths, wanted });
}

/** What was imported is trusted where it is held: beside the sources. */
function lockOfSource(paths: readonly string[]): string | undefined {
  const files = new Set(paths.map((path) => importedFrom(path)?.lockFile));
  const [file] = files;
  return files.size === 1 ? file : undefined;
}

interface Decision {
  lockFile: string;
  paths: readonly string[];
  wanted: readonly WantedTrust[];
}

async function decide(flags: TrustFlags, { lockFile, paths, wanted }: Decision): Promise<CommandResult> {
  const news = wanted.filter(({ isNew }) => isNew);
  const mustAsk = news.length > 0 && !flags.yes;
  const text = `${wanted.map(({ wants }) => wantsText(wants)).join('\n')}\n`;
  const shown = { lockFile: shortPath(lockFile), schemas: wanted.map(({ wants }) => wants) };
  if (mustAsk && !canAsk()) {
    const error = 'Nothing was trusted: there is no terminal to ask at.';
    const command = trustCommand({ files: paths, lockFile, flags: [...grantFlags(flags), '--yes'] });
    const fix = `If you trust what is shown: ${command}`;
    return { ...failed('other', { error, fix, ...shown }), text: () => text };
  }
  if (mustAsk) {
    process.stderr.write(text);
    const question = `Trust ${news.length === 1 ? 'this schema' : `these ${news.length} schemas`}?`;
    if (!(await ask(question))) return failed('other', { error: 'Nothing was trusted.', ...shown });
  }
  const { status, findings } = await trustSchemas({ lockFile, schemas: news });
  if (!status) return failedWith(findings);
  const names = news.map(({ wants }) => wants.file).join(', ');
  const done = `${names === '' ? 'Trusted already' : `Trusted ${names}`}, in ${shown.lockFile}.`;
  return { document: { status: true, ...shown }, text: () => (mustAsk ? done : `${text}${done}`) };
}

async function revoke(lockFile: string, paths: readonly string[], grants: LockGrants): Promise<CommandResult> {
  const isAll = grants.network.length === 0 && grants.secrets.length === 0;
  const { status, findings, revoked } = await revokeTrust({ lockFile, paths, ...(!isAll && { grants }) });
  if (!status) return failedWith(findings);
  const shown = { lockFile: shortPath(lockFile), revoked };
  if (revoked.length === 0) {
    const what = isAll ? 'no entry for' : 'no such grant for';
    return failed('notFound', { error: `${shown.lockFile} has ${what} ${paths.join(', ')}.`, ...shown });
  }
  const text = () => `Revoked ${isAll ? 'the trust in' : 'grants of'} ${revoked.join(', ')}.`;
  return { document: { status: true, ...shown }, text };
}

function failedWith(findings: Parameters<typeof failedOver>[0], more: { fix?: string } = {}): CommandResult {
  printFindings(findings.filter(({ severity }) => severity === 'error'));
  return failedOver(findings, more);
}

function grantFlags({ secret = [], network = [] }: TrustFlags): string[] {
  return [...secret.flatMap((name) => ['--secret', name]), ...network.flatMap((origin) => ['--network', origin])];
}

function shortPath(file: string): string {
  return relative(process.cwd(), file) || file;
}
