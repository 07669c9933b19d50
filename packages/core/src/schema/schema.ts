import type { valuesOf } from './format/fields.generated.ts';
import type { Annotations } from './format/format-types.generated.ts';
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

/** Matches entries whose field exists, equals a value, or is one of several. */
export type ListFilter = { key: string } & ({ exists: boolean } | { value: unknown } | { in: readonly unknown[] });

/** A parsed and checked `main` with defaults. */
export interface Schema {
  namespace: string;
  name: string;
  description: string;
  version: string;
  docs: readonly string[];
  tags: readonly string[];
  /** As written; may contain placeholders. */
  root: string;
  requiredServerParams: readonly string[];
  requiredLibraries: readonly string[];
  sharedLists: readonly SharedListReference[];
  tools: ReadonlyMap<string, Tool>;
  toolsPath: 'main.tools' | 'main.routes';
  resources: ReadonlyMap<string, Resource>;
  /** The entries of skills and prompts; their texts are in separate files. */
  prompts: readonly PromptDefinition[];
  /** Server parameters that only `auth` and `signature` use: handlers do not see them. */
  ownSecrets: readonly string[];
  /** The token endpoint of `auth`. */
  tokenEndpoint?: TokenEndpoint;
}

/** Another place than the root that gets secrets: the token endpoint of OAuth 2.0. */
export interface TokenEndpoint {
  /** As written; may contain placeholders. */
  url: string;
  /** The secrets that it gets. */
  secrets: readonly string[];
}

/** The filtered, frozen entries of each list by name. */
export type SharedLists = Readonly<Record<string, readonly unknown[]>>;

export interface Input {
  /** The parameter's `position.key`, or the placeholder's name in a composite value. */
  name: string;
  /** Other names under which the same input is accepted. */
  aliases: readonly string[];
  z: ZExpression;
  description?: string;
}

export interface Placement {
  key: string;
  location: 'query' | 'insert' | 'body' | 'header' | 'cookie';
  value: Template;
  /** Whether to omit the placement if an input is missing. */
  optional: boolean;
  /** How lists and objects are written; undefined for the way of the format, which has no style. */
  style?: Style;
  /** The value is the whole body, not a field of it. */
  whole?: true;
  /** The value is a file, or a list of files. */
  isFile?: true;
}

/** How a list or an object is written (OpenAPI 3.1, "Style Values"). */
export interface Style {
  name: (typeof valuesOf)['Position.style'][number];
  /** Whether each item or member is a pair of its own. */
  explode: boolean;
}

export interface Header {
  name: string;
  value: Template;
}

/** Credentials that are computed when a tool is called. `name` stands for them in templates, as that of a secret. */
export type Credentials = { name: string } & (
  | { type: 'basic'; username: Template; password: Template }
  | {
      type: 'oauth2';
      /** As written. */
      tokenUrl: string;
      url: Template;
      clientId: Template;
      clientSecret: Template;
      /** Further fields of the token request. */
      form: Readonly<Record<string, string>>;
      authMethod: 'basic' | 'body';
    }
);

/** How requests are signed. An `input` in a template is a part of the request, or its time. */
export interface Signature {
  algorithm: (typeof valuesOf)['Signature.algorithm'][number];
  encoding: (typeof valuesOf)['Signature.encoding'][number];
  in: (typeof valuesOf)['Signature.in'][number];
  name: string;
  secret: Template;
  secretEncoding: (typeof valuesOf)['Signature.secretEncoding'][number];
  message: Template;
  prefix: Template;
  headers: readonly (readonly [name: string, value: Template])[];
  query: readonly (readonly [key: string, value: Template])[];
}

export interface Output {
  mimeType: string;
  schema?: JsonObject;
}

/** Where the items of a page are, and how the next page is asked for. Paths are lists of keys. */
export interface Pagination {
  style: (typeof valuesOf)['Pagination.style'][number];
  /** Without it, the answer itself or its only member that is a list. */
  items?: readonly string[];
  maxPages: number;
  /** The parameter of the page number, offset or cursor. Empty for links. */
  parameter: string;
  start: number;
  sizeParameter?: string;
  /** Where the answer has the cursor or the link. Without it, links are in the `Link` header. */
  next?: readonly string[];
}

/** A parsed and checked tool with resolved placeholders. */
export interface Tool {
  name: string;
  description: string;
  method: string;
  /** `root` and `path` as one template; `insert` placements are `{ kind: 'insert', key }`. */
  url: Template;
  headers: readonly Header[];
  inputs: readonly Input[];
  placements: readonly Placement[];
  /** How the body is written. Default: JSON, unless the content type in `headers` says otherwise. */
  encoding?: (typeof valuesOf)['Tool.encoding'][number];
  /** The media types that the tool asks for; undefined to take what comes. */
  accept?: string;
  pagination?: Pagination;
  output?: Output;
  credentials?: Credentials;
  signature?: Signature;
  /** Names of the secrets that requests of this tool contain, or are authenticated with. */
  secrets: readonly string[];
  /** Seconds for which an answer may be reused (`preload`). */
  ttlSeconds?: number;
  /** What the author announces on MCP in place of what follows from the method. */
  annotations?: Annotations;
  /** The header for the key by which the API recognises a call that is sent again. */
  idempotencyHeader?: string;
}

/** The folder of a resource's file: next to the schema, in `.schemakit` of the project, or in the home directory. */
export type ResourceOrigin = (typeof valuesOf)['DatabaseResource.origin'][number];

export interface ResourceFile {
  /** A name in the folder of `origin`; without one a path: absolute, `~/…`, or relative to the schema or the working directory. */
  path: string;
  origin?: ResourceOrigin;
}

/** A value for one `?` of a statement. */
export type QueryBinding = { kind: 'input'; name: string } | { kind: 'literal'; value: string | number | boolean };

export interface ResourceQuery {
  name: string;
  description: string;
  /** A read-only statement; `{{DYNAMIC_SQL}}` if the caller passes it. */
  sql: string;
  inputs: readonly Input[];
  /** One for each `?`, in order. */
  bindings: readonly QueryBinding[];
  /** The declared rows; an array of objects by default. */
  output: Output;
  /** True if the caller passes the statement, in the inputs `sql` and `limit`. */
  isDynamic: boolean;
  /** False for the built-in `runSql` and `describeTables`. */
  isDeclared: boolean;
}

interface ResourceBase {
  name: string;
  description: string;
}

export interface DatabaseResource extends ResourceBase {
  kind: 'sqlite';
  mode: 'in-memory' | 'file-based';
  file: ResourceFile;
  queries: ReadonlyMap<string, ResourceQuery>;
}

export interface MarkdownResource extends ResourceBase {
  kind: 'markdown';
  file: ResourceFile;
  queries: ReadonlyMap<string, never>;
}

export interface WebResource extends ResourceBase {
  kind: 'http';
  url: string;
  queries: ReadonlyMap<string, never>;
}

export type Resource = DatabaseResource | MarkdownResource | WebResource;
