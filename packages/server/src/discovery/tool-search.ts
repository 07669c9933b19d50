import MiniSearch, { type AsPlainObject, type Options, type Query } from 'minisearch';

/** What a tool is found by. */
export interface SearchDocument {
  id: string | number;
  namespace: string;
  /** As its schema has it. */
  name: string;
  tags: readonly string[];
  /** Names of the shared lists it takes values from, and of their entries. */
  lists?: readonly string[];
  /** The name of its schema. */
  schema?: string;
  description: string;
  /** Names, descriptions and values of its parameters. */
  parameters: readonly string[];
}

export interface ToolSearch {
  /** Tools that match every word of a query, the best first; with `some`, where there is none, tools that match some. */
  search(query: string, options?: { some?: boolean }): { id: SearchDocument['id']; score: number }[];
  /** Words of a query that no tool matches. */
  unknownWords(query: string): string[];
}

type Field = Exclude<keyof SearchDocument, 'id'>;
type Fields = Record<Field, string> & Pick<SearchDocument, 'id'>;

const boost: Partial<Record<Field, number>> = { namespace: 8, name: 6, tags: 4, lists: 3, schema: 2, description: 1.2 };

const options: Options<Fields> = {
  fields: ['namespace', 'name', 'tags', 'lists', 'schema', 'description', 'parameters'] satisfies Field[],
  tokenize: tokens,
  processTerm: (term) => term,
  // Length says little about a tool: a long description is no worse than a short one.
  searchOptions: { boost: boost as Record<string, number>, bm25: { k: 1.2, b: 0.2, d: 0.5 } },
};

/**
 * How many edits make of a typed word one that is meant. Letters that changed places are two: that many are forgiven where nothing is
 * found otherwise.
 */
const closeEdits = (typed: string) => (typed.length < 5 ? 0 : typed.length < 9 ? 1 : 2);
const looseEdits = (typed: string) => (typed.length < 4 ? 0 : typed.length < 5 ? 1 : 2);

type Edits = typeof closeEdits;

/** The one search for tools: of servers with discovery, and of the command. */
export function createToolSearch(documents: readonly SearchDocument[]): ToolSearch {
  const index = indexOf(documents);
  return toolSearch(() => index);
}

/** The search index of tools, in parts that can be written to a file and read for one query. */
export interface WrittenSearch {
  /** JSON of what belongs to all words. */
  head: string;
  words: readonly string[];
  /** JSON of what belongs to a word, by its position. */
  entry: (position: number) => string;
}

export function writeToolSearch(documents: readonly SearchDocument[]): WrittenSearch {
  const { index, ...rest } = indexOf(documents).toJSON();
  const entries = index.map((entry) => JSON.stringify(entry));
  return {
    head: JSON.stringify({ ...rest, index: [] }),
    words: index.map(([word]) => word),
    entry: (position) => entries[position] ?? '',
  };
}

/** Opens an index that was written. A search reads only the words it may mean, and only of tools that have one for each part of the query. */
export function readToolSearch({ head, words, entry }: WrittenSearch): ToolSearch {
  const { fieldLength, documentIds, ...rest } = JSON.parse(head) as AsPlainObject;
  return toolSearch((edits, pieces) => {
    const near = new Map<string, AsPlainObject['index'][number]>();
    const wordsNear = (typed: string) => {
      const allowed = edits(typed);
      return words.flatMap((word, position) => {
        if (!mayMatch(typed, word, allowed)) return [];
        const found = near.get(word) ?? JSON.parse(entry(position));
        near.set(word, found);
        return [found as AsPlainObject['index'][number]];
      });
    };
    const having = (typed: string) =>
      new Set(wordsNear(typed).flatMap(([, fields]) => Object.values(fields).flatMap((ids) => Object.keys(ids))));
    const ofPiece = ({ whole, words: parts }: Piece) =>
      having(whole).union(parts.map(having).reduce((left, right) => left.intersection(right)));
    const ids = pieces.map(ofPiece).reduce((left, right) => left.intersection(right));
    const index = [...near.values()].map(([word, fields]): AsPlainObject['index'][number] => [
      word,
      Object.fromEntries(Object.entries(fields).map(([field, counts]) => [field, only(counts, ids)])),
    ]);
    const plain = { ...rest, documentIds: only(documentIds, ids), fieldLength: only(fieldLength, ids), index };
    return MiniSearch.loadJS(plain, options);
  });
}

function only<Value>(entries: { [id: string]: Value }, ids: ReadonlySet<string>): { [id: string]: Value } {
  return Object.fromEntries(Object.entries(entries).filter(([id]) => ids.has(id)));
}

/** False only where a word neither begins with what was typed nor is within so many edits, each of which changes one letter. */
function mayMatch(typed: string, word: string, edits: number): boolean {
  if (word.startsWith(typed)) return true;
  if (edits === 0 || Math.abs(typed.length - word.length) > edits) return false;
  let missing = 0;
  for (const letter of typed) if (!word.includes(letter)) missing += 1;
  return missing <= edits;
}

function indexOf(documents: readonly SearchDocument[]): MiniSearch<Fields> {
  const index = new MiniSearch(options);
  index.addAll(
    documents.map(({ id, namespace, name, tags, lists = [], schema = '', description, parameters }) => ({
      id,
      namespace: `${namespace} ${joined(namespace)}`,
      name: `${name} ${joined(name)} ${joined(namespace + name)}`,
      tags: tags.join(' '),
      lists: lists.join(' '),
      schema,
      description,
      parameters: parameters.join(' '),
    })),
  );
  return index;
}

/** @param indexFor Gives an index with the tools that have, for every piece, words that so many edits make of it. */
function toolSearch(indexFor: (edits: Edits, pieces: readonly Piece[]) => MiniSearch<Fields>): ToolSearch {
  const find = (pieces: readonly Piece[], combineWith: 'AND' | 'OR' = 'AND') => {
    const query = { combineWith, queries: pieces.map(queryOf) };
    for (const edits of [closeEdits, looseEdits]) {
      const found = indexFor(edits, pieces).search({ ...query, prefix: (term) => term.length > 1, fuzzy: edits });
      if (found.length > 0) return found;
    }
    return [];
  };
  return {
    search(query, { some = false } = {}) {
      const pieces = piecesOf(query);
      if (pieces.length === 0) return [];
      const found = find(pieces);
      const shown = found.length === 0 && some ? find(pieces, 'OR') : found;
      return shown.map(({ id, score }) => ({ id, score }));
    },
    unknownWords: (query) =>
      piecesOf(query)
        .filter((piece) => find([piece]).length === 0)
        .map(({ whole }) => whole),
  };
}

/** A part of a query without spaces, such as `searchPlants` or `open-meteo`. */
interface Piece {
  /** Its letters and digits as one word. */
  whole: string;
  words: readonly string[];
}

/** More words do not make a search better, and each takes time. */
const maxPieces = 20;

/** English words that say nothing about a tool. They count only where nothing else is asked for. */
const stopWords = new Set(
  'a an and are as at by for from how in into is it my of on or that the this to what with'.split(' '),
);

function piecesOf(query: string): Piece[] {
  const pieces = query.split(/\s+/u).map((text) => ({ whole: joined(text), words: [...new Set(splitWords(text))] }));
  const all = [...new Map(pieces.map((piece) => [piece.whole, piece])).values()].filter(({ whole }) => whole !== '');
  const telling = all.filter(({ whole }) => !stopWords.has(whole));
  return (telling.length > 0 ? telling : all).slice(0, maxPieces);
}

function queryOf({ whole, words }: Piece): Query {
  if (words.length < 2) return whole;
  return { combineWith: 'OR', queries: [whole, { combineWith: 'AND', queries: [...words] }] };
}

// Longer ones are data, and comparing them takes time.
const maxLength = 64;
const run = /[\p{L}\p{N}]+|\p{So}/gu;
const hump = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** `searchPlants` is found as `search`, `plants` and `searchplants`. */
function tokens(text: string): string[] {
  const words = runsOf(text).flatMap((found) => {
    const parts = found.split(hump);
    return parts.length > 1 ? [...parts, found] : parts;
  });
  return [...new Set(words.map(plainWord))];
}

function splitWords(text: string): string[] {
  return runsOf(text)
    .flatMap((found) => found.split(hump))
    .map(plainWord);
}

function joined(text: string): string {
  return plainWord(runsOf(text).join(''));
}

function runsOf(text: string): string[] {
  return (
    text
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .match(run) ?? []
  );
}

function plainWord(text: string): string {
  return text.toLowerCase().slice(0, maxLength);
}
