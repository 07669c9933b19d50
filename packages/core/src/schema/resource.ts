import type { valuesOf } from './format/fields.generated.ts';
import type { Input, Output } from './tool.ts';

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
