import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '@schemakit/core';
import type { ImportRecord, ImportResult, Preference, UpdateResult } from '@schemakit/import';
import { type CommandResult, type Failure, failed, failWith, type Step } from '../../output/command-result.ts';
import { printFindings } from '../../output/print-findings.ts';
import { reasonOf, shellWord } from '../../output/terminal-text.ts';
import { importDescription, loadImport } from '../new/import-description.ts';
import { importSource } from '../new/import-source.ts';
import { type Replacement, removeLeftovers, replaceFiles } from './replace-files.ts';
import { updateText } from './update-text.ts';

export interface FolderFlags {
  dryRun: boolean;
  from?: string;
  server?: string;
  prefer?: Preference;
  failOn?: 'breaking' | 'any';
}

const recordFile = 'import.json';

/** `schemakit update <folder>`: merges the new version of a document into the schemas that were written from it. */
export async function updateFolder(
  { dryRun, from, server, prefer, failOn }: FolderFlags,
  folder: string,
): Promise<CommandResult> {
  const loaded = await loadImport('update');
  if (!loaded.ok) return loaded.result;
  const { installed } = loaded;
  const known = await readTexts(folder, [recordFile]);
  if (!known.ok) return known.result;
  const recordText = known.texts[recordFile];
  if (recordText === undefined) return withoutRecord(folder);
  const parsed = installed.readImportRecord(recordText);
  if (!parsed.ok) return failedBy([parsed.finding], folder);
  const { record } = parsed;
  const source = from ?? placeOf(record, folder);
  if (source === undefined) return withoutSource(record, folder);
  const { remoteRefs = false } = record;
  const options = { ...record.options, ...(server !== undefined && { server }) };
  const how = { installed, remoteRefs, options: { ...options, previous: record.tools } };
  const described = await importDescription({ source }, how);
  if (!described.ok) return from === undefined ? withFrom(described.result, folder) : described.result;
  const { imported: next, text, url = record.url } = described;
  const current = await readTexts(folder, [...Object.keys(record.files), ...Object.keys(next.files)]);
  if (!current.ok) return current.result;
  const { files: base, tried } = record;
  const updated = installed.updateImport({ base, tried, current: current.texts, next, prefer });
  const fields = resultFields(updated, next, { folder, dryRun });
  if (!updated.status) return failedUpdate(updated, fields, folder);
  const refused = failOn === undefined ? undefined : refusedChanges(updated, failOn, fields);
  if (refused !== undefined) return refused;
  const kept = from === undefined ? record.source : importSource(from, folder);
  const about = { source: kept, url, options, remoteRefs, text, tried: updated.tried };
  const newRecord = installed.writeImportRecord(next, about);
  const isAsked = from !== undefined || server !== undefined;
  const isUpToDate = isSameImport(record, next) && !isAsked && fields.files.length === 0;
  if (!isUpToDate && !dryRun) {
    const problem = await write(folder, { ...updated.files, [recordFile]: newRecord });
    if (problem !== undefined) return problem;
  }
  printFindings(next.findings);
  return { document: { status: true, ...fields }, text: () => updateText(updated, { folder, dryRun }) };
}

/** Where the document is read again: none for curl commands, and for addresses that had more than is kept. */
function placeOf({ source: { kind, place, isPartial = false } }: ImportRecord, folder: string): string | undefined {
  if (place === undefined || kind === 'curl' || isPartial) return undefined;
  return kind === 'file' ? join(folder, place) : place;
}

/** The texts of the files that exist. */
async function readTexts(folder: string, paths: readonly string[]): Promise<Step<{ texts: Record<string, string> }>> {
  const texts: Record<string, string> = {};
  for (const path of paths) {
    try {
      texts[path] = await readFile(join(folder, path), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      const problem = `Cannot read ${join(folder, path)}: ${reasonOf(error)}`;
      return { ok: false, result: failed('other', { error: problem, fix: 'Check the file and its permissions.' }) };
    }
  }
  return { ok: true, texts };
}

/** `import.json` comes last: after a crash, the same update finds what is left to do. */
async function write(
  folder: string,
  texts: Readonly<Record<string, string | null>>,
): Promise<CommandResult | undefined> {
  const files = Object.entries(texts).map(([path, text]): Replacement => ({ path: join(folder, path), text }));
  try {
    await removeLeftovers(folder);
    await replaceFiles(files);
    return undefined;
  } catch (error) {
    const fix = 'Nothing was changed. Check the folder and its permissions.';
    return failed('other', { error: `Cannot write ${folder}: ${reasonOf(error)}`, fix });
  }
}

function isSameImport(record: ImportRecord, next: ImportResult): boolean {
  const paths = new Set([...Object.keys(record.files), ...Object.keys(next.files)]);
  return [...paths].every((path) => record.files[path] === next.files[path]);
}

function resultFields(
  { changes, kept, conflicts, files, findings }: UpdateResult,
  next: ImportResult,
  { folder, dryRun }: { folder: string; dryRun: boolean },
) {
  const of = (wanted: string) => changes.filter(({ kind }) => kind === wanted);
  const written = Object.keys(files).map((path) => join(folder, path));
  return {
    folder,
    dryRun,
    added: of('added').map(({ tool, file }) => ({ tool, file })),
    removed: of('removed').map(({ tool, file }) => ({ tool, file })),
    changed: of('changed').map(({ tool, file, breaking, changes: all }) => ({ tool, file, breaking, changes: all })),
    kept,
    conflicts,
    files: written,
    omissions: next.omissions,
    findings: [...next.findings, ...findings],
    next: written.length === 0 || dryRun ? [] : [`schemakit validate ${shellWord(folder)}`],
  };
}

function refusedChanges(
  updated: UpdateResult,
  failOn: 'breaking' | 'any',
  fields: ReturnType<typeof resultFields>,
): CommandResult | undefined {
  const count = updated.changes.filter(({ breaking }) => breaking || failOn === 'any').length;
  if (count === 0) return undefined;
  const { folder } = fields;
  const what = failOn === 'any' ? 'changes' : 'breaks callers of';
  const error = `The document ${what} ${count === 1 ? '1 tool' : `${count} tools`}; nothing was written.`;
  const fix = `Review the changes, then run: schemakit update ${shellWord(folder)}`;
  const text = () => updateText(updated, { folder, dryRun: true });
  return { ...failed('validation', { error, fix, ...fields, files: [], next: [] }), text };
}

function failedUpdate(updated: UpdateResult, fields: ReturnType<typeof resultFields>, folder: string): CommandResult {
  const result = failedBy(updated.findings, folder, fields);
  return { ...result, text: () => updateText(updated, { folder, dryRun: true }) };
}

function failedBy(findings: UpdateResult['findings'], folder: string, fields: object = {}): CommandResult {
  const placed = findings.map((finding) => ({ ...finding, file: join(folder, finding.file ?? recordFile) }));
  printFindings(placed);
  return failWith(placed, { ...fields, findings: placed });
}

function withoutRecord(folder: string): CommandResult {
  const message = `${folder} has no ${recordFile}, which \`schemakit new\` writes.`;
  const hint = `Import the document again, unchanged files are accepted: schemakit new <source> --out ${shellWord(folder)}`;
  return failedWith('notFound', { code: 'IMP026', message, hint });
}

/** A document that cannot be read may have moved. */
function withFrom(result: CommandResult, folder: string): CommandResult {
  if (result.failure !== 'upstream' && result.failure !== 'notFound') return result;
  const fix = `If the document is elsewhere now: schemakit update ${shellWord(folder)} --from <source>`;
  return { ...result, document: { ...result.document, fix } };
}

function withoutSource({ source: { kind, place } }: ImportRecord, folder: string): CommandResult {
  const why =
    kind === 'curl'
      ? 'curl commands may have credentials, so they are not kept'
      : `the address of the document had more than ${place}, which may be a key`;
  const message = `It is not known where the document of ${folder} is: ${why}.`;
  return failedWith('usage', {
    code: 'IMP034',
    message,
    hint: `Give it: schemakit update ${shellWord(folder)} --from <source>`,
  });
}

function failedWith(failure: Failure, { code, message, hint }: Pick<Finding, 'code' | 'message'> & { hint: string }) {
  const findings: Finding[] = [{ code, severity: 'error', path: '', message, hint }];
  return failed(failure, { error: message, fix: hint, findings });
}
