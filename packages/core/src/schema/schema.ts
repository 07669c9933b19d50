import type { valuesOf } from './format/fields.generated.ts';
import type { JsonObject } from './json.ts';
import type { PromptDefinition } from './prompts/prompt.ts';
import type { Template } from './template.ts';
import type { ZExpression } from './z/z-expression.ts';

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

/** Something that a caller may pass to a tool. */
export interface Input {
  /** The name that callers see: the parameter's `position.key`, or the placeholder's own name in a composite value. */
  name: string;
  /** Other names under which the same input is accepted. */
  aliases: readonly string[];
  z: ZExpression;
  description?: string;
}

/** Where the value of a parameter goes in the request. */
export interface Placement {
  key: string;
  location: 'query' | 'insert' | 'body';
  /** The value to send: literal text, inputs and secrets. */
  value: Template;
  /** Whether the placement is left out when one of its inputs is absent. */
  optional: boolean;
}

/** One header of a request. */
export interface Header {
  name: string;
  value: Template;
}

/** What a tool declares about its answers. */
export interface Output {
  mimeType: string;
  schema?: JsonObject;
}

/** A tool as the runtime needs it: read from `main`, checked, with its placeholders resolved. */
export interface Tool {
  name: string;
  description: string;
  method: string;
  /** `root` and `path` in one template; `insert` placements stand in it as `{ kind: 'insert', key }`. */
  url: Template;
  headers: readonly Header[];
  inputs: readonly Input[];
  placements: readonly Placement[];
  output?: Output;
  /** Names of the secrets that a request of this tool carries. */
  secrets: readonly string[];
  /** Seconds for which an answer may be reused (`preload`). */
  ttlSeconds?: number;
}

/**
 * Where a resource's file belongs: beside the schema, in the project's `.schemakit` folder, or in that of the user's home.
 */
export type ResourceOrigin = (typeof valuesOf)['DatabaseResource.origin'][number];

/** The file of a resource as the schema names it. */
export interface ResourceFile {
  /** A name in the folders of `origin`; without an origin, a path: absolute, `~/…`, or relative to the schema or the working directory. */
  path: string;
  origin?: ResourceOrigin;
}

/** A value for one `?` of a statement. */
export type QueryBinding = { kind: 'input'; name: string } | { kind: 'literal'; value: string | number | boolean };

/** One look-up in a database. */
export interface ResourceQuery {
  name: string;
  description: string;
  /** One reading statement; `{{DYNAMIC_SQL}}` where the caller brings it. */
  sql: string;
  /** What callers may pass. */
  inputs: readonly Input[];
  /** One for each `?`, in their order. */
  bindings: readonly QueryBinding[];
  /** What the rows look like; an array of objects where the schema does not say. */
  output: Output;
  /** True where the caller brings the statement, in the inputs `sql` and `limit`. */
  isDynamic: boolean;
  /** False for `runSql` and `describeTables` where the schema does not define them itself. */
  isDeclared: boolean;
}

interface ResourceBase {
  name: string;
  description: string;
}

/** An SQLite database, for reading. */
export interface DatabaseResource extends ResourceBase {
  kind: 'sqlite';
  mode: 'in-memory' | 'file-based';
  file: ResourceFile;
  queries: ReadonlyMap<string, ResourceQuery>;
}

/** A Markdown file. */
export interface MarkdownResource extends ResourceBase {
  kind: 'markdown';
  file: ResourceFile;
  queries: ReadonlyMap<string, never>;
}

/** A document on the web. */
export interface WebResource extends ResourceBase {
  kind: 'http';
  url: string;
  queries: ReadonlyMap<string, never>;
}

/** What a schema offers besides tools: a database to query, or a document to read. */
export type Resource = DatabaseResource | MarkdownResource | WebResource;
