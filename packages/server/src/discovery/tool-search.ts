import MiniSearch, { type AsPlainObject, type Options, type Query } from 'minisearch';

export interface SearchDocument {
  id: string | number;
  namespace: string;
  /** As in the schema. */
  name: string;
  tags: readonly string[];
  /** Names of its shared lists and of their entries. */
  lists?: readonly string[];
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
  /** A line for each word, which begins after a line feed: the word, a space, and its position. */
  words: string;
  /** JSON of a {@link WrittenWord}, by the position of the word. */
  entry: (position: number) => string;
  count: number;
}

/** The tools that have a word in a field: the position of a tool, how often, the next tool, and so on. */
type WrittenWord = { [field: string]: number[] };

interface WrittenHead extends Omit<AsPlainObject, 'documentIds' | 'fieldLength' | 'index'> {
  /** The length of each field of each tool: fewer and longer arrays are faster to parse. */
  lengths: number[][];
}

export function writeToolSearch(documents: readonly Omit<SearchDocument, 'id'>[]): WrittenSearch {
  const {
    index,
    documentIds: _,
    fieldLength,
    ...rest
  } = indexOf(documents.map((all, id) => ({ ...all, id }))).toJSON();
  const lengths = Object.values(rest.fieldIds).map((field) => Object.values(fieldLength).map((own) => own[field] ?? 0));
  const head: WrittenHead = { ...rest, lengths };
  const entries = index.map(([, fields]) =>
    mapValues(fields, (counts) => Object.entries(counts).flatMap(([tool, count]) => [Number(tool), count])),
  );
  return {
    head: JSON.stringify(head),
    words: `\n${index.map(([word], position) => `${word} ${position}\n`).join('')}`,
    count: index.length,
    entry: (position) => JSON.stringify(entries[position] satisfies WrittenWord | undefined),
  };
}

/**
 * Opens an index that was written. A search parses only words close to those of the query, and keeps only tools that match all of
 * them. The id of a tool is its position.
 */
export function readToolSearch({ head, words, entry }: Omit<WrittenSearch, 'count'>): ToolSearch {
  const { lengths, ...common }: WrittenHead = JSON.parse(head);
  return toolSearch((edits, pieces) => {
    const near = new Map<string, WrittenWord>();
    /** Marks the tools that have a word close to the one that was typed. */
    const mark = (typed: string) => {
      const marks = new Uint8Array(common.documentCount);
      for (const [word, position] of wordsCloseTo(typed, { words, edits: edits(typed) })) {
        const fields = near.get(word) ?? (JSON.parse(entry(position)) as WrittenWord);
        near.set(word, fields);
        for (const counts of Object.values(fields)) {
          for (let at = 0; at < counts.length; at += 2) marks[counts[at] ?? 0] = 1;
        }
      }
      return marks;
    };
    /** Marks the tools that have the whole piece, or all its words. */
    const markPiece = ({ whole, words: parts }: Piece) => {
      const marks = mark(whole);
      const others = parts.length > 1 ? parts.map(mark) : [];
      return others.length === 0
        ? marks
        : marks.map((is, tool) => is || Number(others.every((own) => own[tool] === 1)));
    };
    const [first = new Uint8Array(), ...rest] = pieces.map(markPiece);
    const tools = new Set<number>();
    for (let tool = first.indexOf(1); tool !== -1; tool = first.indexOf(1, tool + 1)) {
      if (rest.every((marks) => marks[tool] === 1)) tools.add(tool);
    }
    const plain = {
      ...common,
      documentIds: Object.fromEntries([...tools].map((tool) => [tool, tool])),
      fieldLength: Object.fromEntries([...tools].map((tool) => [tool, lengths.map((field) => field[tool])])),
      index: [...near].map(([word, fields]): [string, AsPlainObject['index'][number][1]] => [
        word,
        mapValues(fields, (counts) => countsOf(counts, tools)),
      ]),
    };
    return MiniSearch.loadJS(plain as AsPlainObject, options);
  });
}

/** How often each of the tools has a word, by its position. */
function countsOf(counts: readonly number[], tools: ReadonlySet<number>): { [tool: string]: number } {
  const found: { [tool: string]: number } = {};
  for (let at = 0; at < counts.length; at += 2) {
    const tool = counts[at] ?? 0;
    if (tools.has(tool)) found[tool] = counts[at + 1] ?? 0;
  }
  return found;
}

function mapValues<From, To>(values: { [key: string]: From }, change: (value: From) => To): { [key: string]: To } {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}

/**
 * All words that begin with what was typed or are within so many edits of it, and some more. Cut into one part more than there are
 * edits, what was typed has at least one part in such a word as it is. Searching one text is several times as fast as comparing words.
 */
function wordsCloseTo(typed: string, { words, edits }: { words: string; edits: number }): Map<string, number> {
  const { length } = typed;
  const partLength = Math.ceil(length / (edits + 1));
  const parts = Array.from({ length: edits + 1 }, (_, part) => typed.slice(part * partLength, (part + 1) * partLength));
  const isClose = `(?=\\S{${Math.max(1, length - edits)},${length + edits}} )\\S*(?:${parts.join('|')})\\S*`;
  const pattern = new RegExp(`\\n(${typed}\\S*${edits === 0 ? '' : `|${isClose}`}) (\\d+)`, 'g');
  return new Map(Array.from(words.matchAll(pattern), ([, word = '', position]) => [word, Number(position)]));
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
