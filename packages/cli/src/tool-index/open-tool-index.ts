import type { Finding } from '@schemakit/core';
import { completeNames } from './complete-names.ts';
import { type CurrentIndex, type CurrentIndexOptions, openCurrentIndex } from './current-index.ts';
import { type FoundTools, findTools } from './find-tools.ts';
import type { IndexedFile, IndexedSchema, IndexedTool } from './indexed-tool.ts';
import { type SearchOptions, type SearchResult, searchTools } from './search-tools.ts';
import { readSearchWords, type SearchWords } from './search-words.ts';
import { allSchemas, allTools, fileAt } from './tool-rows.ts';

/** What folders of schemas offer, read from one file. It stays as it was when it was opened; open another to see changes. */
export interface ToolIndex {
  /** Warnings: folders that cannot be read, a file that cannot be written. */
  findings: readonly Finding[];
  /** Finds tools by keywords, the best first. Takes any text. */
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  /** All tools, queries, documents, skills and prompts of schemas without errors, in the order of the files. */
  tools(): Promise<IndexedTool[]>;
  /** All schema files, those with errors too, in their order. */
  schemas(): Promise<IndexedSchema[]>;
  /** One schema file by its `<source>/<file>.mjs`; undefined where there is none. */
  file(place: string): Promise<IndexedFile | undefined>;
  /** Finds what a reference names, in any form of specification 2.11 and by any name of a tool. */
  find(reference: string): Promise<FoundTools>;
  /** Names and references that begin with what somebody typed, sorted; 200 by default. */
  complete(prefix: string, options?: { limit?: number }): Promise<string[]>;
  /** Closes the file. The index cannot be used after that. */
  close(): void;
}

/**
 * Opens the index of folders of schemas, and first brings it up to date: files that are new or changed are read, all others
 * are not opened. Needs no lock: the file is replaced as a whole, never changed. One that is damaged, also where that shows only
 * later, is made anew; where it cannot be written, the index is in memory and `findings` has a warning.
 *
 * @throws only where the tables cannot be made in memory.
 */
export async function openToolIndex(options: CurrentIndexOptions): Promise<ToolIndex> {
  let index = readable(await openCurrentIndex(options));
  let rebuilding: Promise<void> | undefined;
  let isClosed = false;

  async function rebuild(): Promise<void> {
    index.database.close();
    index = readable(await openCurrentIndex({ ...options, fresh: true }));
    if (isClosed) index.database.close();
  }

  async function use<Result>(read: (index: ReadableIndex) => Result | Promise<Result>): Promise<Result> {
    const isRebuilt = rebuilding !== undefined;
    await rebuilding;
    try {
      return await read(index);
    } catch (error) {
      if (isRebuilt || isClosed) throw error;
    }
    rebuilding ??= rebuild();
    await rebuilding;
    return read(index);
  }

  return {
    get findings() {
      return index.findings;
    },
    search: (query, searching) =>
      use(({ database, words }) => searchTools(database, query, { ...searching, words: words() })),
    tools: () => use(({ database }) => allTools(database)),
    schemas: () => use(({ database }) => allSchemas(database)),
    file: (place) => use(({ database }) => fileAt(database, place)),
    find: (reference) => use(({ database }) => findTools(database, reference)),
    complete: (prefix, completing) => use(({ database }) => completeNames(database, prefix, completing)),
    close() {
      isClosed = true;
      if (index.database.isOpen) index.database.close();
    },
  };
}

interface ReadableIndex extends CurrentIndex {
  /** Made at the first search. */
  words(): SearchWords;
}

function readable(index: CurrentIndex): ReadableIndex {
  let words: SearchWords | undefined;
  return {
    ...index,
    words() {
      words ??= readSearchWords(index.database);
      return words;
    },
  };
}
