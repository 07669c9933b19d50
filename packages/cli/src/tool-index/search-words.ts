import type { DatabaseSync } from 'node:sqlite';
import { state } from './tables.ts';

/** What every search of an index needs; read once. */
export interface SearchWords {
  /** All its words. */
  vocabulary: readonly string[];
  /** Ids of all tools, in the order of those that match equally well: the shortest name first, then by name. */
  order: readonly number[];
  /** The largest of these ids. */
  lastId: number;
}

export function readSearchWords(database: DatabaseSync): SearchWords {
  const vocabulary = state(database, 'vocabulary');
  const order = JSON.parse(`[${state(database, 'order')}]`) as number[];
  return {
    vocabulary: vocabulary === '' ? [] : vocabulary.split(' '),
    order,
    lastId: order.reduce((last, id) => Math.max(last, id), 0),
  };
}
