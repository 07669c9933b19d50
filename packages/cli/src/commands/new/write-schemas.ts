import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { updateFile } from '@schemakit/core/internal';
import type { ImportResult } from '@schemakit/import';
import { type CommandResult, failed, type Step, usageError } from '../../output/command-result.ts';
import { printFindings } from '../../output/print-findings.ts';
import { openProgressLine } from '../../output/progress-line.ts';
import { counted, reasonOf, shellWord } from '../../output/terminal-text.ts';
import { firstLine, textColumns } from '../../output/text-table.ts';
import { makeFolder } from '../../settings/make-folder.ts';
import { type Given, nextSteps } from './ask-for-schema.ts';
import { followReferences } from './follow-references.ts';
import { readDescription } from './read-description.ts';

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
  const installed = await loadImport();
  if (!installed.ok) return installed.result;
  const source = 'source' in given ? given.source : '';
  const read =
    'source' in given
      ? await readDescription(source)
      : { ok: true as const, text: JSON.stringify(given.document), url: undefined };
  if (!read.ok) return read.result;
  const line = openProgressLine();
  const onProgress = ({ done, total }: { done: number; total: number }) => {
    if (done % 100 === 0) line.show(`Planning ${done}/${total}`);
  };
  if (read.text.length > 2 ** 20) line.show('Reading the document');
  const whole = await followReferences(read.text, {
    ...{ source, url: read.url, remoteRefs, bundle: installed.bundleReferences },
    onProgress: (name) => line.show(`Reading ${name}`),
  });
  const own = 'namespace' in given ? { namespace: given.namespace } : {};
  const server = flags.server ?? read.server;
  const options = { ...own, ...flags, server, tags: tag, url: read.url, unread: whole.unread, onProgress };
  const imported =
    typeof whole.source === 'string'
      ? installed.importApi(whole.source, options)
      : installed.importOpenApi(whole.source, options);
  line.clear();
  if (!imported.status) return importFailure(imported);
  printFindings(imported.findings);
  const folder = out ?? join('schemas', imported.namespace);
  if (dryRun) return importedResult(imported, { folder, dryRun });
  const problem = await writeFiles(folder, 'source' in given ? imported.files : withNextSteps(imported.files));
  if (problem !== undefined) return problem;
  const result = importedResult(imported, { folder, dryRun });
  if (!tries) return result;
  const { withTried } = await import('./tried-result.ts');
  return withTried(result, imported, {
    folder,
    named: `${source || JSON.stringify(given)} ${flags.server ?? ''}`,
    envFile,
  });
}

/** The heading of an import says where the file is from: from nowhere but the answers. */
function withNextSteps(files: ImportResult['files']): ImportResult['files'] {
  const entries = Object.entries(files).map(([path, text]) => [path, text.replace(/^(\/\/ .*\n)+/, () => nextSteps)]);
  return Object.fromEntries(entries);
}

async function loadImport(): Promise<
  Step<Pick<typeof import('@schemakit/import'), 'bundleReferences' | 'importApi' | 'importOpenApi'>>
> {
  try {
    const { bundleReferences, importApi, importOpenApi } = await import('@schemakit/import');
    return { ok: true, bundleReferences, importApi, importOpenApi };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const fix = 'Run: npm install @schemakit/import (with -g where schemakit is installed with it)';
    return {
      ok: false,
      result: failed('notFound', { error: '`schemakit new` needs the package @schemakit/import.', fix }),
    };
  }
}

function importFailure({ findings, omissions }: ImportResult): CommandResult {
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
          fix: 'Choose another folder with --out, or remove the file.',
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
