import MiniSearch, { type AsPlainObject, type Options, type Query } from 'minisearch';

/** The searched fields of a tool. */
export interface SearchDocument {
  id: string | number;
  namespace: string;
  /** As in the schema. */
  name: string;
  tags: readonly string[];
  /** Names of its shared lists and of their entries. */
  lists?: readonly string[];
  /** Name of the schema. */
  schema?: string;
  description: string;
  /** Names, descriptions and values of parameters. */
  parameters: readonly string[];
}

export interface ToolSearch {
  /** Tools that match every word of a query, best first; with `some`, tools that match any word if there are none. */
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
  // A long description is no worse than a short one.
  searchOptions: { boost: boost as Record<string, number>, bm25: { k: 1.2, b: 0.2, d: 0.5 } },
};

/** Edits allowed between a typed word and a match. Swapped letters are two edits; `looseEdits` allows them in short words. */
const closeEdits = (typed: string) => (typed.length < 5 ? 0 : typed.length < 9 ? 1 : 2);
const looseEdits = (typed: string) => (typed.length < 4 ? 0 : typed.length < 5 ? 1 : 2);

type Edits = typeof closeEdits;

/** Search for `search_tools` of servers and `schemakit search`. */
export function createToolSearch(documents: readonly SearchDocument[]): ToolSearch {
  const index = indexOf(documents);
  return toolSearch(() => index);
}

/** A search index in parts, of which a query reads only some. */
export interface WrittenSearch {
  /** JSON of the common part. */
  head: string;
  words: readonly string[];
  /** JSON of the entry of a word, by position. */
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

/** Opens a written index. A search parses only words that may match, and only tools that match every part of the query. */
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

/** False only if a word neither starts with the typed text nor is within so many edits of it. */
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

/** @param indexFor Returns an index with at least the tools that match every piece within the edits. */
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
    unknownWords: (query) => piecesOf(query).flatMap((piece) => (find([piece]).length === 0 ? piece.whole : [])),
  };
}

/** A part of a query without spaces, such as `searchPlants` or `open-meteo`. */
interface Piece {
  /** Its letters and digits as one word. */
  whole: string;
  words: readonly string[];
}

/** Bounds the time of a search. */
const maxPieces = 20;

/** Ignored unless a query has no other words. */
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

// Longer words are data.
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
  return runsOf(text).flatMap((found) => found.split(hump).map(plainWord));
}

function joined(text: string): string {
  return plainWord(runsOf(text).join(''));
}

function runsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}+/gu, '');
  return plain.match(run) ?? [];
}

function plainWord(text: string): string {
  return text.toLowerCase().slice(0, maxLength);
}
