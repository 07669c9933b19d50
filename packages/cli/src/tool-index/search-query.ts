import { wholeName } from './index-words.ts';
import { type Chunk, splitChunks } from './split-words.ts';

/** More words do not make a search better, and each takes time. */
const maxWords = 20;

/** English words that say nothing about a tool. They count only where nothing else is asked for. */
const stopWords = new Set(
  'a an and are as at by for from how in into is it my of on or that the this to what with'.split(' '),
);

/** What a search asks for: a tool has to match every chunk. */
export interface SearchQuery {
  chunks: readonly Chunk[];
  /** All words as one, to find the tool whose whole name was typed. */
  whole: string;
}

/** Reads a query. Any text is one; without a letter, a digit or a symbol it asks for nothing. */
export function parseQuery(text: string): SearchQuery {
  const all = [...new Map(splitChunks(text).map((chunk) => [chunk.words.join(' '), chunk])).values()];
  const telling = all.filter(({ whole }) => !stopWords.has(whole));
  return { chunks: (telling.length > 0 ? telling : all).slice(0, maxWords), whole: wholeName(text) };
}
