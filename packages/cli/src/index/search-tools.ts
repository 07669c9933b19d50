import { readFileSync } from 'node:fs';
import { readToolSearch, type SearchDocument, type WrittenSearch, writeToolSearch } from '@schemakit/server/search';
import { checksumOf, type Index, type KnownFile, replaceFile } from './index-file.ts';
import { entriesOf, type IndexedEntry, indexedTool } from './indexed-entry.ts';
import type { FileDetails } from './indexed-tool.ts';

interface Searched {
  index: Index;
  /** File for the words of the index; without one, they are collected for each search. */
  file: string | undefined;
  detailed: (file: KnownFile) => FileDetails;
}

/** Finds tools that match all keywords. Equal scores are sorted by the length of the name, then by name. */
export function findEntries(
  query: string,
  { index, file, detailed }: Searched,
): { found: { entry: IndexedEntry; score: number }[]; unknownWords: string[] } {
  const search = readToolSearch(
    (file === undefined ? undefined : readWords(file, index)) ?? collectWords({ index, file, detailed }),
  );
  const scores = new Map(search.search(query).map(({ id, score }) => [Number(id), score]));
  const found = entriesOf(index, (id) => scores.has(id)).map((entry) => ({ entry, score: scores.get(entry.id) ?? 0 }));
  found.sort((left, right) => right.score - left.score || compareNames(left.entry.cli, right.entry.cli));
  return { found, unknownWords: found.length > 0 ? [] : search.unknownWords(query) };
}

function compareNames(left: string, right: string): number {
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0);
}

/** The first line of a words file. The second line has data common to all words, then there is a line for each word. */
interface WordsHead {
  version: number;
  index: number | undefined;
  checksum: number;
  /** A line for each word, as the search has written them. */
  words: string;
  /** Length of each line, in bytes. */
  lengths: readonly number[];
}

type ReadSearch = Parameters<typeof readToolSearch>[0];

/** Increased when the file is written in another way. */
const wordsVersion = 2;

function readWords(file: string, { checksum }: Index): ReadSearch | undefined {
  try {
    const bytes = readFileSync(file);
    const start = bytes.indexOf('\n') + 1;
    const head = JSON.parse(bytes.toString('utf8', 0, start)) as WordsHead;
    if (head.version !== wordsVersion || head.index !== checksum) return undefined;
    if (head.checksum !== checksumOf(bytes.subarray(start))) return undefined;
    let end = start;
    const ends = head.lengths.map((length) => (end += length));
    const lineAt = (position: number) => bytes.toString('utf8', ends[position - 1] ?? start, ends[position]);
    return { head: lineAt(0), words: head.words, entry: (position) => lineAt(position + 1) };
  } catch {
    return undefined; // They are collected again.
  }
}

function collectWords({ index, file, detailed }: Searched): WrittenSearch {
  const written = writeToolSearch(entriesOf(index).map((entry) => documentOf(entry, detailed(entry.file))));
  if (file !== undefined) writeWords(file, written, index);
  return written;
}

function writeWords(file: string, { head, words, count, entry }: WrittenSearch, { checksum }: Index): void {
  const lines = [head, ...Array.from({ length: count }, (_, position) => entry(position))].map((line) => `${line}\n`);
  const body = lines.join('');
  const lengths = lines.map((line) => Buffer.byteLength(line));
  const first: WordsHead = { version: wordsVersion, index: checksum, checksum: checksumOf(body), words, lengths };
  try {
    replaceFile(file, `${JSON.stringify(first)}\n${body}`);
  } catch {
    // The next search collects them again.
  }
}

function documentOf(entry: IndexedEntry, details: FileDetails): SearchDocument {
  const { namespace, toolName, tags, schemaName, description, parameters } = indexedTool(entry, details);
  const lists = details.tools[entry.position]?.lists ?? [];
  return {
    ...{ id: entry.id, namespace, name: toolName, tags, schema: schemaName },
    lists: lists.flatMap((name) => details.lists[name] ?? []),
    description: `${description} ${details.schema.description}`,
    parameters: Object.entries(parameters).flatMap(([key, { description: about = '', values = [] }]) => [
      key,
      about,
      ...values.map(String),
    ]),
  };
}
