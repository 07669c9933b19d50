import { buildApplication, proposeCompletions } from '@stricli/core';
import { readGlobalFlags } from '../global-flags.ts';
import { routes } from '../routes.ts';
import type { CompletionContext } from './completion-context.ts';
import { brokenOff, type Proposal, proposalLine } from './proposal-line.ts';
import type { Shell } from './scripts.ts';
import { splitLine } from './split-line.ts';

const globalFlags: readonly Proposal[] = [
  { text: '--cwd', brief: 'The folder of the project' },
  { text: '--json', brief: 'JSON on a terminal too' },
  { text: '--help', brief: 'Explain the command' },
];

/**
 * `schemakit __complete <shell> <line>`, which the scripts of the shells call: writes what can stand next, a line each. Whatever
 * is wrong, it writes nothing and ends well: a person is typing.
 *
 * @param breaks - The characters at which bash divides words, `COMP_WORDBREAKS`.
 */
export async function complete(
  _flags: Record<never, never>,
  shell: Shell,
  line: string,
  breaks: string = '',
): Promise<void> {
  const { words, partial } = splitLine(line);
  const proposals = await proposalsFor(words.slice(1), partial).catch(() => []);
  const cut = brokenOff(partial, breaks);
  const lines = proposals.flatMap((proposal) => proposalLine(proposal, { shell, cut }));
  process.stdout.write(lines.map((text) => `${text}\n`).join(''));
  process.exitCode = 0;
}

async function proposalsFor(words: readonly string[], partial: string): Promise<Proposal[]> {
  if (words.at(-1) === '--cwd') return [];
  const flags = readGlobalFlags(words);
  if (!flags.ok) return [];
  process.chdir(flags.cwd);
  // `help <command>` explains what the command's own words are.
  const args = flags.args[0] === 'help' ? flags.args.slice(1) : flags.args;
  const application = buildApplication(routes({ isJson: false }), {
    name: 'schemakit',
    scanner: { caseStyle: 'allow-kebab-for-camel' },
  });
  const { stdout, stderr } = process;
  const context: CompletionContext = { process: { stdout, stderr }, words: args };
  const found = await proposeCompletions(application, [...args, partial], context);
  const isFlag = partial.startsWith('-');
  const isOpen = partial.endsWith('=');
  const wanted = found
    // Flags are offered to those who ask for them: where a file is meant, shells offer files once nothing else is.
    .filter(({ kind }) => isFlag || kind !== 'argument:flag')
    .filter(({ completion }) => !isOpen || completion !== partial);
  // Of a value, the parser only knows what it is for.
  const own = wanted.map(({ completion, kind, brief }) => ({
    text: completion,
    brief: kind === 'argument:value' ? '' : brief,
  }));
  const known = new Set(own.map(({ text }) => text));
  return [...own, ...(isFlag ? globalFlags : []).filter(({ text }) => text.startsWith(partial) && !known.has(text))];
}
