import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Finding, findSchemaFiles, type Migration, migrateSource, SchemaKit, updateFile } from '@schemakit/core';
import { type CommandResult, failed, misused } from '../output/command-result.ts';
import { shellWord } from '../output/shell-word.ts';
import { printFindings } from '../print-findings.ts';

export interface MigrateFlags {
  all: boolean;
  dryRun: boolean;
}

interface Row {
  file: string;
  action: Migration['outcome'];
  reason: string;
  /** Whether the file is a valid schema now. Absent where nothing was written. */
  valid?: boolean;
  messages?: readonly string[];
}

/** `schemakit migrate <path>`: format 2 becomes format 3, in place; then the file is validated (specification 4.5). */
export async function migrate({ all, dryRun }: MigrateFlags, path: string): Promise<CommandResult> {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) return failed('notFound', { error: `There is no file ${path}.`, fix: 'Check the path.' });
  if (all && !info.isDirectory()) return misused(`${path} is no folder.`, `Run: schemakit migrate ${path}`);
  if (!all && info.isDirectory()) return misused(`${path} is a folder.`, `Run: schemakit migrate --all ${path}`);
  const files = await findSchemaFiles([path]);
  const results: Row[] = [];
  for (const { file } of files) results.push(await migrateFile(file, { dryRun, isNamed: !all }));
  return report(results, dryRun);
}

async function migrateFile(file: string, { dryRun, isNamed }: { dryRun: boolean; isNamed: boolean }): Promise<Row> {
  try {
    let migration = migrateSource(readFileSync(file, 'utf8'), { file });
    if (migration.changed && !dryRun) {
      await updateFile(resolve(file), (text) => {
        // Its author may have saved it meanwhile.
        migration = migrateSource(text ?? '', { file });
        return migration.changed ? migration.text : undefined;
      });
    }
    if (dryRun) process.stderr.write(migration.diff);
    return rowOf(file, migration, { isNamed, ...(await validity(file, migration, dryRun)) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { file, action: 'failed', reason: `the file cannot be changed: ${reason}` };
  }
}

type Validity = Pick<Row, 'valid' | 'messages'>;

async function validity(file: string, { changed }: Migration, dryRun: boolean): Promise<Validity> {
  if (!changed || dryRun) return {};
  const { status, findings } = await SchemaKit.loadSchema({ filePath: file });
  printFindings(findings);
  return { valid: status, messages: findings.map(({ message }) => message) };
}

function rowOf(file: string, migration: Migration, { isNamed, ...validated }: Validity & { isNamed: boolean }): Row {
  const { outcome, status, findings } = migration;
  if (outcome === 'failed') printFindings(findings);
  // One file that was named and is no schema at all was named by mistake.
  const action = isNamed && !status ? 'failed' : outcome;
  return { file, action, reason: reasonOf(findings), ...validated };
}

function reasonOf(findings: readonly Finding[]): string {
  return findings.map(({ message, hint }) => (hint === undefined ? message : `${message} (${hint})`)).join('; ');
}

function report(results: readonly Row[], dryRun: boolean): CommandResult {
  const count = (action: Row['action']) => results.filter((row) => row.action === action).length;
  const broken = results.filter(({ action, valid }) => action === 'failed' || valid === false);
  const counts = {
    total: results.length,
    migrated: count('migrated'),
    skipped: count('skipped'),
    failed: count('failed'),
  };
  const document = { status: broken.length === 0, ...counts, dryRun, results };
  const summary = `${counts.migrated} ${dryRun ? 'would be migrated' : 'migrated'}, ${counts.skipped} skipped, ${counts.failed} failed.`;
  const text = () => [...results.map(({ file, action, reason }) => `${action} ${file}: ${reason}`), summary].join('\n');
  if (broken.length === 0) return { document, text };
  const messages = broken.map(problemOf);
  const fix = `Run: schemakit validate ${broken.map(({ file }) => shellWord(file)).join(' ')}`;
  return { document: { ...document, error: messages[0] ?? '', messages, fix }, failure: 'validation', text };
}

function problemOf({ file, action, reason, messages = [] }: Row): string {
  if (action === 'failed') return `${file} was not migrated: ${reason}`;
  return `${file} was migrated, and is not valid: ${messages[0]}`;
}
