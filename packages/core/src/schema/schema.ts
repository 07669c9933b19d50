import type { PromptDefinition } from './prompts/prompt.ts';
import type { Resource } from './resource.ts';
import type { Tool } from './tool.ts';

/** A reference to a shared list, with the filter that its entries pass. */
export interface SharedListReference {
  ref: string;
  /** Exact version; undefined takes any. */
  version?: string;
  filter?: ListFilter;
}

/** Keeps the entries whose field exists, equals a value, or is one of several. */
export type ListFilter = { key: string } & ({ exists: boolean } | { value: unknown } | { in: readonly unknown[] });

/** `main` as the runtime needs it: read, checked, with defaults filled in. */
export interface Schema {
  namespace: string;
  name: string;
  description: string;
  version: string;
  docs: readonly string[];
  tags: readonly string[];
  /** As written; may hold placeholders. */
  root: string;
  requiredServerParams: readonly string[];
  requiredLibraries: readonly string[];
  sharedLists: readonly SharedListReference[];
  tools: ReadonlyMap<string, Tool>;
  /** Where the tools stand in `main`. */
  toolsPath: 'main.tools' | 'main.routes';
  /** Databases to query and documents to read. */
  resources: ReadonlyMap<string, Resource>;
  /** Skills and prompts as `main` names them; their texts are in files of their own. */
  prompts: readonly PromptDefinition[];
}

/** The entries of each list by its name, after the filters. They are frozen. */
export type SharedLists = Readonly<Record<string, readonly unknown[]>>;
