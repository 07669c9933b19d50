import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Migration } from '@schemakit/core';
import { type CommandResult, failed, usageError } from '../output/command-result.ts';
import { printFindings } from '../output/print-findings.ts';
import { printable, reasonOf, shellWord } from '../output/terminal-text.ts';
import { defineCommand, type MakeCommand } from '../run-command.ts';
import { described, onePath, yesNo } from './parameters.ts';

interface MigrateFlags {
  all: boolean;
  dryRun: boolean;
}

interface Row {
  file: string;
  action: Migration['outcome'];
  reason: string;
  /** Whether the migrated file is a valid schema. Absent if nothing was written. */
  valid?: boolean;
  messages?: readonly string[];
}

async function migrate({ all, dryRun }: MigrateFlags, path: string): Promise<CommandResult> {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) return failed('notFound', { error: `There is no file ${path}.`, fix: 'Check the path.' });
  if (all && !info.isDirectory()) return usageError(`${path} is not a folder.`, `Run: schemakit migrate ${path}`);
  if (!all && info.isDirectory()) return usageError(`${path} is a folder.`, `Run: schemakit migrate --all ${path}`);
  const { findSchemaFiles } = await import('@schemakit/core');
  const files = await findSchemaFiles([path]);
  const results: Row[] = [];
  for (const { file } of files) results.push(await migrateFile(file, { dryRun, isNamed: !all }));
  return report(results, dryRun);
}

async function migrateFile(file: string, { dryRun, isNamed }: { dryRun: boolean; isNamed: boolean }): Promise<Row> {
  const { migrateSource, SchemaKit } = await import('@schemakit/core');
  const { updateFile } = await import('@schemakit/core/internal');
  try {
    let migration = migrateSource(readFileSync(file, 'utf8'), { file });
    if (migration.changed && !dryRun) {
      await updateFile(resolve(file), (text) => {
        // The author may have saved the file in between.
        migration = migrateSource(text ?? '', { file });
        return migration.changed ? migration.text : undefined;
      });
    }
    if (dryRun) process.stderr.write(printable(migration.diff, { keepLines: true }));
    const { outcome, status, findings, changed } = migration;
    if (outcome === 'failed') printFindings(findings);
    const reasons = findings.map(({ message, hint }) => (hint === undefined ? message : `${message} (${hint})`));
    // A single file that is not a schema was named by mistake.
    const row: Row = { file, action: isNamed && !status ? 'failed' : outcome, reason: reasons.join('; ') };
    if (!changed || dryRun) return row;
    const schema = await SchemaKit.loadSchema({ filePath: file });
    printFindings(schema.findings);
    return { ...row, valid: schema.status, messages: schema.findings.map(({ message }) => message) };
  } catch (error) {
    return { file, action: 'failed', reason: `the file cannot be changed: ${reasonOf(error)}` };
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
  const summary = `${counts.migrated} ${dryRun ? 'would be migrated' : 'migrated'}, ${counts.skipped} skipped, ${counts.failed} failed.${dryRun ? ' Dry run: nothing was written.' : ''}`;
  const verb = (action: Row['action']) => (dryRun && action === 'migrated' ? 'would migrate' : action);
  const text = () =>
    [...results.map(({ file, action, reason }) => `${verb(action)} ${file}: ${reason}`), summary]
      .map((line) => printable(line))
      .join('\n');
  if (broken.length === 0) return { document, text };
  const messages = broken.map(({ file, action, reason, messages: [first] = [] }) =>
    action === 'failed' ? `${file} was not migrated: ${reason}` : `${file} was migrated but is invalid: ${first}`,
  );
  const fix = `Run: schemakit validate ${broken.map(({ file }) => shellWord(file)).join(' ')}`;
  return { document: { ...document, error: messages[0] ?? '', messages, fix }, failure: 'validation', text };
}

export const migrateCommand: MakeCommand = defineCommand('migrate', () => migrate, {
  parameters: {
    positional: onePath('Schema file, or folder with --all'),
    flags: {
      all: yesNo('Migrate all .mjs files in the folder and its subfolders'),
      dryRun: yesNo('Show what would change without writing anything'),
    },
  },
  docs: described('Upgrade schemas from format 2 to format 3, in place', 'schemakit migrate --all ./schemas --dry-run'),
});
