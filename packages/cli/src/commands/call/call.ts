import { statSync } from 'node:fs';
import { buildCommand } from '@stricli/core';
import { type CommandResult, failed, usageError } from '../../output/command-result.ts';
import { command, type MakeCommand } from '../../run-command.ts';
import {
  anyText,
  type CompletionContext,
  described,
  envFileFlag,
  environmentFlags,
  groupFlag,
  isolationFlag,
  lockFlag,
  yesNo,
} from '../parameters.ts';
import { type CallFlags, callingFlag, flagsProblem } from './call-flags.ts';
import { readInput } from './read-input.ts';

/** Calls a tool of a group or of a file; `list-tools` lists them. */
async function call(flags: CallFlags, first: string, ...rest: string[]): Promise<CommandResult> {
  if (first === 'list-tools') {
    const flag = callingFlag(flags);
    if (flag !== undefined) return usageError(`list-tools does not accept ${flag}.`, `Remove ${flag}.`);
    const { listTools } = await import('./list-tools.ts');
    return listTools(flags, rest);
  }
  const target = readTarget(first);
  if (target.kind === 'wrong') return usageError(target.problem, target.fix);
  const wrong = flagsProblem(flags);
  if (wrong !== undefined) return usageError(wrong.problem, wrong.fix);
  // Help and completion only need the flags, so the library is imported here.
  const { checkSelect } = await import('@schemakit/core');
  const [fault] = flags.select === undefined ? [] : await checkSelect(flags.select);
  if (fault !== undefined) return usageError(`--select: ${fault.message}.`, fault.hint ?? '');
  const input = await readInput(rest);
  if (input.kind === 'wrong') {
    const { problem: error, fix, isMissing } = input;
    return isMissing ? failed('notFound', { error, fix }) : usageError(error, fix);
  }
  if (target.kind === 'name') {
    const { callGroup } = await import('./call-group.ts');
    return callGroup(flags, target.name, input);
  }
  if (flags.group !== undefined) return usageError('A file and --group exclude each other.', 'Remove --group.');
  const { callFile } = await import('./call-file.ts');
  return callFile(flags, target, input);
}

type Target =
  | { kind: 'file'; file: string; toolName: string }
  | { kind: 'name'; name: string }
  | { kind: 'wrong'; problem: string; fix: string };

/** Files are existing paths and what looks like a path; `<source>/<file>.mjs` is the reference of an indexed file. */
function readTarget(text: string): Target {
  const { file, toolName } = splitReference(text);
  if (!isPath(file)) return text.trim() === '' ? wrong(text) : { kind: 'name', name: text };
  return toolName === undefined || toolName === '' ? wrong(text) : { kind: 'file', file, toolName };
}

function isPath(text: string): boolean {
  const isWritten = /^(\.{1,2}[/\\]|[/\\]|[A-Za-z]:[/\\])/.test(text) || /^[^/\\]+\.mjs$/.test(text);
  return isWritten || (text.includes('.mjs') && statSync(text, { throwIfNoEntry: false }) !== undefined);
}

/** `<file>::tool::<name>` or `<file>::resource::<name>`; format 2 wrote `<file>::<name>`. A name may contain `::`. */
function splitReference(text: string): { file: string; toolName?: string } {
  const marker = /::(?:tool|resource)::/.exec(text) ?? /::/.exec(text);
  if (marker === null || marker.index === 0) return { file: text };
  return { file: text.slice(0, marker.index), toolName: text.slice(marker.index + marker[0].length) };
}

function wrong(text: string): Target {
  return {
    kind: 'wrong',
    problem: `"${text}" is not a tool reference.`,
    fix: 'Use a name that `schemakit list` shows, or <file>.mjs::tool::<name>.',
  };
}

export const callCommand: MakeCommand = (output) =>
  buildCommand({
    loader: async () => command('call', call, output),
    parameters: {
      positional: {
        kind: 'array',
        minimum: 1,
        parameter: {
          brief: 'Tool and its input (JSON, @file, - for stdin, or key=value); or list-tools and paths',
          parse: String,
          placeholder: 'argument',
          async proposeCompletions(this: CompletionContext, partial: string) {
            return (await import('../completion/propose-names.ts')).proposeCallWords(this.words ?? [], partial);
          },
        },
      },
      flags: {
        dryRun: yesNo('Show the request without sending it; secrets are masked'),
        curl: yesNo('Show the request as a curl command, without sending it'),
        select: anyText('Filter the result with a JMESPath expression', 'expression'),
        cache: yesNo('Use cached answers (tools with `preload`)', true),
        refresh: yesNo('Ignore the cached answer, and cache the new one'),
        group: groupFlag,
        ...environmentFlags,
        envFile: envFileFlag,
        lock: lockFlag,
        isolation: isolationFlag,
      },
    },
    docs: described(
      'Call a tool, or list the tools of a group, files or folders',
      'schemakit call garden_searchPlants q=allium',
      `schemakit call garden_searchPlants '{"q":"allium"}' --select 'plants[].name'`,
      'schemakit call garden_searchPlants @input.json --dry-run',
      'schemakit call garden_searchPlants q=allium --curl',
      `schemakit call garden.mjs::tool::searchPlants '{"q":"allium"}'`,
      'schemakit call list-tools',
      'schemakit call list-tools ./schemas',
    ),
  });
