import { readFileSync } from 'node:fs';
import type { Finding } from '@schemakit/core';
import type { ToolSelection } from '@schemakit/server';
import type { IndexedEntry } from '../index/indexed-entry.ts';
import type { IndexedPrompt } from '../index/indexed-tool.ts';
import type { LoadedFiles } from '../index/read-files.ts';
import type { FoundFile, Scan } from '../index/scan-folders.ts';

/** Where the schemas of a server come from. */
export interface ServingSource {
  /** Of the server, for the MCP handshake. */
  name: string;
  /** What is served, as the beginning of a sentence. */
  subject: string;
  /** The same for the same schemas, wherever the command was called. */
  key: string;
  /** Files and folders on which the offer depends: schemas, settings, lock files. They may be missing. */
  readonly places: readonly string[];
  /** Whether the offer is worth keeping on disk: not where a file alone is served, which is loaded as fast. */
  isKept: boolean;
  /** What a URL means that does not say otherwise: a selection whose fields may change with a loading. */
  defaults: ToolSelection;
  /** Looks at the files, and reads the settings again. */
  look(): SourceLook;
  /**
   * Loads files; with none, says what is wrong with what was named.
   *
   * @param options.isAgain Whether they were loaded before, so that nobody is asked or told about the lock file again.
   */
  load(files: readonly FoundFile[], options?: { isAgain?: boolean }): Promise<LoadedFiles>;
}

export interface SourceLook {
  scan: Scan;
  /** Of what all files depend on, such as lock files: the same while that is the same. */
  state: string;
  /** Errors of the settings, over which nothing may be loaded. */
  refused: readonly Finding[];
  /** Whether something that the files offer is served. */
  serves(entry: Pick<IndexedEntry, 'type' | 'part'> & { place: string }): boolean;
  /** References that lead nowhere. */
  lostAmong(entries: readonly IndexedEntry[], prompts: readonly IndexedPrompt[]): readonly Finding[];
  /** What each group has, as a condition. */
  groups: ReadonlyMap<string, SourceLook['serves']>;
}

/** The texts of lock files. What cannot be read says so when it is loaded. */
export function lockState(files: readonly (string | undefined)[]): string {
  return JSON.stringify(
    files.map((file) => {
      try {
        return file === undefined ? '' : readFileSync(file, 'utf8');
      } catch {
        return null;
      }
    }),
  );
}
