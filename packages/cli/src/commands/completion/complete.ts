import { buildApplication, type CommandContext, proposeCompletions, type RouteMap } from '@stricli/core';
import { readGlobalFlags } from '../global-flags.ts';
import type { CompletionContext } from '../parameters.ts';

/** The shells with completion. */
export const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

const globalFlags: readonly Proposal[] = [
  { text: '--cwd', brief: 'The folder of the project' },
  { text: '--json', brief: 'JSON on a terminal too' },
  { text: '--help', brief: 'Explain the command' },
];

/** Gives the routes of a command line whose first word is known, or of all commands. */
export type RoutesFor = (output: { isJson: boolean }, first?: string) => Promise<RouteMap<CommandContext>>;

/**
 * `schemakit __complete <shell> <line> [<breaks>]`, which the scripts of the shells call: writes what can stand next, a line each.
 * Whatever is wrong, it writes nothing and ends well: a person is typing. `breaks` are the characters at which bash divides words,
 * `COMP_WORDBREAKS`.
 */
export function completeWith(
  routesFor: RoutesFor,
): (flags: Record<never, never>, shell: Shell, line: string, breaks?: string) => Promise<void> {
  return async (_flags, shell, line, breaks = '') => {
    const { words, partial } = splitLine(line);
    const proposals = await proposalsFor(words.slice(1), partial, routesFor).catch(() => []);
    const cut = brokenOff(partial, breaks);
    const lines = proposals.flatMap((proposal) => proposalLine(proposal, { shell, cut }));
    process.stdout.write(lines.map((text) => `${text}\n`).join(''));
    process.exitCode = 0;
  };
}

async function proposalsFor(words: readonly string[], partial: string, routesFor: RoutesFor): Promise<Proposal[]> {
  if (words.at(-1) === '--cwd') return [];
  const flags = readGlobalFlags(words);
  if (!flags.ok) return [];
  process.chdir(flags.cwd);
  // `help <command>` explains what the command's own words are.
  const args = flags.args[0] === 'help' ? flags.args.slice(1) : flags.args;
  const application = buildApplication(await routesFor({ isJson: false }, args[0]), {
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

/** Something that can stand next on a command line. */
export interface Proposal {
  text: string;
  /** What it is; empty where that is plain. */
  brief: string;
}

/** A proposal as the script of a shell reads it. Without an answer for what no line can hold. */
export function proposalLine({ text, brief }: Proposal, { shell, cut }: { shell: Shell; cut: number }): string[] {
  if (/\p{Cc}/u.test(text)) return [];
  const about = brief.replace(/\p{Cc}+/gu, ' ');
  if (shell === 'fish') return [about === '' ? text : `${text}\t${about}`];
  if (shell === 'zsh') return [[text, ...(about === '' ? [] : [about])].map(escapeColons).join(':')];
  return [text.slice(cut).replace(/[^\w@%+=:,./-]/g, '\\$&')];
}

/** How much of a word bash takes for words of their own, and does not want again: all up to the last character that breaks words. */
export function brokenOff(partial: string, breaks: string): number {
  return Math.max(...[...':=@,'].filter((mark) => breaks.includes(mark)).map((mark) => partial.lastIndexOf(mark))) + 1;
}

function escapeColons(text: string): string {
  return text.replace(/[\\:]/g, '\\$&');
}

/** A command line as far as it was typed. */
export interface TypedLine {
  /** The words before the one that is being typed, without their quotes. */
  words: readonly string[];
  /** The word that is being typed; empty after a blank. */
  partial: string;
}

/** Blanks, and what a shell takes for one piece of a word: quoted text, an escaped character, or plain text. */
const piece = /(\s+)|'([^']*)(?:'|$)|"((?:[^"\\]|\\.)*)(?:"|\\?$)|\\(.)|([^\s'"\\]+|\\$)/gsu;

/** Divides a line as shells do. What is quoted and not closed is the word that is being typed. */
export function splitLine(line: string): TypedLine {
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
