import { readFileSync } from 'node:fs';
import { readToolSearch, type SearchDocument, writeToolSearch } from '@schemakit/server/search';
import { checksumOf, type Index, type KnownFile, replaceFile } from './index-file.ts';
import type { FileDetails } from './indexed-tool.ts';
import { type IndexedEntry, indexedTool } from './tool-index.ts';

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
  let lines = file === undefined ? undefined : readWords(file, index);
  if (lines === undefined) {
    lines = writeToolSearch(entries.map((entry, id) => documentOf(entry, id, detailed(entry.file))));
    if (file !== undefined) keepWords(file, lines, index);
  }
  const search = readToolSearch(lines, query);
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

/** Words are kept with a line before them that says what they are of. */
function readWords(file: string, { checksum }: Index): string[] | undefined {
  try {
    const bytes = readFileSync(file);
    const end = bytes.indexOf('\n');
    const isRight = bytes.toString('utf8', 0, end) === headOf(bytes.subarray(end + 1), checksum);
    return isRight ? bytes.toString('utf8', end + 1).split('\n') : undefined;
  } catch {
    return undefined; // They are gathered again.
  }
}

function keepWords(file: string, lines: readonly string[], { checksum }: Index): void {
  const body = lines.join('\n');
  try {
    replaceFile(file, `${headOf(body, checksum)}\n${body}`);
  } catch {
    // The next search gathers them again.
  }
}

function headOf(body: string | Buffer, checksum: number | undefined): string {
  return `${checksum} ${checksumOf(body)}`;
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
