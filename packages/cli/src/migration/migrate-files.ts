import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { findSchemaFiles, type Migration, migrateSource, SchemaKit, updateFile } from '@schemakit/core';
import { type CommandResult, failed, misused } from '../output/command-result.ts';
import { shellWord } from '../output/shell-word.ts';
import { printFindings } from '../print-findings.ts';

interface MigrateFlags {
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
    const { outcome, status, findings, changed } = migration;
    if (outcome === 'failed') printFindings(findings);
    const reasons = findings.map(({ message, hint }) => (hint === undefined ? message : `${message} (${hint})`));
    // One file that was named and is no schema at all was named by mistake.
    const row: Row = { file, action: isNamed && !status ? 'failed' : outcome, reason: reasons.join('; ') };
    if (!changed || dryRun) return row;
    const schema = await SchemaKit.loadSchema({ filePath: file });
    printFindings(schema.findings);
    return { ...row, valid: schema.status, messages: schema.findings.map(({ message }) => message) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { file, action: 'failed', reason: `the file cannot be changed: ${reason}` };
  }
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
  const messages = broken.map(({ file, action, reason, messages: [first] = [] }) =>
    action === 'failed' ? `${file} was not migrated: ${reason}` : `${file} was migrated, and is not valid: ${first}`,
  );
  const fix = `Run: schemakit validate ${broken.map(({ file }) => shellWord(file)).join(' ')}`;
  return { document: { ...document, error: messages[0] ?? '', messages, fix }, failure: 'validation', text };
}
