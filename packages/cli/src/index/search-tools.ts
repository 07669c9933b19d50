import { readFileSync } from 'node:fs';
import { readToolSearch, type SearchDocument, type WrittenSearch, writeToolSearch } from '@schemakit/server/search';
import { checksumOf, type Index, type KnownFile, replaceFile } from './index-file.ts';
import { type IndexedEntry, indexedTool } from './indexed-entry.ts';
import type { FileDetails } from './indexed-tool.ts';

interface Searched {
  index: Index;
  entries: readonly IndexedEntry[];
  /** Keeps the words of the index; without one, they are gathered for each search. */
  file: string | undefined;
  detailed: (file: KnownFile) => FileDetails;
}

/** Finds tools by keywords, all of which have to match. What scores the same is sorted by the length of the name, then by name. */
export function findEntries(
  query: string,
  { index, entries, file, detailed }: Searched,
): { found: { entry: IndexedEntry; score: number }[]; unknownWords: string[] } {
  let written = file === undefined ? undefined : readWords(file, index);
  if (written === undefined) {
    written = writeToolSearch(entries.map((entry, id) => documentOf(entry, id, detailed(entry.file))));
    if (file !== undefined) keepWords(file, written, index);
  }
  const search = readToolSearch(written);
  const found = search.search(query).flatMap(({ id, score }) => {
    const entry = entries[Number(id)];
    return entry === undefined ? [] : { entry, score };
  });
  found.sort((left, right) => right.score - left.score || compareNames(left.entry.cli, right.entry.cli));
  return { found, unknownWords: found.length > 0 ? [] : search.unknownWords(query) };
}

function compareNames(left: string, right: string): number {
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0);
}

/** The first line of a file of words. Another line has what belongs to all of them, then each has its own. */
interface WordsHead {
  /** Of the index that the words are of. */
  index: number | undefined;
  /** Of all that follows. */
  checksum: number;
  words: readonly string[];
  /** Bytes of each line. */
  lengths: readonly number[];
}

function readWords(file: string, { checksum }: Index): WrittenSearch | undefined {
  try {
    const bytes = readFileSync(file);
    const start = bytes.indexOf('\n') + 1;
    const head = JSON.parse(bytes.toString('utf8', 0, start)) as WordsHead;
    if (head.index !== checksum || head.checksum !== checksumOf(bytes.subarray(start))) return undefined;
    let end = start;
    const lines = head.lengths.map((length) => {
      end += length;
      return [end - length, end] as const;
    });
    const lineAt = (position: number) => bytes.toString('utf8', ...(lines[position] ?? [0, 0]));
    return { head: lineAt(0), words: head.words, entry: (position) => lineAt(position + 1) };
  } catch {
    return undefined; // They are gathered again.
  }
}

function keepWords(file: string, { head, words, entry }: WrittenSearch, { checksum }: Index): void {
  const lines = [head, ...words.map((_, position) => entry(position))].map((line) => `${line}\n`);
  const body = lines.join('');
  const lengths = lines.map((line) => Buffer.byteLength(line));
  const first: WordsHead = { index: checksum, checksum: checksumOf(body), words, lengths };
  try {
    replaceFile(file, `${JSON.stringify(first)}\n${body}`);
  } catch {
    // The next search gathers them again.
  }
}

function documentOf(entry: IndexedEntry, id: number, details: FileDetails): SearchDocument {
  const { namespace, toolName, tags, schemaName, description, parameters } = indexedTool(entry, details);
  const lists = details.tools[entry.position]?.lists ?? [];
  return {
    ...{ id, namespace, name: toolName, tags, schema: schemaName },
    lists: lists.flatMap((name) => details.lists[name] ?? []),
    description: `${description} ${details.schema.description}`,
    parameters: Object.entries(parameters).flatMap(([key, { description: about = '', values = [] }]) => [
      key,
      about,
      ...values.map(String),
    ]),
  };
}
