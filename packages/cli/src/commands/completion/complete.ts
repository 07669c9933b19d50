import { buildApplication, type Command, type CommandContext, proposeCompletions, type RouteMap } from '@stricli/core';
import { flagName, type ShownFlag } from '../../output/help-text.ts';
import { withoutControls } from '../../output/terminal-text.ts';
import { readGlobalFlags } from '../global-flags.ts';
import type { CompletionContext } from '../parameters.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

const globalFlags: readonly Proposal[] = [
  { text: '--cwd', brief: 'Folder of the project' },
  { text: '--allow-library', brief: 'Allow handlers an installed library' },
  { text: '--json', brief: 'JSON output at a terminal' },
  { text: '--help', brief: 'Show help' },
];

/** Returns the commands, or only the one named by the first word. */
export type RoutesFor = (output: { isJson: boolean }, first?: string) => Promise<RouteMap<CommandContext>>;

/** Prints one completion per line; nothing, and no error, if it fails. `breaks` is `COMP_WORDBREAKS` of bash. */
export function completeWith(
  routesFor: RoutesFor,
): (flags: Record<never, never>, shell: Shell, line: string, breaks?: string) => Promise<void> {
  return async (_flags, shell, line, breaks = '') => {
    const { words, partial } = splitLine(line);
    const proposals = await proposalsFor(words.slice(1), partial, routesFor).catch(() => []);
    const cut = brokenOff(partial, breaks);
    const lines = proposals.flatMap((proposal) => proposalLine(proposal, { shell, cut }));
    process.stdout.write(lines.map((text) => `${withoutControls(text)}\n`).join(''));
    process.exitCode = 0;
  };
}

async function proposalsFor(words: readonly string[], partial: string, routesFor: RoutesFor): Promise<Proposal[]> {
  if (words.at(-1) === '--cwd') return [];
  const flags = readGlobalFlags(words);
  if (!flags.ok) return [];
  process.chdir(flags.cwd);
  // `help <command>` completes like `<command>`.
  const args = flags.args[0] === 'help' ? flags.args.slice(1) : flags.args;
  const root = await routesFor({ isJson: false }, args[0]);
  const application = buildApplication(root, {
    name: 'schemakit',
    scanner: { caseStyle: 'allow-kebab-for-camel' },
  });
  const { stdout, stderr } = process;
  const context: CompletionContext = { process: { stdout, stderr }, words: args };
  const isFlag = partial.startsWith('-');
  const proposed = await proposeCompletions(application, [...args, isFlag ? '--' : partial], context);
  const known = flagsOf(root, args);
  const found = proposed
    .map((own) => ({ ...own, completion: offered(own.completion, known) }))
    .filter(({ completion }) => !isFlag || completion.startsWith(partial));
  const isOpen = partial.endsWith('=');
  const wanted = found
    // Shells only offer files when there are no other completions, so flags need a leading dash.
    .filter(({ kind }) => isFlag || kind !== 'argument:flag')
    .filter(({ completion }) => !isOpen || completion !== partial);
  // The brief of a value describes the flag, not the value.
  const own = wanted.map(({ completion, kind, brief }) => ({
    text: completion,
    brief: kind === 'argument:value' ? '' : brief,
  }));
  const texts = new Set(own.map(({ text }) => text));
  return [...own, ...(isFlag ? globalFlags : []).filter(({ text }) => text.startsWith(partial) && !texts.has(text))];
}

/** The flags of the command that words name. */
function flagsOf(root: RouteMap<CommandContext>, words: readonly string[]): Readonly<Record<string, ShownFlag>> {
  let target: Command<CommandContext> | RouteMap<CommandContext> | undefined = root;
  for (const word of words) {
    if (target === undefined || !('getAllEntries' in target)) break;
    target = target.getRoutingTargetForInput(word);
  }
  return target !== undefined && 'parameters' in target ? (target.parameters.flags ?? {}) : {};
}

/** A flag that is on by default is offered as the one that turns it off, which is all that it can do. */
function offered(completion: string, flags: Readonly<Record<string, ShownFlag>>): string {
  const [name, flag] =
    Object.entries(flags).find(([own, { kind }]) => flagName(own, { kind, default: false }) === completion) ?? [];
  return name === undefined || flag === undefined ? completion : flagName(name, flag);
}

export interface Proposal {
  text: string;
  brief: string;
}

/** A completion as the script of a shell reads it; none if it has control characters. */
function proposalLine({ text, brief }: Proposal, { shell, cut }: { shell: Shell; cut: number }): string[] {
  if (/\p{Cc}/u.test(text)) return [];
  const about = brief.replace(/\p{Cc}+/gu, ' ');
  if (shell === 'fish') return [about === '' ? text : `${text}\t${about}`];
  if (shell === 'zsh') return [[text, ...(about === '' ? [] : [about])].map(escapeColons).join(':')];
  return [text.slice(cut).replace(/[^\w@%+=:,./-]/g, '\\$&')];
}

/** Bash splits words at break characters and expects only the last part: the length of the other parts. */
function brokenOff(partial: string, breaks: string): number {
  return Math.max(...[...':=@,'].filter((mark) => breaks.includes(mark)).map((mark) => partial.lastIndexOf(mark))) + 1;
}

function escapeColons(text: string): string {
  return text.replace(/[\\:]/g, '\\$&');
}

/** Blanks, or a piece of a word: quoted text, an escaped character, or plain text. */
const piece = /(\s+)|'([^']*)(?:'|$)|"((?:[^"\\]|\\.)*)(?:"|\\?$)|\\(.)|([^\s'"\\]+|\\$)/gsu;

/** Splits a line like a shell. `partial` is the word that is being typed; an unclosed quote belongs to it. */
function splitLine(line: string): { words: string[]; partial: string } {
  const words: string[] = [];
  let partial: string | undefined;
  for (const [, blank, single, double, escaped, plain] of line.matchAll(piece)) {
    if (blank === undefined) {
      partial = (partial ?? '') + (single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain ?? '');
    } else if (partial !== undefined) {
      words.push(partial);
      partial = undefined;
    }
  }
  return { words, partial: partial ?? '' };
}
