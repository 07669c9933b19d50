import type { Finding } from '@schemakit/core';
import type { Groups, Selection, ServedPrompt, ServedTool } from '@schemakit/server';
import type { LastGood } from './last-good.ts';

/** What was loaded for a server. */
export interface LoadedServing {
  tools: readonly ServedTool[];
  prompts: readonly ServedPrompt[];
  /** The tools of each group by their MCP names. */
  groups: Groups;
  findings: readonly Finding[];
  /** Errors over which nothing may run. */
  refused: readonly Finding[];
}

/** Where the schemas of a server come from. */
export interface ServingSource {
  /** Of the server, for the MCP handshake. */
  name: string;
  /** What is served, as the beginning of a sentence. */
  subject: string;
  /** Says the same for the same schemas, wherever the command was called. */
  key: string;
  /** Files and folders on which the offer depends: schemas, settings, lock files. They may be missing, and be others after a loading. */
  places: readonly string[];
  /** Whether the offer is worth keeping on disk: not where a file alone is served, which is loaded as fast. */
  isKept: boolean;
  /** What a URL means that does not say otherwise: a selection whose fields may change with a loading. */
  defaults: Selection;
  /**
   * Loads everything.
   *
   * @param settle Says which schemas are used in place of those that were loaded.
   */
  load(settle: LastGood['settle']): Promise<LoadedServing>;
  /** Loads one file; the names of its tools are then those that it would have alone. */
  loadFile(file: string): Promise<LoadedServing>;
}
