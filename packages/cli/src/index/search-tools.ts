import { readFileSync } from 'node:fs';
import { readToolSearch, type SearchDocument, type WrittenSearch, writeToolSearch } from '@schemakit/server/search';
import { checksumOf, type Index, indexVersion, type KnownFile, replaceFile } from './index-file.ts';
import { entriesOf, type IndexedEntry, indexedTool } from './indexed-entry.ts';
import type { FileDetails, IndexedTool } from './indexed-tool.ts';
import type { Scan } from './scan-folders.ts';

export interface SearchOptions {
  /** Default 10. */
  limit?: number;
  /** Names of available secrets, to report missing ones. */
  available?: readonly string[];
}

export interface SearchHit extends FoundTool {
  /** Higher is better. */
  score: number;
  /** Missing secrets. Absent without `available`. */
  missing?: readonly string[];
}

/** What a search reads of a tool. */
type FoundTool = Omit<IndexedTool, 'parameters' | 'mcpName' | 'reference' | 'schemaName' | 'source' | 'path'>;
const foundFields = 'type name namespace toolName part description tags requiredServerParams file'.split(' ');

export interface SearchResult {
  query: string;
  matchCount: number;
  showing: number;
  tools: SearchHit[];
  /** If nothing was found: words of the query that no tool has. */
  unknownWords: string[];
}

/** The words of an index, and its tools, sorted by the length of the name, then by name. */
export interface SearchIndex extends Omit<WrittenSearch, 'count'> {
  /** JSON of a {@link FoundTool}. */
  tool: (position: number) => string;
}

/** Finds tools that match all keywords. Equal scores are in the order of the tools. */
export function searchTools(
  query: string,
  { tool: toolAt, ...words }: SearchIndex,
  { limit = 10, available }: SearchOptions = {},
): SearchResult {
  const search = readToolSearch(words);
  const found = search.search(query).map(({ id, score }) => ({ position: Number(id), score }));
  found.sort((left, right) => right.score - left.score || left.position - right.position);
  const tools = found.slice(0, Math.max(0, Math.trunc(limit) || 0)).map(({ position, score }): SearchHit => {
    const tool = JSON.parse(toolAt(position)) as FoundTool;
    const missing = available && tool.requiredServerParams.filter((name) => !available.includes(name));
    return { ...tool, score: Math.round(score * 100) / 100, ...(missing && { missing }) };
  });
  const unknownWords = found.length > 0 ? [] : search.unknownWords(query);
  return { query, matchCount: found.length, showing: tools.length, tools, unknownWords };
}

/** The first line of a search file. The second has data common to all words, then there is a line for each word and tool. */
interface Head {
  version: number;
  /** The checksum of the index that it comes from. */
  index: number | undefined;
  /** Of the other lines. */
  checksum: number;
  words: string;
  /** Number of words. */
  count: number;
  /** Length of each line, in bytes. */
  lengths: readonly number[];
}

/** Increased when the file format changes. */
const version = 3;

/** Reads the search file of an index. Undefined if it does not exist, is damaged, or is of another index. */
export function readSearchIndex(
  file: string,
  isCurrent: (checksum: number | undefined) => boolean,
): SearchIndex | undefined {
  try {
    const bytes = readFileSync(`${file}.words`);
    const start = bytes.indexOf('\n') + 1;
    const head = JSON.parse(bytes.toString('utf8', 0, start)) as Head;
    if (head.version !== version || !isCurrent(head.index)) return undefined;
    if (head.checksum !== checksumOf(bytes.subarray(start))) return undefined;
    let end = start;
    const ends = head.lengths.map((length) => (end += length));
    const line = (position: number) => bytes.toString('utf8', ends[position - 1] ?? start, ends[position]);
    const { words, count } = head;
    return { head: line(0), words, entry: (word) => line(word + 1), tool: (tool) => line(count + tool + 1) };
  } catch {
    return undefined; // It is written again.
  }
}

/** Collects the words of an index, and writes them to its search file. */
export function makeSearchIndex(
  index: Index,
  { file, detailed }: { file: string | undefined; detailed: (file: KnownFile) => FileDetails },
): SearchIndex {
  const entries = entriesOf(index).sort((left, right) => compareNames(left.cli, right.cli));
  const { head, words, count, entry } = writeToolSearch(entries.map((own) => documentOf(own, detailed(own.file))));
  const tools = entries.map((own) => JSON.stringify(indexedTool(own, detailed(own.file)), foundFields));
  if (file !== undefined) {
    const texts = [head, ...Array.from({ length: count }, (_, position) => entry(position)), ...tools];
    const lines = texts.map((text) => `${text}\n`);
    const body = lines.join('');
    const lengths = lines.map((line) => Buffer.byteLength(line));
    const first: Head = { version, index: index.checksum, checksum: checksumOf(body), words, count, lengths };
    writeQuietly(`${file}.words`, `${JSON.stringify(first)}\n${body}`);
  }
  return { head, words, entry, tool: (position) => tools[position] ?? '' };
}

/** Whether files are as when {@link noteScan} was called for the index with this checksum. */
export function isNotedScan(file: string, scan: Scan, checksum: number | undefined): boolean {
  try {
    return readFileSync(`${file}.scan`, 'utf8') === noteOf(scan, checksum);
  } catch {
    return false; // Not noted yet.
  }
}

/** Notes that an index has the contents of files, so that the next search need not read it. */
export function noteScan(file: string, scan: Scan, checksum: number | undefined): void {
  if (!isNotedScan(file, scan, checksum)) writeQuietly(`${file}.scan`, noteOf(scan, checksum));
}

function noteOf({ files }: Scan, checksum: number | undefined): string {
  return JSON.stringify([indexVersion(), checksum, files]);
}

/** The next search tries again. */
function writeQuietly(file: string, text: string): void {
  try {
    replaceFile(file, text);
  } catch {}
}

function compareNames(left: string, right: string): number {
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0);
}

function documentOf(entry: IndexedEntry, details: FileDetails): Omit<SearchDocument, 'id'> {
  const { namespace, toolName, tags, schemaName, description, parameters } = indexedTool(entry, details);
  const lists = details.tools[entry.position]?.lists ?? [];
  return {
    ...{ namespace, name: toolName, tags, schema: schemaName },
    lists: lists.flatMap((name) => details.lists[name] ?? []),
    description: `${description} ${details.schema.description}`,
    parameters: Object.entries(parameters).flatMap(([key, { description: about = '', values = [] }]) => [
      key,
      about,
      ...values.map(String),
    ]),
  };
}
