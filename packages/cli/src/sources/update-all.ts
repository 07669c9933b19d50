import type { Finding } from '@schemakit/core';
import { listSources } from './list-sources.ts';
import type { SourceOptions } from './source-options.ts';
import { type SourceResult, sourceResult } from './source-result.ts';
import { updateSource } from './update-source.ts';

/** What became of all sources. */
export interface UpdateAllResult {
  /** False if any source failed. */
  status: boolean;
  messages: string[];
  findings: Finding[];
  /** In the order of their names. */
  sources: SourceResult[];
}

/** Brings all sources up to date, one after the other. A source that fails does not stop the others. */
export async function updateAll(options: SourceOptions): Promise<UpdateAllResult> {
  const { folder, dryRun = false } = options;
  const sources: SourceResult[] = [];
  for (const source of await listSources({ folder })) {
    const { name } = source;
    sources.push(
      source.status
        ? await updateSource({ ...options, name })
        : sourceResult({ name, dryRun, findings: [source.finding] }),
    );
  }
  return {
    status: sources.every(({ status }) => status),
    messages: sources.flatMap(({ messages }) => messages),
    findings: sources.flatMap(({ findings }) => findings),
    sources,
  };
}
