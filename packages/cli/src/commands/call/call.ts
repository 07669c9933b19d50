import { statSync } from 'node:fs';
import { checkSelect } from '@schemakit/core';
import { type CommandResult, failed, misused } from '../../output/command-result.ts';
import type { Isolation } from '../../parameters.ts';
import { callFile } from './call-file.ts';
import { callGroup } from './call-group.ts';
import { listTools } from './list-tools.ts';
import { readInput } from './read-input.ts';

/**
 * `schemakit call <tool> [<input>]` calls a tool of a group, `schemakit call <file>::tool::<name> [<input>]` one of a file, and
 * `schemakit call list-tools` lists them.
 */
export async function call(flags: CallFlags, first: string, ...rest: string[]): Promise<CommandResult> {
  if (first === 'list-tools') {
    const flag = callingFlag(flags);
    return flag === undefined ? listTools(flags, rest) : misused(`list-tools takes no ${flag}.`, `Leave out ${flag}.`);
  }
  const target = readTarget(first);
  if (target.kind === 'wrong') return misused(target.problem, target.fix);
  const wrong = flagsProblem(flags);
  if (wrong !== undefined) return misused(wrong.problem, wrong.fix);
  const [fault] = flags.select === undefined ? [] : await checkSelect(flags.select);
  if (fault !== undefined) return misused(`--select: ${fault.message}.`, fault.hint ?? '');
  const input = await readInput(rest);
  if (input.kind === 'wrong') {
    const { problem: error, fix, isMissing } = input;
    return isMissing ? failed('notFound', { error, fix }) : misused(error, fix);
  }
  if (target.kind === 'name') return callGroup(flags, target.name, input);
  if (flags.group !== undefined) return misused('Name either a file or a group.', 'Leave out --group.');
  return callFile(flags, target, input);
}

/** The flags of `schemakit call`, as they were typed. */
export interface CallFlags {
  group?: string;
  lock?: string;
  /** Where handlers run. */
  isolation: Isolation;
  /** Shows the request that would be sent. */
  dryRun: boolean;
  /** Shows it as a curl command. */
  curl: boolean;
  /** JMESPath. */
  select?: string;
  /** False for `--no-cache`. */
  cache: boolean;
  refresh: boolean;
}

/** What is wrong with the flags as they stand together. */
export function flagsProblem(flags: CallFlags): { problem: string; fix: string } | undefined {
  const { dryRun, curl, select, cache, refresh } = flags;
  const shows = curl ? '--curl' : '--dry-run';
  if ((dryRun || curl) && select !== undefined) {
    return { problem: `${shows} sends nothing, so that there is nothing to select from.`, fix: 'Leave out --select.' };
  }
  if (refresh && !cache) return { problem: '--refresh needs the cache.', fix: 'Leave out --no-cache.' };
  return undefined;
}

/** A flag that only a call of a tool takes. */
export function callingFlag({ dryRun, curl, select, cache, refresh, isolation }: CallFlags): string | undefined {
  if (dryRun) return '--dry-run';
  if (curl) return '--curl';
  if (select !== undefined) return '--select';
  if (refresh) return '--refresh';
  if (isolation !== 'process') return '--isolation';
  return cache ? undefined : '--no-cache';
}

/** What a user wants to call: a tool of a file that they name, or one that is known by name. */
export type Target =
  | { kind: 'file'; file: string; toolName: string }
  | { kind: 'name'; name: string }
  | { kind: 'wrong'; problem: string; fix: string };

/**
 * Tells files from names. A file that is there is meant, and so is what is written as a path; `<source>/<file>.mjs` is the
 * reference of a file that is known.
 */
export function readTarget(text: string): Target {
  const { file, toolName } = splitReference(text);
  if (!isPath(file)) return text.trim() === '' ? wrong(text) : { kind: 'name', name: text };
  return toolName === undefined || toolName === '' ? wrong(text) : { kind: 'file', file, toolName };
}

/** Whether a text names a file on this machine. */
function isPath(text: string): boolean {
  const isWritten = /^(\.{1,2}[/\\]|[/\\]|[A-Za-z]:[/\\])/.test(text) || /^[^/\\]+\.mjs$/.test(text);
  return isWritten || (text.includes('.mjs') && statSync(text, { throwIfNoEntry: false }) !== undefined);
}

/** `<file>::tool::<name>` or `<file>::resource::<name>`, or `<file>::<name>` as format 2 wrote it. A name may hold `::` itself. */
function splitReference(text: string): { file: string; toolName?: string } {
  const marker = /::(?:tool|resource)::/.exec(text) ?? /::/.exec(text);
  if (marker === null || marker.index === 0) return { file: text };
  return { file: text.slice(0, marker.index), toolName: text.slice(marker.index + marker[0].length) };
}

function wrong(text: string): Target {
  return {
    kind: 'wrong',
    problem: `"${text}" is not a tool reference.`,
    fix: 'Write <file>.mjs::tool::<name>, or the name of a tool that schemakit list shows.',
  };
}
