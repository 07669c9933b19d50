import { checkSelect } from '@schemakit/core';
import { type CommandResult, failed, misused } from '../../output/command-result.ts';
import { callFile } from './call-file.ts';
import { type CallFlags, callingFlag, flagsProblem } from './call-flags.ts';
import { callGroup } from './call-group.ts';
import { listTools } from './list-tools.ts';
import { readInput } from './read-input.ts';
import { readTarget } from './read-target.ts';

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
