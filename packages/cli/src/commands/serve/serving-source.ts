import { readFileSync } from 'node:fs';
import type { Finding } from '@schemakit/core';
import type { ToolSelection } from '@schemakit/server';
import type { IndexedEntry } from '../../index/indexed-entry.ts';
import type { IndexedPrompt } from '../../index/indexed-tool.ts';
import type { LoadedFiles } from '../../index/read-files.ts';
import type { FoundFile, Scan } from '../../index/scan-folders.ts';

export interface ServingSource {
  /** Name of the server in the MCP handshake. */
  name: string;
  /** Beginning of a sentence about what is served. */
  subject: string;
  /** Cache key: equal for the same schemas, whatever the working directory. */
  key: string;
  /** Files and folders to watch: schemas, settings, lock files. They may not exist. */
  readonly paths: readonly string[];
  /** Whether to cache the index on disk. A single file loads as fast without it. */
  isCached: boolean;
  /** Default selection of a URL. Its fields may change at a reload. */
  defaults: ToolSelection;
  /** Scans the files, and reads the settings again. */
  look(): SourceLook;
  /** Loads files; without any, returns the findings of the given paths. A reload does not ask about the lock file again. */
  load(files: readonly FoundFile[], options?: { isAgain?: boolean }): Promise<LoadedFiles>;
}

export interface SourceLook {
  scan: Scan;
  /** Contents of files that all schemas depend on, such as lock files, to compare. */
  state: string;
  /** Errors of the settings; nothing may be loaded then. */
  refused: readonly Finding[];
  serves(entry: Pick<IndexedEntry, 'type' | 'part' | 'toolName'> & { place: string }): boolean;
  lostAmong(entries: readonly IndexedEntry[], prompts: readonly IndexedPrompt[]): readonly Finding[];
  /** Tells for each group whether it has an entry. */
  groups: ReadonlyMap<string, SourceLook['serves']>;
}

/** The contents of lock files. Loading reports those that cannot be read. */
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
