import type { Finding, ToolResolution } from '@schemakit/core';
import { detailsOf, type Index, type KnownFile, readIndex, writeIndex } from './index-file.ts';
import { entriesOf, type IndexedEntry, indexedTool, isCallable } from './indexed-entry.ts';
import type { FileDetails, IndexedFile, IndexedSchema, IndexedTool } from './indexed-tool.ts';
import type { OnProgress } from './read-files.ts';
import { indexFinding, type SourceFolder, scanFolders } from './scan-folders.ts';
import { updateIndex } from './update-index.ts';

export interface ToolIndexOptions {
  /** The file of the index, in a folder that is there. Without one, the index is in memory. */
  file?: string | undefined;
  /** What the index is of. Each source has one folder. */
  folders: readonly SourceFolder[];
  /** Told after each file that is read. */
  onProgress?: OnProgress | undefined;
  /** With more files to read than these, the index stays as it is, and is empty where there is none. Default: no limit. */
  readAtMost?: number;
}

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
  /** Where nothing was found: words of the query that no tool has. */
  unknownWords: string[];
}

/** What a reference names: one tool, or all of a file; a skill, a prompt, or all queries of a database. */
export type FoundTools = ToolResolution<IndexedTool>;

/** What folders of schemas offer. It stays as it was when it was opened; open another to see changes. */
export interface ToolIndex {
  /** Warnings: folders that cannot be read, a file that cannot be written. */
  findings: readonly Finding[];
  /** Finds tools by keywords, the best first. Takes any text. */
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  /** All tools, queries, documents, skills and prompts of schemas without errors, in the order of the files. */
  tools(): IndexedTool[];
  /** All schema files, those with errors too, in their order. */
  schemas(): IndexedSchema[];
  /** One schema file by its `<source>/<file>.mjs`; undefined where there is none. */
  file(place: string): IndexedFile | undefined;
  /** Finds what a reference names, in any form of specification 2.11 and by any name of a tool. */
  find(reference: string): Promise<FoundTools>;
  /** Names and references that begin with what somebody typed, sorted; 200 by default. */
  complete(prefix: string, options?: { limit?: number }): string[];
}

/**
 * Opens the index of folders of schemas, and first brings it up to date: files that are new or changed are read, all others are not
 * opened. One that is damaged is made anew; where it cannot be written, it is in memory and `findings` has a warning.
 */
export async function openToolIndex({ file, folders, onProgress, readAtMost }: ToolIndexOptions): Promise<ToolIndex> {
  const scan = scanFolders(folders);
  const before = file === undefined ? undefined : readIndex(file);
  const { index, isChanged } = await updateIndex(before, scan, {
    onProgress,
    ...(readAtMost !== undefined && { readAtMost }),
  });
  const findings = [...scan.findings];
  if (file !== undefined && isChanged) {
    try {
      writeIndex(file, index);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      findings.push(indexFinding('IDX001', `${file} cannot be used: ${reason}`));
    }
  }
  return { ...toolIndex(index, file), findings };
}

function toolIndex(index: Index, file: string | undefined): Omit<ToolIndex, 'findings'> {
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
    async search(query, { limit = 10, available } = {}) {
      const { findEntries } = await import('./search-tools.ts');
      const words = file === undefined ? undefined : `${file}.words`;
      const { found, unknownWords } = await findEntries(query, { index, file: words, detailed });
      const shown = found.slice(0, Math.max(0, Math.trunc(limit) || 0));
      const tools = shown.map(({ entry, score }): SearchHit => {
        const tool = toolOf(entry);
        const missing = available && tool.requiredServerParams.filter((name) => !available.includes(name));
        return { ...tool, score: Math.round(score * 100) / 100, ...(missing && { missing }) };
      });
      return { query, matchCount: found.length, showing: tools.length, tools, unknownWords };
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
    async find(reference) {
      const shown = shownAs(reference.trim(), entries());
      // The library takes longer to load than all else here.
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
  const tools = names().map(({ type, toolName }) => ({ type, toolName }));
  return { source, file: place, path, ...schema, tools };
}

/** What lists and searches show under a name: none where several things have it. */
function shownAs(text: string, entries: readonly IndexedEntry[]): IndexedEntry[] {
  const isFile = text.endsWith('.mjs');
  const found = entries.filter((entry) =>
    isFile ? entry.file.place === text && isCallable(entry) : entry.name === text || entry.reference === text,
  );
  // Where several are meant, the library says so.
  const isOne = isFile ? new Set(found.map(({ file }) => file)).size === 1 : found.length === 1;
  return isOne ? found : [];
}

/** Names of the command line, those of MCP once two underscores are typed, files and ids after a slash, parts after two colons. */
function completions(prefix: string, entries: readonly IndexedEntry[]): string[] {
  const all = entries.flatMap((entry) => {
    if (prefix.includes('::')) return [entry.reference];
    if (prefix.includes('/')) return [entry.file.place, `${entry.namespace}/${entry.type}/${entry.toolName}`];
    return prefix.includes('__') && isCallable(entry) ? [entry.name, entry.mcp] : [entry.name];
  });
  return [...new Set(all.filter((text) => text.startsWith(prefix)))];
}
