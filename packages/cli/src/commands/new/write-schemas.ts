import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { updateFile } from '@schemakit/core/internal';
import type { ImportResult } from '@schemakit/import';
import { type CommandResult, failed, usageError } from '../../output/command-result.ts';
import { printFindings } from '../../output/print-findings.ts';
import { counted, printable, reasonOf, shellWord } from '../../output/terminal-text.ts';
import { firstLine, textColumns } from '../../output/text-table.ts';
import { secretsHint } from '../../settings/command-hint.ts';
import { makeFolder } from '../../settings/make-folder.ts';
import { readSecrets } from '../../settings/read-secrets.ts';
import { readSettings } from '../../settings/read-settings.ts';
import { breakOffOnSignals } from '../end-on-signals.ts';
import { type Given, nextSteps } from './ask-for-schema.ts';
import { importDescription, loadImport } from './import-description.ts';
import { importSource } from './import-source.ts';

export interface NewFlags {
  out?: string;
  namespace?: string;
  select?: readonly string[];
  tag?: readonly string[];
  limit?: number;
  server?: string;
  remoteRefs: boolean;
  try: boolean;
  envFile?: string;
  dryRun: boolean;
}

/** `schemakit new`: writes schemas from the description of an API. Existing files are never overwritten. */
export async function writeSchemas(
  { out, tag, dryRun, remoteRefs, try: tries, envFile, ...flags }: NewFlags,
  given: Given,
): Promise<CommandResult> {
  if (tries && dryRun) {
    return usageError('--try and --dry-run cannot be combined.', 'Look at --dry-run first, then run it with --try.');
  }
  const loaded = await loadImport('new');
  if (!loaded.ok) return loaded.result;
  const { installed } = loaded;
  const options = { ...flags, tags: tag };
  const described = await importDescription(given, { installed, remoteRefs, options });
  if (!described.ok) return described.result;
  const { imported, text, url } = described;
  printFindings(imported.findings);
  const folder = out ?? join('schemas', imported.namespace);
  const secrets = neededSecrets(imported.secrets, envFile);
  if (dryRun) return importedResult(imported, { folder, dryRun, secrets });
  const source = 'source' in given ? importSource(given.source, folder) : undefined;
  const recordText = (tried?: ImportResult['files']) =>
    source && installed.writeImportRecord(imported, { source, url, options, remoteRefs, text, tried });
  const record = recordText();
  const files = record === undefined ? withNextSteps(imported.files) : { ...imported.files, 'import.json': record };
  const problem = await writeFiles(folder, files);
  if (problem !== undefined) return problem;
  const result = importedResult(imported, { folder, dryRun, secrets });
  if (!tries) return result;
  const { withTried } = await import('./tried-result.ts');
  breakOffOnSignals(async () => {
    process.stderr.write(`\n${stoppedText(folder)}\n`);
  });
  const named = `${'source' in given ? given.source : JSON.stringify(given)} ${flags.server ?? ''}`;
  const triedResult = await withTried(result, imported, { folder, named, envFile });
  // Corrections are no edits of a person, so that updates carry them on.
  await updateFile(join(folder, 'import.json'), () => recordText(changedFiles(folder, imported.files)));
  return triedResult;
}

function changedFiles(folder: string, written: ImportResult['files']): ImportResult['files'] {
  const entries = Object.entries(written).map(([path, text]) => ({
    path,
    text,
    now: readFileSync(join(folder, path), 'utf8'),
  }));
  return Object.fromEntries(entries.flatMap(({ path, text, now }) => (now === text ? [] : [[path, now]])));
}

interface NeededSecret {
  name: string;
  set: boolean;
  /** Where to set it, if it is not. */
  fix?: string;
}

function neededSecrets(names: readonly string[], envFile: string | undefined): NeededSecret[] {
  if (names.length === 0) return [];
  const settings = readSettings();
  const { values } = readSecrets(settings, { envFile });
  return names.map((name) =>
    values[name] ? { name, set: true } : { name, set: false, fix: secretsHint([name], settings) },
  );
}

function stoppedText(folder: string): string {
  return `Stopped: the schemas in ${printable(folder)} are complete, but not all outputs were compared with answers.
    To try again, choose another folder with --out, or remove this one.`;
}

/** The heading of an import says where the file is from: from nowhere but the answers. */
function withNextSteps(files: ImportResult['files']): ImportResult['files'] {
  const entries = Object.entries(files).map(([path, text]) => [path, text.replace(/^(\/\/ .*\n)+/, () => nextSteps)]);
  return Object.fromEntries(entries);
}

/** Nothing is written where a file of the same name has another content. */
async function writeFiles(folder: string, files: ImportResult['files']): Promise<CommandResult | undefined> {
  const entries = Object.entries(files).map(([path, text]) => ({ path: join(folder, path), text }));
  try {
    for (const { path, text } of entries) {
      const known = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
      if (known !== undefined && known !== text) {
        return failed('usage', {
          error: `${path} exists and is different.`,
          fix: existsSync(join(folder, 'import.json'))
            ? `Follow the document with: schemakit update ${shellWord(folder)}`
            : 'Choose another folder with --out, or remove the file.',
        });
      }
    }
    makeFolder(folder);
    // Each is replaced as a whole, so that none is half-written if the command is ended.
    for (const { path, text } of entries) await updateFile(path, () => text);
  } catch (error) {
    return failed('other', {
      error: `Cannot write ${folder}: ${reasonOf(error)}`,
      fix: 'Check the folder and its permissions.',
    });
  }
  return undefined;
}

function importedResult(
  { namespace, files, tools, omissions, findings }: ImportResult,
  { folder, dryRun, secrets }: { folder: string; dryRun: boolean; secrets: readonly NeededSecret[] },
): CommandResult {
  const paths = Object.keys(files).map((path) => relative('.', join(folder, path)) || path);
  const schemas = paths.filter((path) => path.endsWith('.mjs'));
  const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0);
  const next = dryRun ? [] : [`schemakit validate ${shellWord(folder)}`, `schemakit serve ${shellWord(folder)}`];
  const text = () => {
    const rows = tools.map(({ name, method, path, tokens: cost }) => [name, `${cost}`, `${method} ${path}`]);
    const leftOut = omissions.filter(({ code }) => code < 'IMP020');
    const shown = leftOut.slice(0, maxShown).map(({ code, message }) => `  ${code} ${firstLine(message, 160)}`);
    const rest = leftOut.length > maxShown ? [`  and ${leftOut.length - maxShown} more`] : [];
    const details = omissions.filter(({ code }) => code >= 'IMP020');
    return [
      `${counted(tools.length, 'tool')} in ${counted(schemas.length, 'file')}, about ${tokens.toLocaleString('en')} tokens${dryRun ? ' (dry run: nothing was written)' : ` in ${folder}`}`,
      ...textColumns([['Tool', 'Tokens', 'Request'], ...rows.slice(0, maxTools)], { indent: 2 }),
      ...(rows.length > maxTools ? [`  and ${rows.length - maxTools} more (all with --json)`] : []),
      ...(leftOut.length > 0 ? [`${counted(leftOut.length, 'operation')} left out:`, ...shown, ...rest] : []),
      ...(details.length > 0 ? detailLines(details, dryRun ? undefined : `${namespace}.md`) : []),
      ...secretLines(secrets),
      ...next.map((command) => `Next: ${command}`),
    ].join('\n');
  };
  return {
    document: { status: true, namespace, dryRun, files: paths, tokens, tools, secrets, omissions, findings, next },
    text,
  };
}

/** Before the first call fails for one. */
function secretLines(secrets: readonly NeededSecret[]): string[] {
  const missing = secrets.flatMap(({ name, set }) => (set ? [] : [name]));
  if (missing.length === 0) return [];
  return [`${counted(missing.length, 'secret')} not set: ${missing.join(', ')}`, `  ${secretsHint(missing)}`];
}

/** A dry run has no page that lists them. */
function detailLines(details: ImportResult['omissions'], page: string | undefined): string[] {
  const count = `${counted(details.length, 'detail')} left out`;
  if (page !== undefined) return [`${count}, listed in ${page}`];
  const shown = details.slice(0, maxShown);
  const rest = details.length - shown.length;
  return [
    `${count}:`,
    ...shown.map(({ code, pointer, message }) => `  ${code} ${printable(pointer)}: ${firstLine(message, 160)}`),
    ...(rest > 0 ? [`  and ${rest} more (all with --json)`] : []),
  ];
}

const maxShown = 10;
const maxTools = 60;
