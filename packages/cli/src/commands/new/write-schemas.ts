import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { ImportResult } from '@schemakit/import';
import { type CommandResult, failed, type Step } from '../../output/command-result.ts';
import { printFindings } from '../../output/print-findings.ts';
import { openProgressLine } from '../../output/progress-line.ts';
import { counted, reasonOf, shellWord } from '../../output/terminal-text.ts';
import { firstLine, textColumns } from '../../output/text-table.ts';
import { makeFolder } from '../../settings/make-folder.ts';
import { importSource, publicAddress } from './import-source.ts';
import { readDescription } from './read-description.ts';

interface NewFlags {
  out?: string;
  namespace?: string;
  select?: readonly string[];
  tag?: readonly string[];
  limit?: number;
  server?: string;
  dryRun: boolean;
}

/** `schemakit new`: writes schemas from the description of an API. Existing files are never overwritten. */
export async function writeSchemas({ out, tag, dryRun, ...flags }: NewFlags, source: string): Promise<CommandResult> {
  const installed = await loadImport();
  if (!installed.ok) return installed.result;
  const read = await readDescription(source);
  if (!read.ok) return read.result;
  const line = openProgressLine();
  const onProgress = ({ done, total }: { done: number; total: number }) => {
    if (done % 100 === 0) line.show(`Planning ${done}/${total}`);
  };
  // Files name the address: without what may be a key.
  const url = read.url === undefined ? undefined : publicAddress(read.url);
  const options = { ...flags, tags: tag };
  const imported = installed.importApi(read.text, { ...options, url, onProgress });
  line.clear();
  if (!imported.status) return importFailure(imported);
  printFindings(imported.findings);
  const folder = out ?? join('schemas', imported.namespace);
  if (dryRun) return importedResult(imported, { folder, dryRun });
  const from = { source: importSource(source, folder), url, options, text: read.text };
  const record = installed.writeImportRecord(imported, from);
  const problem = await writeFiles(folder, { ...imported.files, 'import.json': record });
  return problem ?? importedResult(imported, { folder, dryRun });
}

/** The package is installed by those who need it. */
export async function loadImport(command = 'new'): Promise<Step<Omit<typeof import('@schemakit/import'), 'default'>>> {
  try {
    return { ok: true, ...(await import('@schemakit/import')) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const fix = 'Run: npm install @schemakit/import (with -g where schemakit is installed with it)';
    return {
      ok: false,
      result: failed('notFound', { error: `\`schemakit ${command}\` needs the package @schemakit/import.`, fix }),
    };
  }
}

export function importFailure({ findings, omissions }: ImportResult): CommandResult {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  const place = first?.path ? ` (${first.path})` : '';
  const error = `${first?.message ?? 'The document cannot be imported'}${place}`;
  const isUsage = first?.code === 'IMP006' || first?.code === 'IMP005';
  return failed(isUsage ? 'usage' : 'validation', { error, fix: first?.hint, findings, omissions });
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
    for (const { path, text } of entries) await writeFile(path, text);
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
  { folder, dryRun }: { folder: string; dryRun: boolean },
): CommandResult {
  const paths = Object.keys(files).map((path) => relative('.', join(folder, path)) || path);
  const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0);
  const next = dryRun ? [] : [`schemakit validate ${shellWord(folder)}`, `schemakit serve ${shellWord(folder)}`];
  const text = () => {
    const rows = tools.map(({ name, method, path, tokens: cost }) => [name, `${cost}`, `${method} ${path}`]);
    const leftOut = omissions.filter(({ code }) => code < 'IMP020');
    const shown = leftOut.slice(0, maxShown).map(({ code, message }) => `  ${code} ${firstLine(message, 160)}`);
    const rest = leftOut.length > maxShown ? [`  and ${leftOut.length - maxShown} more`] : [];
    const details = omissions.length - leftOut.length;
    return [
      `${counted(tools.length, 'tool')} in ${counted(paths.length, 'file')}, about ${tokens.toLocaleString('en')} tokens${dryRun ? ' (dry run: nothing was written)' : ` in ${folder}`}`,
      ...textColumns([['Tool', 'Tokens', 'Request'], ...rows.slice(0, maxTools)], { indent: 2 }),
      ...(rows.length > maxTools ? [`  and ${rows.length - maxTools} more (all with --json)`] : []),
      ...(leftOut.length > 0 ? [`${counted(leftOut.length, 'operation')} left out:`, ...shown, ...rest] : []),
      ...(details > 0 ? [`${counted(details, 'detail')} left out, listed in ${namespace}.md`] : []),
      ...next.map((command) => `Next: ${command}`),
    ].join('\n');
  };
  return {
    document: { status: true, namespace, dryRun, files: paths, tokens, tools, omissions, findings, next },
    text,
  };
}

const maxShown = 10;
const maxTools = 60;
