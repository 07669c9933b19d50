import { type FilePart, readFilePart } from '../../index/file-part.ts';
import { type CommandResult, type Refused, refused, usageError } from '../../output/command-result.ts';
import { defineCommand, type MakeCommand } from '../../run-command.ts';
import {
  anyText,
  type CompletionContext,
  described,
  envFileFlag,
  environmentFlags,
  groupFlag,
  isolationFlag,
  lockFlag,
  negatable,
  optionalNumber,
  textFlag,
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
  if (typeof target === 'object' && 'result' in target) return target.result;
  const wrong = flagsProblem(flags);
  if (wrong !== undefined) return wrong;
  if (flags.output !== undefined) {
    const { outputProblem } = await import('./write-output.ts');
    const problem = outputProblem(flags.output);
    if (problem !== undefined) return usageError(`--output: ${problem}`, 'Write the path of a file.');
  }
  // Help and completion only need the flags, so the library is imported here.
  const { checkSelect } = await import('@schemakit/core');
  const [fault] = flags.select === undefined ? [] : await checkSelect(flags.select);
  if (fault !== undefined) return usageError(`--select: ${fault.message}.`, fault.hint ?? '');
  const input = await readInput(rest);
  if ('result' in input) return input.result;
  if (typeof target === 'string') {
    const { callGroup } = await import('./call-group.ts');
    return callGroup(flags, target, input);
  }
  if (flags.group !== undefined) return usageError('A file and --group exclude each other.', 'Remove --group.');
  const { callFile } = await import('./call-file.ts');
  return callFile(flags, target, input);
}

/** The part of a file, or the name of a tool. */
function readTarget(text: string): FilePart | string | Refused {
  const part = readFilePart(text);
  if (part?.type === 'skill' || part?.type === 'prompt') {
    const error = `${text} is a ${part.type}, a text for models: it cannot be called.`;
    return refused(error, `Show it: schemakit describe ${text}`);
  }
  if ((part?.name ?? text.trim()) !== '') return part ?? text;
  const fix = 'Use a name that `schemakit list` shows, or <file>.mjs::tool::<name>.';
  return refused(`"${text}" is not a tool reference.`, fix);
}

export const callCommand: MakeCommand = defineCommand('call', () => call, {
  parameters: {
    positional: {
      kind: 'array',
      minimum: 1,
      parameter: {
        brief: `A name or reference, and key=value, lines[0].isbn=1, lines:='[…]', key=@file, JSON, @file or - (stdin); or list-tools [<path>...]`,
        parse: String,
        placeholder: '<tool> [<input>...]',
        async proposeCompletions(this: CompletionContext, partial: string) {
          return (await import('../completion/propose-names.ts')).proposeCallWords(this.words ?? [], partial);
        },
      },
    },
    flags: {
      dryRun: yesNo('Show the request without sending it; secrets are masked'),
      curl: yesNo('Show the request as a curl command, without sending it'),
      select: anyText('Filter the result with a JMESPath expression', 'expression'),
      verbose: yesNo('Print the request and the head of the answer on stderr; secrets are masked'),
      output: textFlag('Write the answer to a file, byte for byte', 'file'),
      timeout: optionalNumber('Timeout of the request, in milliseconds', 'ms', { min: 1, max: 3_600_000 }),
      cache: negatable('Do not use cached answers (tools with `preload`)'),
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
    'schemakit call frankfurter_getRates quotes=USD,GBP',
  ),
});
