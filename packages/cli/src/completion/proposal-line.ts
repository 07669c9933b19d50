import type { Shell } from './scripts.ts';

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
