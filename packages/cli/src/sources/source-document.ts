import type { Finding } from '@schemakit/core';
import { counted } from '../output/counted.ts';
import type { SourceChanges } from './plan-changes.ts';
import type { RequiredModule } from './required-modules.ts';
import type { SourceResult } from './source-result.ts';

/** A finding, for a program. */
export interface SourceProblem {
  code: string;
  message: string;
  file?: string;
  line?: number;
  fix?: string;
}

/** What became of a source, in the words of the command: counts, then the files themselves. */
export interface SourceDocument {
  url: string | null;
  revision: string | null;
  /** Files that were written. */
  downloaded: number;
  /** Those among them that took the place of an older version. */
  updated: number;
  /** Files that are as they were: unchanged, or edited here. */
  skipped: number;
  failed: number;
  /** One sentence. */
  summary: string;
  /** Paths below the folder of the source. */
  files: SourceChanges;
  trusted: readonly string[];
  needsTrust: readonly string[];
  requiredModules: readonly RequiredModule[];
  dryRun: boolean;
  warnings: readonly SourceProblem[];
  errors: readonly SourceProblem[];
}

/** Puts what became of a source into the words of the command. */
export function sourceDocument(result: SourceResult): SourceDocument {
  const { url, revision, added, changed, removed, edited, unchanged, failed, findings } = result;
  const { trusted, needsTrust, requiredModules, dryRun } = result;
  const problems = (wanted: Finding['severity']) =>
    findings.filter(({ severity }) => severity === wanted).map(problemOf);
  return {
    url,
    revision,
    downloaded: added.length + changed.length,
    updated: changed.length,
    skipped: unchanged.length + edited.length,
    failed: failed.length,
    summary: summaryOf(result),
    files: { added, changed, removed, edited, unchanged, failed },
    trusted,
    needsTrust,
    requiredModules,
    dryRun,
    warnings: problems('warning'),
    errors: problems('error'),
  };
}

function problemOf({ code, message, file, line, hint }: Finding): SourceProblem {
  return {
    code,
    message,
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
    ...(hint !== undefined && { fix: hint }),
  };
}

function summaryOf(result: SourceResult): string {
  const { name, schemaCount, dryRun, added, changed, removed, edited, unchanged, failed } = result;
  const counts = Object.entries({ added, changed, removed, edited, unchanged, failed })
    .filter(([, paths]) => paths.length > 0)
    .map(([word, paths]) => `${paths.length} ${word}`);
  const what =
    counts.length === 0 ? 'nothing was brought in' : `${counts.join(', ')}; ${counted(schemaCount, 'schema')}`;
  return `${name === null ? '' : `${name}: `}${what}.${dryRun ? ' This was a trial: nothing was written.' : ''}`;
}
