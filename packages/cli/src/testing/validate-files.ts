import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Finding, type LoadedSchema, type LoadedSchemas, loadSchemas } from '@schemakit/core';
import { type CheckedModule, resourceFiles } from '@schemakit/core/internal';
import { openGroup } from '../groups/groups.ts';
import { loadGroup } from '../groups/load-group.ts';
import { loadWithLock } from '../groups/load-with-lock.ts';
import { watchFiles } from '../index/watch-files.ts';
import { type CommandResult, failed, failureOf, failWith, type Step, usageError } from '../output/command-result.ts';
import { printFindings, sendFindings, shownPath, writeFindings } from '../output/print-findings.ts';
import { isForProgram } from '../output/print-result.ts';
import { counted, printable } from '../output/terminal-text.ts';
import { isRecord } from '../settings/parse-json.ts';
import { readText } from '../sources/trust-schemas.ts';
import { checkOthers, findOthers } from './check-others.ts';

interface ValidateFlags {
  strict: boolean;
  group?: string;
  lock?: string;
  format?: ValidationFormat;
  watch: boolean;
}

type Checked = Step<{ checked: CheckedSchemas; paths: readonly string[] }>;

export async function validate(flags: ValidateFlags, ...paths: string[]): Promise<CommandResult> {
  if (paths.length > 0 && flags.group !== undefined) {
    return usageError('Paths and --group exclude each other.', 'Remove the paths, or --group.');
  }
  const check = () => (paths.length === 0 ? checkGroup(flags) : checkPaths(flags, paths));
  return flags.watch ? validateAgain(flags, paths, check) : reported(await check(), flags.format);
}

const nothing = { ok: true, loaded: { schemas: [], findings: [] } } as const;

async function checkPaths({ lock, strict }: ValidateFlags, paths: readonly string[]): Promise<Checked> {
  const found = await findOthers(paths);
  const named = new Set(found.flatMap(({ file, named }) => (named ? file : [])));
  const rest = paths.filter((path) => !named.has(resolve(path)));
  const read = rest.length === 0 ? nothing : await loadChecked({ lock, strict }, rest);
  if (!read.ok) return read;
  const { schemas, findings } = read.loaded;
  const others = await checkOthers(found, { schemas, strict });
  const kept = others.length === 0 ? findings : findings.filter(({ code }) => code !== 'FIL005');
  const all = [...kept, ...others.flatMap((other) => other.findings)];
  return { ok: true, checked: { schemas, others, findings: all }, paths };
}

async function checkGroup({ group, lock, strict }: ValidateFlags): Promise<Checked> {
  const chosen = openGroup(group);
  if (!chosen.ok) return chosen;
  const { settings } = chosen;
  const { files, findings } = await loadGroup(chosen.group, settings, { lock, asks: false });
  const dangling = findings.filter(({ code }) => code === 'SET009');
  if (files.length === 0) {
    printFindings(dangling);
    const fix = 'Activate one: schemakit add <tool>';
    const empty = failed('notFound', { error: `The group ${chosen.name} has no tools.`, fix });
    return { ok: false, result: dangling.length > 0 ? failWith(dangling) : empty };
  }
  const paths = files.map(({ file }) => file);
  const read = await loadChecked({ lock, strict }, paths);
  if (!read.ok) return read;
  const { loaded } = read;
  const checked = { schemas: loaded.schemas, findings: [...loaded.findings, ...dangling] };
  return { ok: true, checked, paths: [...paths, settings.paths.project.groups] };
}

async function loadChecked(
  { lock, strict }: { lock: string | undefined; strict: boolean },
  paths: readonly string[],
): Promise<Step<{ loaded: LoadedSchemas }>> {
  const { loaded, refused } = await loadWithLock({ paths, named: lock, asks: false }, (options) =>
    loadSchemas({ paths, strict, ...options }),
  );
  // Other errors of the lock file are among those of the schemas.
  const ofLock = refused.filter(({ code }) => code === 'LCK009');
  return ofLock.length > 0 ? { ok: false, result: failWith(ofLock) } : { ok: true, loaded };
}

async function reported(checked: Checked, format: ValidationFormat | undefined): Promise<CommandResult> {
  if (!checked.ok) return checked.result;
  if (format !== 'text') printFindings(checked.checked.findings);
  return validationResult(checked.checked, format);
}

/** Checks whenever a file changes, until the user stops it. Returns the last result. */
async function validateAgain(
  flags: ValidateFlags,
  paths: readonly string[],
  check: () => Promise<Checked>,
): Promise<CommandResult> {
  const missing = paths.find((path) => statSync(path, { throwIfNoEntry: false }) === undefined);
  if (missing !== undefined) return failed('notFound', { error: `No file ${missing}.`, fix: 'Check the path.' });
  // Each check reports all findings.
  sendFindings(writeFindings);
  const first = await check();
  if (!first.ok) return first.result;
  let last = first as Checked;
  let isFirst = true;
  const isShownAtEnd = flags.format === 'json' || flags.format === 'sarif' || isForProgram(false);
  await watchUntilEnded(first.paths, async () => {
    if (!isFirst) last = await check();
    isFirst = false;
    const { document, text } = await reported(last, flags.format === 'text' ? 'text' : undefined);
    const line = text?.() ?? `${document.error ?? ''}`;
    const stream = isShownAtEnd ? process.stderr : process.stdout;
    stream.write(`${line.trimEnd()}\nWatching for changes. Press Ctrl-C to stop.\n`);
  });
  const result = last.ok ? await validationResult(last.checked, flags.format) : last.result;
  return isShownAtEnd ? result : { ...result, text: () => '' };
}

/** Runs `work` now and after each change below the paths, until a signal. Changes during a run cause another one. */
async function watchUntilEnded(paths: readonly string[], work: () => Promise<void>): Promise<void> {
  const watched = await watchFiles(() => paths, work, { keepsRunning: true });
  const ended = untilSignal();
  watched.again();
  await ended;
  await watched.close();
}

/** Ctrl-C stops watching; the command then prints its result. */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.removeAllListeners(signal);
      process.once(signal, () => resolve());
    }
  });
}

interface CheckedSchemas {
  schemas: readonly LoadedSchema[];
  /** Agents, lists, prompts and skills. */
  others?: readonly CheckedModule[];
  findings: readonly Finding[];
}

type ValidationFormat = 'text' | 'json' | 'sarif';

/** The result of a validation in the requested format, or in the default format of commands. */
async function validationResult(checked: CheckedSchemas, format: ValidationFormat | undefined): Promise<CommandResult> {
  const result = await outcomeOf(checked);
  if (format === undefined) return result;
  const { document, text } = result;
  let shown = `${findingsText(checked.findings)}${text?.() ?? ''}`;
  if (format === 'json') shown = JSON.stringify(document, null, 4);
  if (format === 'sarif') {
    const { findingsSarif } = await import('./reports/findings-sarif.ts');
    shown = JSON.stringify(findingsSarif(checked.findings), null, 2);
  }
  return { ...result, isServer: true, text: () => shown };
}

function findingsText(findings: readonly Finding[]): string {
  const texts = [...Map.groupBy(findings, ({ file }) => file)].map(([file, own]) => {
    const title = file === undefined ? '' : `${printable(shownPath(file))}\n`;
    return `${title}${[...new Set(own.map(findingText))].join('')}\n`;
  });
  return texts.join('');
}

function findingText({ severity, code, message, hint, line, column }: Finding): string {
  const place = line === undefined ? '' : `${line}:${column ?? 1}`;
  const lead = `  ${place.padEnd(8)}${severity.padEnd(9)}${code.padEnd(8)}`;
  const advice = hint === undefined ? '' : `${' '.repeat(lead.length)}${printable(hint)}\n`;
  return `${lead}${printable(message)}\n${advice}`;
}

async function outcomeOf({ schemas, others = [], findings }: CheckedSchemas): Promise<CommandResult> {
  const rows = await Promise.all(schemas.map(rowOf));
  const results = [...rows, ...others.map(otherRow)];
  const passed = results.filter(({ status }) => status).length;
  const document = { total: results.length, passed, failed: results.length - passed, results };
  const reads = rows.flatMap((row) => row.reads.map((read) => `${shownPath(row.file)} reads ${readText(read)}`));
  const sum = `${passed} of ${counted(results.length, others.length === 0 ? 'schema' : 'file')} valid.`;
  const text = () => [...reads.map((line) => printable(line)), sum].join('\n');
  const dangling = findings.filter(({ code }) => code === 'SET009');
  if (results.length === 0 || dangling.length > 0) {
    const [reason] = results.length === 0 ? findings : dangling;
    const { failure = 'other' } = failWith(reason === undefined ? [] : [reason]);
    return failed(failure, { error: reason?.message ?? 'No schemas found.', ...document });
  }
  // Findings across schemas: in a strict run, duplicate tool names.
  const own = [...schemas, ...others].flatMap((checked) => checked.findings);
  const ofTheSet = findings.filter((finding) => !own.includes(finding));
  const errors = [...own, ...ofTheSet].filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first === undefined) return { document: { status: true, ...document }, text };
  // A mismatch with the lock file is not a validation error.
  const invalid = errors.filter(({ code }) => !code.startsWith('LCK'));
  const reason = passed === results.length && { error: first.message, fix: first.hint };
  return {
    document: { status: false, ...document, ...reason },
    failure: failureOf(invalid.length > 0 ? invalid : errors),
    text,
  };
}

function otherRow({ file, kind, name, status, messages, findings }: CheckedModule) {
  return { file, kind, name, status, messages, findings };
}

async function rowOf(schema: LoadedSchema) {
  const { file, main, status, messages, findings, prompts } = schema;
  const count = (value: unknown) => (isRecord(value) ? Object.keys(value).length : 0);
  return {
    file,
    kind: 'schema',
    namespace: main?.namespace ?? null,
    status,
    messages,
    findings,
    tools: count(main?.tools ?? main?.routes),
    resources: count(main?.resources),
    skills: prompts.filter(({ kind }) => kind === 'skill').length,
    reads: await resourceFiles(schema),
  };
}
