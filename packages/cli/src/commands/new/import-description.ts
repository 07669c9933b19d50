import type { ImportOptions, ImportResult } from '@schemakit/import';
import { type CommandResult, failed, type Step } from '../../output/command-result.ts';
import { openProgressLine } from '../../output/progress-line.ts';
import type { Given } from './ask-for-schema.ts';
import { followReferences } from './follow-references.ts';
import { publicAddress } from './import-source.ts';
import { readDescription } from './read-description.ts';

type ImportPackage = typeof import('@schemakit/import');

interface DescriptionOptions {
  installed: ImportPackage;
  /** Whether documents at other addresses are read. */
  remoteRefs: boolean;
  options: Omit<ImportOptions, 'url' | 'unread' | 'onProgress'>;
}

interface ImportedDescription {
  imported: ImportResult;
  /** The text of the description. */
  text: string;
  /** Where it was in the end, without what may be a key; undefined for files and curl commands. */
  url: string | undefined;
}

/** Reads a description with all that it refers to, and imports it. Writes nothing. */
export async function importDescription(
  given: Given,
  { installed, remoteRefs, options }: DescriptionOptions,
): Promise<Step<ImportedDescription>> {
  const source = 'source' in given ? given.source : '';
  const read =
    'source' in given
      ? await readDescription(source)
      : { ok: true as const, text: JSON.stringify(given.document), url: undefined };
  if (!read.ok) return read;
  const { text } = read;
  const line = openProgressLine();
  if (text.length > 2 ** 20) line.show('Reading the document');
  const whole = await followReferences(text, {
    ...{ source, url: read.url, remoteRefs, bundle: installed.bundleReferences },
    onProgress: (name) => line.show(`Reading ${name}`),
  });
  const url = read.url === undefined ? undefined : publicAddress(read.url);
  const all = {
    ...options,
    ...('namespace' in given && { namespace: given.namespace }),
    server: options.server ?? read.server,
    url,
    unread: whole.unread,
    onProgress({ done, total }: { done: number; total: number }) {
      if (done % 100 === 0) line.show(`Planning ${done}/${total}`);
    },
  };
  const imported =
    typeof whole.source === 'string'
      ? installed.importApi(whole.source, all)
      : installed.importOpenApi(whole.source, all);
  line.clear();
  return imported.status ? { ok: true, imported, text, url } : { ok: false, result: importFailure(imported) };
}

function importFailure({ findings, omissions }: ImportResult): CommandResult {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  const place = first?.path ? ` (${first.path})` : '';
  const error = `${first?.message ?? 'The document cannot be imported'}${place}`;
  const isUsage = first?.code === 'IMP006' || first?.code === 'IMP005';
  return failed(isUsage ? 'usage' : 'validation', { error, fix: first?.hint, findings, omissions });
}

/** The package is installed by those who need it. */
export async function loadImport(command: string): Promise<Step<{ installed: ImportPackage }>> {
  try {
    return { ok: true, installed: await import('@schemakit/import') };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const fix = 'Run: npm install @schemakit/import (with -g where schemakit is installed with it)';
    return {
      ok: false,
      result: failed('notFound', { error: `\`schemakit ${command}\` needs the package @schemakit/import.`, fix }),
    };
  }
}
