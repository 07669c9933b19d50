import { openSettings } from '../open-settings.ts';
import type { CommandResult } from '../output/command-result.ts';
import { counted } from '../output/counted.ts';
import { updateAll, updateSource } from '../sources/import-source.ts';
import { openProgressLine } from '../sources/progress-line.ts';
import {
  failedSources,
  installCommand,
  printSourceFindings,
  type SourceResult,
  sourceDocument,
  sourceText,
} from '../sources/source-result.ts';

export interface UpdateFlags {
  dryRun: boolean;
}

/** `schemakit update [source]`: brings in what changed in one source or in all. */
export async function update({ dryRun }: UpdateFlags, name?: string): Promise<CommandResult> {
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const { home } = opened.settings.places;
  const line = openProgressLine();
  const options = { folder: home.schemas, dryRun, onProgress: line.onProgress };
  const results = name === undefined ? await updateAll(options) : [await updateSource({ ...options, name })];
  line.clear();
  return report(results, { home: home.folder });
}

function report(results: readonly SourceResult[], { home }: { home: string }): CommandResult {
  printSourceFindings(results);
  const sources = results.map((result) => ({
    sourceName: result.name,
    status: result.status,
    totalSchemas: result.schemaCount,
    removedFiles: result.removed,
    ...sourceDocument(result),
  }));
  const install = installCommand(
    results.flatMap(({ requiredModules }) => requiredModules),
    { home },
  );
  const failed = sources.filter(({ status }) => !status);
  const summary = summaryOf(sources.length, failed.length);
  const fields = { summary, sources, next: install === undefined ? [] : [install] };
  const shown = sources.filter(({ files }) => Object.values(files).some((paths) => paths.length > 0));
  const text = () =>
    [
      ...shown.map(sourceText),
      ...(failed.length === sources.length && failed.length > 0 ? [] : [summary]),
      ...(install === undefined ? [] : [`Go on with: ${install}`]),
    ].join('\n');
  if (failed.length === 0) return { document: { status: true, ...fields }, text };
  return { ...failedSources(results, fields), text };
}

function summaryOf(total: number, failed: number): string {
  if (total === 0) return 'There is no source to update. Import one: schemakit import <url>';
  const done = `${counted(total - failed, 'source')} brought up to date`;
  return failed === 0 ? `${done}.` : `${done}, ${failed} failed.`;
}
