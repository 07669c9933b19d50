import { statSync } from 'node:fs';
import { loadSchemas } from '@schemakit/core';
import { groupOf } from '../groups/groups.ts';
import { loadGroup } from '../groups/load-group.ts';
import { loadWithLock } from '../groups/load-with-lock.ts';
import { watchFiles } from '../index/watch-files.ts';
import { type CommandResult, failed, failedOver, misused } from '../output/command-result.ts';
import { printFindings } from '../output/print-findings.ts';
import { isForProgram } from '../output/print-result.ts';
import { openSettings } from '../settings/open-settings.ts';
import { type CheckedSchemas, type ValidationFormat, validationResult } from './validation-result.ts';

export interface ValidateFlags {
  strict: boolean;
  group?: string;
  lock?: string;
  format?: ValidationFormat;
  watch: boolean;
}

/** What was checked and where it is, or why nothing could be. */
type Checked = { ok: true; checked: CheckedSchemas; places: readonly string[] } | { ok: false; result: CommandResult };

/** `schemakit validate [<path>...] [--group <name>]`: checks schema files and says what is wrong, where, and what to do. */
export async function validate(flags: ValidateFlags, ...paths: string[]): Promise<CommandResult> {
  if (paths.length > 0 && flags.group !== undefined) {
    return misused('Name either files or a group.', 'Leave out the paths, or --group.');
  }
  const check = () => (paths.length === 0 ? checkGroup(flags) : checkPaths(flags, paths));
  return flags.watch ? validateAgain(flags, paths, check) : reported(await check(), flags.format);
}

async function checkPaths({ lock, strict }: ValidateFlags, paths: readonly string[]): Promise<Checked> {
  const { loaded } = await loadWithLock({ paths, lock }, (options) => loadSchemas({ paths, strict, ...options }));
  return { ok: true, checked: loaded, places: paths };
}

async function checkGroup({ group, lock, strict }: ValidateFlags): Promise<Checked> {
  const opened = openSettings();
  if (!opened.ok) return opened;
  const { settings } = opened;
  const chosen = groupOf(settings, group);
  if (!chosen.ok) return { ok: false, result: failedOver([chosen.finding]) };
  const { files, findings } = await loadGroup(chosen.group, settings, { lock });
  const lost = findings.filter(({ code }) => code === 'SET009');
  if (files.length === 0) {
    printFindings(lost);
    const fix = 'Activate one: schemakit add <tool>';
    const empty = failed('notFound', { error: `The group ${chosen.name} has no tools.`, fix });
    return { ok: false, result: lost.length > 0 ? failedOver(lost) : empty };
  }
  const paths = files.map(({ file }) => file);
  const { loaded } = await loadWithLock({ paths, lock }, (options) => loadSchemas({ paths, strict, ...options }));
  const checked = { schemas: loaded.schemas, findings: [...loaded.findings, ...lost] };
  return { ok: true, checked, places: [...paths, settings.places.project.groups] };
}

async function reported(checked: Checked, format: ValidationFormat | undefined): Promise<CommandResult> {
  if (!checked.ok) return checked.result;
  if (format !== 'text') printFindings(checked.checked.findings);
  return validationResult(checked.checked, format);
}

/** Checks whenever a file changes, until the user ends it; then the last result counts. */
async function validateAgain(
  flags: ValidateFlags,
  paths: readonly string[],
  check: () => Promise<Checked>,
): Promise<CommandResult> {
  const lost = paths.find((path) => statSync(path, { throwIfNoEntry: false }) === undefined);
  if (lost !== undefined) return failed('notFound', { error: `There is no file ${lost}.`, fix: 'Check the path.' });
  const first = await check();
  if (!first.ok) return first.result;
  let last = first as Checked;
  let isFirst = true;
  const isShownAtEnd = flags.format === 'json' || flags.format === 'sarif' || isForProgram(false);
  await watchSchemas(first.places, async () => {
    if (!isFirst) last = await check();
    isFirst = false;
    const { document, text } = await reported(last, flags.format === 'text' ? 'text' : undefined);
    const line = text?.() ?? `${document.error ?? ''}`;
    const stream = isShownAtEnd ? process.stderr : process.stdout;
    stream.write(`${line.trimEnd()}\nWatching; end with Ctrl-C.\n`);
  });
  const result = last.ok ? await validationResult(last.checked, flags.format) : last.result;
  return isShownAtEnd ? result : { ...result, text: () => '' };
}

/**
 * Does work now, and again whenever something below the paths has changed, until the user ends it. What changes meanwhile is
 * looked at once more. Resolves once it is ended and the work under way is done.
 */
async function watchSchemas(paths: readonly string[], work: () => Promise<void>): Promise<void> {
  const watched = await watchFiles(() => paths, work, { keepsRunning: true });
  const ended = untilEnded();
  watched.again();
  await ended;
  await watched.close();
}

/** Ctrl-C ends the watching, and not the command before it has said how things stand. */
function untilEnded(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.removeAllListeners(signal);
      process.once(signal, () => resolve());
    }
  });
}
