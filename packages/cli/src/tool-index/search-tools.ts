import type { DatabaseSync } from 'node:sqlite';
import { bitCount } from './bit-count.ts';
import type { IndexedTool } from './indexed-tool.ts';
import { parseQuery } from './search-query.ts';
import type { SearchWords } from './search-words.ts';
import type { Chunk } from './split-words.ts';
import { rows, type SearchField, searchFields } from './tables.ts';
import { toolsByIds } from './tool-rows.ts';
import { matchWord } from './vocabulary.ts';

export interface SearchOptions {
  /** How many tools to give at most. Default 10. */
  limit?: number;
  /** Names of the secrets that there are. With them, each tool says which of those that it needs are missing. */
  available?: readonly string[];
}

export interface SearchHit extends IndexedTool {
  /** The higher, the better; tools are sorted by it. */
  score: number;
  /** Secrets without which the tool cannot be called. Absent where nobody said which there are. */
  missing?: readonly string[];
}

export interface SearchResult {
  query: string;
  /** How many tools match. */
  matchCount: number;
  /** How many of them are in `tools`. */
  showing: number;
  tools: SearchHit[];
  /** Words of the query that no tool has. With one of them, nothing is found. */
  unknownWords: string[];
}

/** Points for a word of the query, by the part of a tool that it stands in. */
const points: Readonly<Record<SearchField, number>> = {
  namespace: 20,
  name: 15,
  tags: 12,
  lists: 10,
  schema: 8,
  description: 5,
  parameters: 3,
};

/** For each further part that has the word. All of them together are worth less than a better part. */
const pointsForMore = 0.1;

/** For the tool whose whole name, with or without its namespace, was typed. */
const pointsForWholeName = 50;

/** Scores of tools by their ids; 0 for those that do not match. Maps of thousands of ids would take several times as long. */
type Scores = Float64Array;

/**
 * Finds tools by keywords; all words have to match. A word gives the points of the best part that has it, times what the match
 * is worth (see `matchWord`); the points of the words are added. What scores the same is sorted by the length of the name, then
 * by name.
 */
export function searchTools(
  database: DatabaseSync,
  query: string,
  { limit = 10, available, words }: SearchOptions & { words: SearchWords },
): SearchResult {
  const { chunks, whole } = parseQuery(query);
  const scored = chunks.map((chunk) => scoreChunk(database, chunk, words));
  const unknownWords = chunks.filter((_, index) => scored[index]?.every(isZero)).map((chunk) => chunk.whole);
  const scores = scored.length > 0 ? scored.reduce(inBoth) : noScores(words);
  const isWhole = whole === '' ? [] : postingsOf(database, [whole]).flatMap(({ ids }) => ids);
  for (const id of isWhole) scores[id] = scoreOf(scores, id) + pointsForWholeName;
  // The sort is stable: of equal scores, what comes first in the order stays first.
  const found = words.order
    .filter((id) => scoreOf(scores, id) > 0)
    .sort((left, right) => scoreOf(scores, right) - scoreOf(scores, left));
  const shown = found.slice(0, Math.max(0, Math.trunc(limit) || 0));
  const tools = toolsByIds(database, shown).map((tool, index) => ({
    ...tool,
    score: Math.round(scoreOf(scores, shown[index]) * 100) / 100,
    ...missingOf(tool, available),
  }));
  return { query, matchCount: found.length, showing: tools.length, tools, unknownWords };
}

/** What was written in one piece is looked for as one word, and as the words that its capitals make. */
function scoreChunk(database: DatabaseSync, { whole, words: divided }: Chunk, words: SearchWords): Scores {
  const scores = scoreWord(database, whole, words);
  if (divided.length === 1) return scores;
  const together = divided.map((word) => scoreWord(database, word, words)).reduce(inBoth);
  return scores.map((score, id) => Math.max(score, scoreOf(together, id)));
}

function scoreWord(database: DatabaseSync, word: string, words: SearchWords): Scores {
  const matches = matchWord(word, words.vocabulary);
  const scores = noScores(words);
  const fields = new Uint8Array(scores.length);
  for (const { word: found, field, ids } of postingsOf(database, [...matches.keys()])) {
    const score = points[field] * (matches.get(found) ?? 0);
    const bit = 1 << searchFields.indexOf(field);
    for (const id of ids) {
      if (score > (scores[id] ?? 0)) scores[id] = score;
      fields[id] = (fields[id] ?? 0) | bit;
    }
  }
  // Loops of statements here and below: a process that searches once has no time to make callbacks fast.
  for (let id = 0; id < scores.length; id += 1) {
    const bits = fields[id] ?? 0;
    if (bits !== 0) scores[id] = scoreOf(scores, id) + (bitCount(bits) - 1) * pointsForMore;
  }
  return scores;
}

function noScores({ lastId }: SearchWords): Scores {
  return new Float64Array(lastId + 1);
}

function inBoth(left: Scores, right: Scores): Scores {
  const both = new Float64Array(left.length);
  for (let id = 0; id < both.length; id += 1) {
    const score = scoreOf(left, id);
    const other = scoreOf(right, id);
    if (score > 0 && other > 0) both[id] = score + other;
  }
  return both;
}

function scoreOf(scores: Scores, id = 0): number {
  return scores[id] ?? 0;
}

function isZero(score: number): boolean {
  return score === 0;
}

/** The tools that have some words of the index, by the word and the part of the tool. */
function postingsOf(
  database: DatabaseSync,
  words: readonly string[],
): { word: string; field: SearchField; ids: readonly number[] }[] {
  if (words.length === 0) return [];
  return rows<{ word: string; field: SearchField; tools: string }>(
    database,
    'SELECT word, field, tools FROM postings WHERE word IN (SELECT value FROM json_each(?))',
    JSON.stringify(words),
  ).map(({ word, field, tools }) => ({ word, field, ids: JSON.parse(tools) as number[] }));
}

function missingOf(
  { requiredServerParams }: IndexedTool,
  available: readonly string[] | undefined,
): Pick<SearchHit, 'missing'> {
  return available === undefined ? {} : { missing: requiredServerParams.filter((name) => !available.includes(name)) };
}
