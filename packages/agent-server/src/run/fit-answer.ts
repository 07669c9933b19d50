import { fitText } from '@schemakit/core/internal';
import type { ToolAnswer } from './agent-tool.ts';

/** A part that was left out of data. */
export type Cut = ReturnType<typeof fitText>['cuts'][number];

/** Shortens data or text, and keeps the whole for `read_answer`. */
export function fitAnswer(data: unknown, maxLength: number): ToolAnswer {
  const whole = typeof data === 'string' ? data : (JSON.stringify(data) ?? 'null');
  const { text, cuts } = fitText(data, whole, maxLength);
  if (cuts.length === 0) return { text, isError: false };
  return { text: `${text}\n${cutReport(cuts)}`, isError: false, whole };
}

/** Says what was left out, because models invent what they do not know is missing. */
export function cutReport(cuts: readonly Cut[]): string {
  const parts = cuts.slice(0, maxNamed).map((cut) => {
    if (cut.kind === 'value') return `${cut.path} was left out (${cut.length} characters)`;
    return `${cut.path} has the first ${cut.returned} of ${cut.total} ${cut.kind}`;
  });
  return `This answer is incomplete, because it is too long: ${parts.join('; ')}.`;
}

const maxNamed = 20;

/** The data of an answer that is JSON; otherwise its text. */
export function dataOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A text as data of which parts can be selected: its lines, those that are too long in pieces. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.every(({ length }) => length <= maxPiece)) return lines;
  return lines.flatMap((line) => (line.length <= maxPiece ? line : (line.match(pieces) ?? [])));
}

const maxPiece = 1_000;
/** With the flag `u`, no character is split. */
const pieces = new RegExp(`.{1,${maxPiece}}`, 'gsu');
