import { nameProblem } from '../sources/path-problem.ts';

/** A command group of tools (specification 2.11). */
export interface Group {
  description: string;
  /** References, `<source>/<file>.mjs::tool::<name>` and the other forms. */
  tools: readonly string[];
}

export type Mode = 'agent' | 'dev';

/** Where the files of a folder below `schemas/` came from. */
export interface SourceEntry {
  /** `builtin`, or how it was imported. */
  type?: string;
  schemaCount?: number;
}

/** What the commands use of a `config.json`. One type for both levels: older programs, too, keep to one set of names. */
export interface Config {
  /** Of the project. */
  mode?: Mode;
  /** Of the project. */
  defaultGroup?: string;
  /** Of the project: groups as older programs keep them. Those in `groups/` win. */
  groups: ReadonlyMap<string, Group>;
  /** Global: another file of secrets. */
  envPath?: string;
  /** Global: when `init` ran, as an ISO date. */
  initialized?: string;
  /** Global. */
  sources: ReadonlyMap<string, SourceEntry>;
}

export const noConfig: Config = { groups: new Map(), sources: new Map() };

/** Whether a text can be the name of a group. Names of groups are names of files, on every system. */
export function isGroupName(name: string): boolean {
  return nameProblem(name) === undefined;
}
