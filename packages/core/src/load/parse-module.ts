import type { Program } from 'acorn';
import { parseBounded } from './bounded-parser.ts';

/** A stretch of text, from `start` up to but not including `end`. */
export interface TextRange {
  start: number;
  end: number;
}

export type ParsedModule =
  | { status: 'parsed'; program: Program; comments: readonly TextRange[] }
  | { status: 'failed'; message: string; offset: number };

/** Parses an ECMAScript module. Never throws: text that is no module gives the place of the first mistake. */
export function parseModule(text: string): ParsedModule {
  const comments: TextRange[] = [];
  try {
    const program = parseBounded(text, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      allowHashBang: true,
      onComment: (_block, _text, start, end) => comments.push({ start, end }),
    });
    return { status: 'parsed', program, comments };
  } catch (error) {
    const offset = error instanceof Error && 'pos' in error && typeof error.pos === 'number' ? error.pos : 0;
    const message = error instanceof Error ? error.message.replace(/ \(\d+:\d+\)$/, '') : String(error);
    return { status: 'failed', message, offset };
  }
}
