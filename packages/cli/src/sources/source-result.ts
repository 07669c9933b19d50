import { join } from 'node:path';
import { styleText } from 'node:util';
import type { Finding } from '@schemakit/core';
import { trustCommand } from '@schemakit/core/internal';
import { type CommandResult, type Failure, failureOf, failWith } from '../output/command-result.ts';
import { printFindings } from '../output/print-findings.ts';
import { counted, printable, shellWord } from '../output/terminal-text.ts';
import type { RequiredModule } from './check-schemas.ts';
import type { SourceChanges } from './plan-changes.ts';
import { type MissingGrants, needsGrants, waitingFindings } from './send-grants.ts';
import type { SourceCode } from './source-codes.ts';

/** The result of an import or update. Paths are below the folder of the source. */
export interface SourceResult extends SourceChanges {
  /** False if any finding is an error; files without errors are installed anyway. */
  status: boolean;
  findings: Finding[];
  /** Name of the source and its folder; null if unknown. */
  name: string | null;
  url: string | null;
  /** A commit or the version of a registry; null if there is none. */
  revision: string | null;
  /** Schemas of the source that load. */
  schemaCount: number;
  agentCount: number;
  /** Schemas that were pinned in the lock file. */
  trusted: string[];
  /** Schemas that changed since they were trusted: refused until they are trusted again. */
  needsTrust: string[];
  requiredModules: RequiredModule[];
  dryRun: boolean;
}

export function sourceResult({ findings = [], ...fields }: Partial<Omit<SourceResult, 'status'>>): SourceResult {
  return {
    ...{ name: null, url: null, revision: null, schemaCount: 0, agentCount: 0, dryRun: false },
    ...{ added: [], changed: [], removed: [], edited: [], unchanged: [], failed: [] },
    ...{ trusted: [], needsTrust: [], requiredModules: [] },
    ...fields,
    status: findings.every(({ severity }) => severity !== 'error'),
    findings,
  };
}

interface SourceDocument extends Readonly<Record<string, unknown>> {
  summary: string;
  files: SourceChanges;
}

function sourceDocument(result: SourceResult): SourceDocument {
  const { name, url, revision, agentCount, added, changed, removed, edited, unchanged, failed } = result;
  const { trusted, needsTrust, requiredModules, dryRun } = result;
  const files: SourceChanges = { added, changed, removed, edited, unchanged, failed };
  const counts = Object.entries(files).flatMap(([word, { length }]) => {
    const isPlanned = dryRun && (word === 'added' || word === 'changed');
    return length > 0 ? `${length} ${isPlanned ? `would be ${word}` : word}` : [];
  });
  const what = counts.length > 0 ? `${counts.join(', ')}; ${contents(result)}` : 'nothing imported';
  const problems = (wanted: Finding['severity']) =>
    result.findings
      .filter(({ severity }) => severity === wanted)
      .map(({ code, message, file, line, hint: fix }) => ({ code, message, file, line, fix }));
  return {
    url,
    revision,
    ...(agentCount > 0 && { agents: agentCount }),
    downloaded: added.length + changed.length,
    updated: changed.length,
    skipped: unchanged.length + edited.length,
    failed: failed.length,
    summary: `${name === null ? '' : `${name}: `}${what}.${dryRun ? ' Dry run: nothing was written.' : ''}`,
    files,
    ...{ trusted, needsTrust, requiredModules, dryRun },
    warnings: problems('warning'),
    errors: problems('error'),
  };
}

function contents({ schemaCount, agentCount }: SourceResult): string {
  const agents = agentCount > 0 ? `, ${counted(agentCount, 'agent')}` : '';
  return `${counted(schemaCount, 'schema')}${agents}`;
}

/** Files listed at a terminal, per kind. */
const maxShown = 20;

const kinds = [
  ['added', 'green', ''],
  ['changed', 'yellow', ''],
  ['removed', 'red', ' (no longer in the source, kept)'],
  ['edited', 'cyan', ' (edited locally, kept)'],
  ['failed', 'red', ''],
] as const;

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

/** The shell command that installs missing packages in the folder above all sources. */
export function installCommand(modules: readonly RequiredModule[], { home }: { home: string }): string | undefined {
  const missing = modules.filter(({ isInstalled }) => !isInstalled);
  if (missing.length === 0) return undefined;
  const names = new Set(missing.map(({ name, version }) => (version === null ? name : `${name}@${version}`)));
  return `npm install --prefix ${shellWord(home)} ${[...names].join(' ')}`;
}

/** The shell command that reviews the schemas of a source that changed since they were trusted. */
function reviewCommand({ name, needsTrust, dryRun }: SourceResult, { home }: { home: string }): string[] {
  if (name === null || needsTrust.length === 0 || dryRun) return [];
  if (needsTrust.length > 1) return [trustCommand({ files: [], flags: ['--source', name] })];
  return [trustCommand({ files: needsTrust.map((path) => join(home, 'schemas', name, path)) })];
}

export function importedResult(
  result: SourceResult,
  { home, waiting }: { home: string; waiting: readonly MissingGrants[] },
): CommandResult {
  const { name, schemaCount, status, requiredModules } = result;
  printSourceFindings([result]);
  printFindings(waitingFindings(waiting));
  const about = sourceDocument(result);
  const install = installCommand(requiredModules, { home }) ?? [];
  const first = result.dryRun ? [] : result.trusted.slice(0, 1);
  const next = [
    install,
    reviewCommand(result, { home }),
    first.map((path) => `schemakit add ${shellWord(`${name}/${path}`)}`),
  ].flat();
  const fields = { source: name, schemasImported: schemaCount, ...about, next, ...needsGrants(waiting) };
  const nextSteps = next.length > 0 ? ['Next:', ...next.map((line) => `  ${line}`)] : [];
  const text = () => (hasFiles(about) ? [sourceText(about), ...nextSteps].join('\n') : '');
  if (status) return { document: { status, ...fields }, text };
  return { ...failedSources([result], fields), text };
}

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
  const next = [installCommand(modules, { home }) ?? [], ...results.map((one) => reviewCommand(one, { home }))].flat();
  const failed = sources.filter(({ status }) => !status).length;
  const isDryRun = results.some(({ dryRun }) => dryRun);
  const outdated = sources.filter(
    ({ status, files }) => status && files.added.length + files.changed.length > 0,
  ).length;
  const done = isDryRun
    ? `${outdated === 0 ? 'No source' : counted(outdated, 'source')} would be brought up to date`
    : `${counted(sources.length - failed, 'source')} updated`;
  const counts = failed === 0 ? `${done}.` : `${done}, ${failed} failed.`;
  const summary = sources.length === 0 ? 'No sources to update. Import one: schemakit import <url>' : counts;
  const fields = { summary, sources, next };
  const text = () =>
    [
      ...sources.filter(hasFiles).map(sourceText),
      ...(failed > 0 && failed === sources.length ? [] : [summary]),
      ...next.map((line) => `Next: ${line}`),
    ].join('\n');
  if (failed === 0) return { document: { status: true, ...fields }, text };
  return { ...failedSources(results, fields), text };
}

function hasFiles({ files }: SourceDocument): boolean {
  return Object.values(files).some(({ length }) => length > 0);
}

export function printSourceFindings(results: readonly SourceResult[]): void {
  const findings = results.flatMap((result) => result.findings);
  const errors = findings.filter(({ severity }) => severity === 'error');
  const isShownLater = errors.length === 1 && failedFiles(results).length === 0;
  printFindings(isShownLater ? findings.filter(({ severity }) => severity !== 'error') : findings);
}

const maxNamed = 5;

/** The result of a command that failed for some files or sources. */
export function failedSources(
  results: readonly SourceResult[],
  fields: Readonly<Record<string, unknown>>,
): Pick<CommandResult, 'document' | 'failure'> {
  const findings = results.flatMap((result) => result.findings);
  const { document } = failWith(findings, fields);
  const paths = failedFiles(results);
  const more = paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : '';
  const shown = paths.length > 0 && {
    error: `Files were skipped: ${paths.slice(0, maxNamed).join(', ')}${more}.`,
    // Only its maintainers can fix a file of the source.
    fix: 'The other files are installed. Report the errors to the maintainers of the source, and update later.',
  };
  return { document: { ...document, ...shown }, failure: sourceFailure(findings) };
}

function failedFiles(results: readonly SourceResult[]): string[] {
  return results.flatMap(({ name, failed }) => failed.map((path) => `${name}/${path}`));
}

/** Exit reasons that `failureOf` does not know. */
const failures: Partial<Readonly<Record<SourceCode, Failure>>> = {
  SRC001: 'usage',
  SRC002: 'upstream',
  SRC008: 'usage',
  SRC010: 'other',
  SRC014: 'other',
  SRC015: 'notFound',
  SRC016: 'notFound',
  SRC019: 'notFound',
};

function sourceFailure(findings: readonly Finding[]): Failure {
  const code = findings.find(({ severity }) => severity === 'error')?.code;
  return failures[code as SourceCode] ?? failureOf(findings);
}
