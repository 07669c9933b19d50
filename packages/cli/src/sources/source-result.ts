import { styleText } from 'node:util';
import type { Finding } from '@schemakit/core';
import { type CommandResult, type Failure, failedOver, failureOf } from '../output/command-result.ts';
import { printFindings } from '../output/print-findings.ts';
import { counted, printable, shellWord } from '../output/terminal-text.ts';
import type { RequiredModule } from './check-schemas.ts';
import type { SourceChanges } from './plan-changes.ts';
import type { SourceCode } from './source-codes.ts';

/** What became of a source. Paths are below its folder. */
export interface SourceResult extends SourceChanges {
  /** False if any finding is an error. Files that did not fail are in place all the same. */
  status: boolean;
  findings: Finding[];
  /** Name of the source, and of its folder; null where it is not known. */
  name: string | null;
  url: string | null;
  /** A commit, or the version of a registry; null where there is none. */
  revision: string | null;
  /** Schemas of the source that load now. */
  schemaCount: number;
  /** Schemas that were noted in the lock file. */
  trusted: string[];
  /** Schemas that changed since they were trusted: they are refused until somebody trusts them again. */
  needsTrust: string[];
  /** npm packages that the schemas need. */
  requiredModules: RequiredModule[];
  /** Whether nothing was written. */
  dryRun: boolean;
}

/** Puts together a result; what is left out is empty. */
export function sourceResult({ findings = [], ...fields }: Partial<Omit<SourceResult, 'status'>>): SourceResult {
  return {
    ...{ name: null, url: null, revision: null, schemaCount: 0, dryRun: false },
    ...{ added: [], changed: [], removed: [], edited: [], unchanged: [], failed: [] },
    ...{ trusted: [], needsTrust: [], requiredModules: [] },
    ...fields,
    status: findings.every(({ severity }) => severity !== 'error'),
    findings,
  };
}

interface SourceDocument extends Readonly<Record<string, unknown>> {
  /** One sentence. */
  summary: string;
  files: SourceChanges;
}

/** A result as a command shows it to a program; docs/sources.md describes the fields. */
function sourceDocument(result: SourceResult): SourceDocument {
  const { name, url, revision, schemaCount, added, changed, removed, edited, unchanged, failed } = result;
  const { trusted, needsTrust, requiredModules, dryRun } = result;
  const files: SourceChanges = { added, changed, removed, edited, unchanged, failed };
  const counts = Object.entries(files).flatMap(([word, { length }]) => (length > 0 ? `${length} ${word}` : []));
  const what = counts.length > 0 ? `${counts.join(', ')}; ${counted(schemaCount, 'schema')}` : 'nothing was brought in';
  const problems = (wanted: Finding['severity']) =>
    result.findings
      .filter(({ severity }) => severity === wanted)
      .map(({ code, message, file, line, hint: fix }) => ({ code, message, file, line, fix }));
  return {
    url,
    revision,
    downloaded: added.length + changed.length,
    updated: changed.length,
    skipped: unchanged.length + edited.length,
    failed: failed.length,
    summary: `${name === null ? '' : `${name}: `}${what}.${dryRun ? ' This was a trial: nothing was written.' : ''}`,
    files,
    ...{ trusted, needsTrust, requiredModules, dryRun },
    warnings: problems('warning'),
    errors: problems('error'),
  };
}

/** So many files of a kind are shown to a person. */
const maxShown = 20;

const kinds = [
  ['added', 'green', ''],
  ['changed', 'yellow', ''],
  ['removed', 'red', ' (no longer in the source, kept here)'],
  ['edited', 'cyan', ' (edited here, kept as they are)'],
  ['failed', 'red', ''],
] as const;

/** A result for a person: a line on top, and below it the files that are not as they were. */
function sourceText({ summary, files }: SourceDocument): string {
  const lists = kinds.flatMap(([kind, colour, note]) => {
    const paths = files[kind];
    if (paths.length === 0) return [];
    const rest = paths.length > maxShown ? [`    and ${paths.length - maxShown} more`] : [];
    const shown = paths.slice(0, maxShown).map((path) => `    ${printable(path)}`);
    return [`  ${styleText(colour, kind, { stream: process.stdout })}${note}`, ...shown, ...rest];
  });
  return [printable(summary), ...lists].join('\n');
}

/**
 * The command that installs what schemas need and is not there, for a shell; undefined where nothing is missing.
 *
 * @param options.home - The folder above all sources: what is installed there, each of them finds.
 */
export function installCommand(modules: readonly RequiredModule[], { home }: { home: string }): string | undefined {
  const missing = modules.filter(({ isInstalled }) => !isInstalled);
  if (missing.length === 0) return undefined;
  const names = new Set(missing.map(({ name, version }) => (version === null ? name : `${name}@${version}`)));
  return `npm install --prefix ${shellWord(home)} ${[...names].join(' ')}`;
}

/** What an import ends in. */
export function importedResult(result: SourceResult, { home }: { home: string }): CommandResult {
  const { name, schemaCount, status, requiredModules } = result;
  printSourceFindings([result]);
  const about = sourceDocument(result);
  const install = installCommand(requiredModules, { home }) ?? [];
  const first = result.dryRun ? [] : result.trusted.slice(0, 1);
  const next = [install, first.map((path) => `schemakit add ${shellWord(`${name}/${path}`)}`)].flat();
  const fields = { source: name, schemasImported: schemaCount, ...about, next };
  const goOn = next.length > 0 ? ['Go on with:', ...next.map((line) => `  ${line}`)] : [];
  const text = () => (hasFiles(about) ? [sourceText(about), ...goOn].join('\n') : '');
  if (status) return { document: { status, ...fields }, text };
  return { ...failedSources([result], fields), text };
}

/** What an update ends in. */
export function updatedResult(results: readonly SourceResult[], { home }: { home: string }): CommandResult {
  printSourceFindings(results);
  const sources = results.map((result) => ({
    sourceName: result.name,
    status: result.status,
    totalSchemas: result.schemaCount,
    removedFiles: result.removed,
    ...sourceDocument(result),
  }));
  const modules = results.flatMap(({ requiredModules }) => requiredModules);
  const next = [installCommand(modules, { home }) ?? []].flat();
  const failed = sources.filter(({ status }) => !status).length;
  const done = `${counted(sources.length - failed, 'source')} brought up to date`;
  const counts = failed === 0 ? `${done}.` : `${done}, ${failed} failed.`;
  const summary = sources.length === 0 ? 'There is no source to update. Import one: schemakit import <url>' : counts;
  const fields = { summary, sources, next };
  const text = () =>
    [
      ...sources.filter(hasFiles).map(sourceText),
      ...(failed > 0 && failed === sources.length ? [] : [summary]),
      ...next.map((line) => `Go on with: ${line}`),
    ].join('\n');
  if (failed === 0) return { document: { status: true, ...fields }, text };
  return { ...failedSources(results, fields), text };
}

function hasFiles({ files }: SourceDocument): boolean {
  return Object.values(files).some(({ length }) => length > 0);
}

/** Writes to stderr what is wrong, but for the one error that `failedSources` shows as a whole. */
export function printSourceFindings(results: readonly SourceResult[]): void {
  const findings = results.flatMap((result) => result.findings);
  const errors = findings.filter(({ severity }) => severity === 'error');
  const isAllSaid = errors.length === 1 && leftOut(results).length === 0;
  printFindings(isAllSaid ? findings.filter(({ severity }) => severity !== 'error') : findings);
}

/** So many files are named in one message. */
const maxNamed = 5;

/** What a command ends in that could not bring in all files of all sources. */
export function failedSources(
  results: readonly SourceResult[],
  fields: Readonly<Record<string, unknown>>,
): Pick<CommandResult, 'document' | 'failure'> {
  const findings = results.flatMap((result) => result.findings);
  const { document } = failedOver(findings, fields);
  const paths = leftOut(results);
  const more = paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : '';
  const shown = paths.length > 0 && {
    error: `Files were left out: ${paths.slice(0, maxNamed).join(', ')}${more}.`,
    // What is wrong with a file of others can be mended by them alone.
    fix: 'The other files are in place. Tell whoever runs the source what is wrong, and update later.',
  };
  return { document: { ...document, ...shown }, failure: sourceFailure(findings) };
}

function leftOut(results: readonly SourceResult[]): string[] {
  return results.flatMap(({ name, failed }) => failed.map((path) => `${name}/${path}`));
}

/** Files that are not what they should be are `validation`, as everywhere. */
const failures: Partial<Readonly<Record<SourceCode, Failure>>> = {
  SRC001: 'usage',
  SRC002: 'upstream',
  SRC008: 'usage',
  SRC010: 'other',
  SRC014: 'other',
  SRC015: 'notFound',
  SRC016: 'notFound',
  SRC018: 'other',
  SRC019: 'notFound',
};

/** Why an import or an update failed, from its first error. */
function sourceFailure(findings: readonly Finding[]): Failure {
  const code = findings.find(({ severity }) => severity === 'error')?.code;
  return failures[code as SourceCode] ?? failureOf(findings);
}
