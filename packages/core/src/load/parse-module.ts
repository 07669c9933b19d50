import type { AnyNode, Program } from 'acorn';
import { parseBounded } from './bounded-parser.ts';
import { type DataLiteral, dataLiteralReader } from './data-literal.ts';

/** A stretch of text, from `start` up to but not including `end`. */
export interface TextRange {
  start: number;
  end: number;
}

export type ParsedModule =
  | {
      status: 'parsed';
      program: Program;
      /** Without those inside of `literals`. */
      comments: readonly TextRange[];
      /** Exported constants that were read as data. Their nodes hold nothing but the names in them. */
      literals: ReadonlyMap<AnyNode, DataLiteral>;
    }
  | { status: 'failed'; message: string; offset: number };

/**
 * Parses an ECMAScript module. Never throws: text that is no module gives the place of the first mistake.
 *
 * @param literals - `read` gives exported constants that are plain data as data, without a tree. Default `parse`.
 */
export function parseModule(
  text: string,
  { literals: how = 'parse' }: { literals?: 'parse' | 'read' } = {},
): ParsedModule {
  const comments: TextRange[] = [];
  try {
    const { program, literals } = parseBounded(
      text,
      {
        ecmaVersion: 'latest',
        sourceType: 'module',
        allowHashBang: true,
        onComment: (_block, _text, start, end) => comments.push({ start, end }),
      },
      how === 'read' ? dataLiteralReader(text) : undefined,
    );
    return { status: 'parsed', program, comments, literals };
  } catch (error) {
    const offset = error instanceof Error && 'pos' in error && typeof error.pos === 'number' ? error.pos : 0;
    const message = error instanceof Error ? error.message.replace(/ \(\d+:\d+\)$/, '') : String(error);
    return { status: 'failed', message, offset };
  }
}
