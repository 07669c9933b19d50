import type { Finding, ToolResolution } from '@schemakit/core';
import { reasonOf } from '../output/terminal-text.ts';
import { detailsOf, type Index, type KnownFile, readIndex, writeIndex } from './index-file.ts';
import { entriesOf, type IndexedEntry, indexedTool, isCallable } from './indexed-entry.ts';
import type { FileDetails, IndexedFile, IndexedSchema, IndexedTool, ToolDetails } from './indexed-tool.ts';
import type { OnProgress } from './read-files.ts';
import { indexFinding, type Scan, type SourceFolder, scanFolders } from './scan-folders.ts';
import type { SearchOptions, SearchResult } from './search-tools.ts';
import { isCurrent, updateIndex } from './update-index.ts';

export interface ToolIndexOptions {
  /** The index file, in an existing folder. Without one, the index is in memory. */
  file?: string | undefined;
  folders: readonly SourceFolder[];
  onProgress?: OnProgress | undefined;
  /** If more files have changed, the old index is used. Default: no limit. */
  readAtMost?: number | undefined;
}

/** The tool of a reference, or all tools of a file or database. */
export type FoundTools = ToolResolution<IndexedTool>;

export interface ToolIndex {
  /** Warnings: folders that cannot be read, a file that cannot be written. */
  findings: readonly Finding[];
  /** Finds tools by keywords, best match first. */
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  /** All entries of schemas without errors, in the order of the files. */
  tools(): IndexedTool[];
  /** All schema files, also those with errors. */
  schemas(): IndexedSchema[];
  file(place: string): IndexedFile | undefined;
  /** How MCP clients see a tool, by its reference. */
  listing(reference: string): ToolDetails['listing'];
  /** Resolves a reference or a name in any form (docs/command.md). */
  find(reference: string): Promise<FoundTools>;
  /** Names and references that begin with a prefix, sorted; at most 200 by default. */
  complete(prefix: string, options?: { limit?: number }): string[];
}

/** Opens and updates the index of folders. A damaged one is rebuilt; one that cannot be written stays in memory, with a warning. */
export async function openToolIndex({ file, folders, onProgress, readAtMost }: ToolIndexOptions): Promise<ToolIndex> {
  const scan = scanFolders(folders);
  const before = file === undefined ? undefined : readIndex(file);
  const { index, isChanged } = await updateIndex(before, scan, { onProgress, readAtMost });
  const findings = [...scan.findings];
  if (file !== undefined && isChanged) {
    try {
      writeIndex(file, index);
    } catch (error) {
      findings.push(indexFinding('IDX001', `${file} cannot be used: ${reasonOf(error)}`));
    }
  }
  return { ...toolIndex(index, { file, scan }), findings };
}

/** Opens the index only to search it. If nothing has changed since the last search, it reads the search file alone. */
export async function openToolSearch(options: ToolIndexOptions): Promise<Pick<ToolIndex, 'search' | 'findings'>> {
  const { file, folders } = options;
  if (file === undefined) return openToolIndex(options);
  const { isNotedScan, readSearchIndex, searchTools } = await import('./search-tools.ts');
  const scan = scanFolders(folders);
  const words = readSearchIndex(file, (checksum) => isNotedScan(file, scan, checksum));
  if (words === undefined) return openToolIndex(options);
  return { findings: scan.findings, search: async (query, shown) => searchTools(query, words, shown) };
}

function toolIndex(
  index: Index,
  { file, scan }: { file: string | undefined; scan: Scan },
): Omit<ToolIndex, 'findings'> {
  let all: IndexedEntry[] | undefined;
  const entries = () => (all ??= entriesOf(index));
  const details = new Map<KnownFile, FileDetails>();
  const detailed = (known: KnownFile) => {
    const found = details.get(known) ?? detailsOf(known);
    details.set(known, found);
    return found;
  };
  const toolOf = (entry: IndexedEntry) => indexedTool(entry, detailed(entry.file));
  return {
    async search(query, options) {
      const { makeSearchIndex, noteScan, readSearchIndex, searchTools } = await import('./search-tools.ts');
      const known = file && readSearchIndex(file, (checksum) => checksum === index.checksum);
      const words = known || makeSearchIndex(index, { file, detailed });
      if (file !== undefined && isCurrent(index, scan)) noteScan(file, scan, index.checksum);
      return searchTools(query, words, options);
    },
    tools: () => entries().map(toolOf),
    schemas: () => index.files.filter(({ isSchema }) => isSchema).map((known) => indexedSchema(known, detailed(known))),
    file(place) {
      const known = index.files.find((candidate) => candidate.place === place && candidate.isSchema);
      if (known === undefined) return undefined;
      const tools = entries()
        .filter((entry) => entry.file === known)
        .map(toolOf);
      return { schema: indexedSchema(known, detailed(known)), tools };
    },
    listing(reference) {
      const entry = entries().find((candidate) => candidate.reference === reference);
      return entry && detailed(entry.file).tools[entry.position]?.listing;
    },
    async find(reference) {
      const shown = shownAs(reference.trim(), entries());
      // Importing the library takes longer than everything else here.
      if (shown.length > 0) {
        return { status: true, messages: [], findings: [], outcome: 'match', tools: shown.map(toolOf) };
      }
      const { resolveReference } = await import('./resolve-reference.ts');
      const { tools, ...resolution } = resolveReference(reference, entries());
      return { ...resolution, tools: tools.map(toolOf) };
    },
    complete: (prefix, { limit = 200 } = {}) => completions(prefix, entries()).sort().slice(0, limit),
  };
}

function indexedSchema({ source, place, path, names }: KnownFile, { schema }: FileDetails): IndexedSchema {
  const tools = names.map(({ type, toolName }) => ({ type, toolName }));
  return { source, file: place, path, ...schema, tools };
}

/** The entry that is shown under a name; none if the name is ambiguous. */
function shownAs(text: string, entries: readonly IndexedEntry[]): IndexedEntry[] {
  const isFile = text.endsWith('.mjs');
  const found = entries.filter((entry) =>
    isFile ? entry.file.place === text && isCallable(entry) : entry.name === text || entry.reference === text,
  );
  // The library reports ambiguous names.
  const isOne = isFile ? new Set(found.map(({ file }) => file)).size === 1 : found.length === 1;
  return isOne ? found : [];
}

/** Command line names; MCP names after two underscores, files and ids after a slash, references after two colons. */
function completions(prefix: string, entries: readonly IndexedEntry[]): string[] {
  const all = entries.flatMap((entry) => {
    if (prefix.includes('::')) return [entry.reference];
    if (prefix.includes('/')) return [entry.file.place, `${entry.namespace}/${entry.type}/${entry.toolName}`];
    return prefix.includes('__') && isCallable(entry) ? [entry.name, entry.mcp] : [entry.name];
  });
  return [...new Set(all.filter((text) => text.startsWith(prefix)))];
}
