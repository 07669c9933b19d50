import type { DatabaseSync } from 'node:sqlite';
import { state } from './tables.ts';
import { createVocabulary, type Vocabulary } from './vocabulary.ts';

/** What every search of an index needs; read once. */
export interface SearchWords {
  vocabulary: Vocabulary;
  /** Ids of all tools, in the order of those that match equally well: the shortest name first, then by name. */
  order: readonly number[];
  /** The largest of these ids. */
  lastId: number;
}

export function readSearchWords(database: DatabaseSync): SearchWords {
  const vocabulary = state(database, 'vocabulary');
  const order = JSON.parse(`[${state(database, 'order')}]`) as number[];
  return {
    vocabulary: createVocabulary(vocabulary === '' ? [] : vocabulary.split(' ')),
    order,
    lastId: order.reduce((last, id) => Math.max(last, id), 0),
  };
}
