import type { DatabaseSync } from 'node:sqlite';
import { state } from './tables.ts';
import { createVocabulary, type Vocabulary } from './vocabulary.ts';

/** What every search of an index needs; read once. */
export interface SearchWords {
  vocabulary: Vocabulary;
  /** Ids of all tools, in the order of those that match equally well: the shortest name first, then by name. */
  order: readonly number[];
}

export function readSearchWords(database: DatabaseSync): SearchWords {
  return {
    vocabulary: createVocabulary(split(state(database, 'vocabulary'))),
    order: split(state(database, 'order')).map(Number),
  };
}

function split(text: string): string[] {
  return text === '' ? [] : text.split(' ');
}
