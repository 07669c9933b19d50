// Written by docs/generate-format.ts from the shapes beside it. Do not edit.

/** What `JSON.parse` gives. Only the author of a handler knows more about an answer. */
export type Untyped = ReturnType<JSON['parse']>;

/**
 * The export `main` of a schema file: an API, described as data.
 *
 * Specification 2.1.
 */
export interface SchemaMain {
  /**
   * The provider, in the letters a to z only. First part of every tool name.
   *
   * When it is missing: error. Specification 2.1.
   *
   * @example "openmeteo"
   */
  namespace: string;
  /**
   * The name that people read.
   *
   * When it is missing: error. Specification 2.1.
   */
  name: string;
  /**
   * What the API offers. Models read it.
   *
   * When it is missing: error. Specification 2.1.
   */
  description: string;
  /**
   * The version of the format: `3.0.0`. All three parts, no leading `v`. Not the version of your schema. `2.0.0` has `routes` in place of `tools`.
   *
   * When it is missing: error. Specification 2.1.
   *
   * @example "3.0.0"
   */
  version: `3.${number}.${number}` | `2.${number}.${number}`;
  /**
   * Base URL of the API, without a slash at its end; the `path` of a tool is appended. May hold `{{NAME}}` for a server parameter. `local://name` where no tool needs HTTP; a schema without tools needs none.
   *
   * When it is missing: error. Specification 2.1.
   *
   * @example "https://api.example.com/v1", "local://name"
   */
  root: string;
  /**
   * Tool name to tool. May be empty beside `resources`, `skills` or `prompts`.
   *
   * When it is missing: error. Specification 2.1.
   */
  tools: { [tool: string]: Tool };
  /**
   * Names of the secrets that the API needs. Write `[]` when there are none.
   *
   * When it is missing: warning. Specification 2.1.
   *
   * @example [], ["API_KEY"]
   */
  requiredServerParams?: readonly string[];
  /**
   * Names of the libraries that the handlers use. Write `[]` when there are none.
   *
   * When it is missing: warning. Specification 2.1.
   *
   * @example [], ["ethers"]
   */
  requiredLibraries?: readonly string[];
  /**
   * Headers of every request. A value may hold `{{NAME}}` for a server parameter. Write `{}` when there are none.
   *
   * When it is missing: warning. Specification 2.1.
   *
   * @example {}, {"Accept":"application/json"}, {"Authorization":"Bearer {{API_KEY}}"}
   */
  headers?: { [header: string]: string | number | boolean };
  /**
   * Links to the documentation of the API.
   *
   * Specification 2.1.
   */
  docs?: readonly string[];
  /**
   * Words to find the schema by.
   *
   * Specification 2.1.
   */
  tags?: readonly string[];
  /**
   * The shared lists that enums and handlers use.
   *
   * Specification 2.6.
   */
  sharedLists?: readonly (string | SharedListReference)[];
  /**
   * Databases to query and documents to read, by name.
   *
   * Specification 2.1.
   */
  resources?: { [resource: string]: Resource };
  /**
   * Workflows for models, by name. Served as MCP prompts.
   *
   * Specification 2.1.
   */
  skills?: readonly (SkillReference & { name: string })[] | { [skill: string]: SkillReference; [index: number]: never };
  /**
   * Texts that explain the tools, by name. Served as MCP prompts.
   *
   * Specification 2.1.
   */
  prompts?: { [prompt: string]: PromptReference };
  /**
   * Notes of your own. Accepted, not used.
   *
   * Specification 2.1.
   */
  meta?: unknown;
  /**
   * The name that `tools` had in format 2. Never beside `tools`.
   *
   * Specification 2.1.
   *
   * @deprecated Write `tools`.
   */
  routes?: { [tool: string]: Tool };
}

/**
 * One endpoint of the API, offered as one MCP tool.
 *
 * Specification 2.2.
 */
export interface Tool {
  /**
   * The HTTP method.
   *
   * When it is missing: error. Specification 2.2.
   */
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'HEAD';
  /**
   * Appended to `root`; begins with a slash. May hold placeholders, `{{key}}` or `:key`, and a fixed query, as in `/search?format=json`.
   *
   * When it is missing: error. Specification 2.2.
   *
   * @example "/search", "/things/{{id}}", "/search?format=json"
   */
  path: `/${string}` | '';
  /**
   * What the tool returns and when to use it. Models choose by it.
   *
   * When it is missing: error. Specification 2.2.
   */
  description: string;
  /**
   * What goes into the request. Write `[]` when the tool takes nothing.
   *
   * When it is missing: error. Specification 2.2.
   */
  parameters: readonly Parameter[] | { [name: string]: ShorthandParameter; [index: number]: never };
  /**
   * What callers get.
   *
   * When it is missing: warning. Specification 2.2.
   */
  output?: Output;
  /**
   * At least three sets of arguments, for testing the tool live.
   *
   * When it is missing: warning. Specification 2.2.
   */
  tests?: readonly ToolTest[];
  /**
   * How long an answer stays good.
   *
   * Specification 2.2.
   */
  preload?: Preload;
  /**
   * Notes of your own. Accepted, not used.
   *
   * Specification 2.2.
   */
  meta?: unknown;
  /**
   * Accepted, not used yet.
   *
   * Specification 2.2.
   */
  annotations?: unknown;
  /**
   * Reserved; does nothing yet.
   *
   * Specification 2.2.
   */
  async?: unknown;
}

/**
 * A value in the request of a tool: where it goes and what it may be.
 *
 * Specification 2.3.
 */
export interface Parameter {
  /**
   * Where the value goes.
   *
   * When it is missing: error. Specification 2.3.
   */
  position: Position;
  /**
   * What the value may be.
   *
   * When it is missing: error. Specification 2.3.
   */
  z: ZBlock;
  /**
   * Text for callers. `describe(…)` in `z.options` does the same.
   *
   * Specification 2.3.
   */
  description?: string;
}

/**
 * Where the value of a parameter comes from and where it goes.
 *
 * Specification 2.3.
 */
export interface Position {
  /**
   * The name of the value in the request, and of the input that callers see.
   *
   * When it is missing: error. Specification 2.3.
   */
  key: string;
  /**
   * `{{USER_PARAM}}` for a value from the caller, a fixed text, or `{{SERVER_PARAM:NAME}}` for a secret. Callers see only inputs of their own.
   *
   * When it is missing: error. Specification 2.3.
   *
   * @example "{{USER_PARAM}}", "{{SERVER_PARAM:API_KEY}}", "json"
   */
  value: '{{USER_PARAM}}' | `{{SERVER_PARAM:${string}}}` | (string & {}) | number | boolean;
  /**
   * Where the value goes: `query`, `insert` (in the path) or `body`.
   *
   * When it is missing: error. Specification 2.3.
   */
  location: 'query' | 'insert' | 'body' | 'template';
}

/**
 * A parameter in the short form, under its name. A name in the path is inserted there, others go to the body of `POST`, `PUT` and `PATCH`, and to the query otherwise.
 *
 * Specification 2.2.
 *
 * @deprecated Write an array of `Parameter`, which says where each value goes.
 */
export interface ShorthandParameter {
  /**
   * The type. Text when it is missing.
   *
   * Specification 2.2.
   */
  type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';
  /**
   * Whether callers must pass it.
   *
   * Specification 2.2.
   */
  required?: boolean;
  /**
   * Text for callers.
   *
   * Specification 2.2.
   */
  description?: string;
  /**
   * The value when it is left out.
   *
   * Specification 2.2.
   */
  default?: unknown;
  /**
   * The values that it may have.
   *
   * Specification 2.2.
   */
  enum?: readonly unknown[];
}

/**
 * What a tool gives to its callers, after the handlers.
 *
 * Specification 2.2.
 */
export interface Output {
  /**
   * The media type that the tool gives.
   *
   * When it is missing: warning. Specification 2.2.
   *
   * @example "application/json", "text/plain", "image/png"
   */
  mimeType?: 'application/json' | 'text/plain' | 'text/csv' | 'application/xml' | 'image/png' | (string & {});
  /**
   * Describes the answer.
   *
   * When it is missing: warning. Specification 2.2.
   */
  schema?: OutputNode;
  /**
   * What the answer is.
   *
   * Specification 2.2.
   */
  description?: string;
}

/**
 * A part of an answer, in the words of JSON Schema. Other keywords of JSON Schema may stand in it.
 *
 * Specification 2.2.
 */
export interface OutputNode {
  /**
   * The type, or several.
   *
   * Specification 2.2.
   */
  type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null' | (string & {}) | readonly string[];
  /**
   * The fields of an object.
   *
   * Specification 2.2.
   */
  properties?: { [name: string]: OutputNode };
  /**
   * The items of an array.
   *
   * Specification 2.2.
   */
  items?: OutputNode;
  /**
   * What it is.
   *
   * Specification 2.2.
   */
  description?: string;
  /**
   * Whether it may be null.
   *
   * Specification 2.2.
   */
  nullable?: boolean;
  [keyword: string]: unknown;
}

/**
 * Arguments with which a tool or a query can be tested, by the names of its inputs.
 *
 * Specification 2.2.
 */
export interface ToolTest {
  /**
   * What is tested.
   *
   * When it is missing: warning. Specification 2.2.
   */
  _description?: string;
  [input: string]: unknown;
}

/**
 * Says that an answer may be kept.
 *
 * Specification 2.2.
 */
export interface Preload {
  /**
   * Whether it may.
   *
   * When it is missing: warning. Specification 2.2.
   */
  enabled: boolean;
  /**
   * How long an answer stays good, in whole seconds.
   *
   * When it is missing: warning. Specification 2.2.
   *
   * @example 3600, 604800
   */
  ttl: number;
  /**
   * Why.
   *
   * Specification 2.2.
   */
  description?: string;
}

/**
 * What callers may pass for a parameter of a tool.
 *
 * Specification 2.3.
 */
export interface ZBlock {
  /**
   * The type. The values of an enum need no quotes: `enum(m,ft)`.
   *
   * When it is missing: error. Specification 2.3.
   *
   * @example "string()", "number()", "boolean()", "array()", "object()", "enum(a,b)", "enum({{list:field}})"
   */
  primitive: ZPrimitive;
  /**
   * Constraints, in any order. Write `[]` when there are none.
   *
   * When it is missing: warning. Specification 2.3.
   *
   * @example [], ["optional()"], ["min(1)","max(100)","default(10)"]
   */
  options?: readonly ZOption[];
}

/**
 * What callers may pass for a parameter of a query.
 *
 * Specification 2.3.
 */
export interface ScalarZBlock {
  /**
   * The type. SQL takes no arrays and no objects.
   *
   * When it is missing: error. Specification 2.3.
   *
   * @example "string()", "number()", "boolean()", "enum(a,b)"
   */
  primitive: ScalarPrimitive;
  /**
   * Constraints, in any order. Write `[]` when there are none.
   *
   * When it is missing: warning. Specification 2.3.
   *
   * @example [], ["optional()"], ["min(1)","max(100)","default(10)"]
   */
  options?: readonly ZOption[];
}

/**
 * The type of a value: a call.
 *
 * Specification 2.3.
 */
export type ZPrimitive = 'string()' | 'number()' | 'boolean()' | 'array()' | 'object()' | `enum(${string})`;

/**
 * The type of a single value: a call.
 *
 * Specification 2.3.
 */
export type ScalarPrimitive = 'string()' | 'number()' | 'boolean()' | `enum(${string})`;

/**
 * A constraint: a call such as `min(1)`, or `$` and the name of a shared list.
 *
 * Specification 2.3.
 */
export type ZOption =
  | 'optional()'
  | `optional(${string})`
  | `default(${string})`
  | `min(${string})`
  | `max(${string})`
  | `length(${string})`
  | `regex(${string})`
  | `describe(${string})`
  | `values(${string})`
  | `enum(${string})`
  | `$${string}`;

/**
 * Names a shared list, and which of its entries to keep.
 *
 * Specification 2.6.
 */
export interface SharedListReference {
  /**
   * The name of the list, with its capitals. A list that is not there is an error.
   *
   * When it is missing: error. Specification 2.6.
   *
   * @example "evmChains"
   */
  ref: string;
  /**
   * Its exact version; another one is an error. Any, when it is left out.
   *
   * When it is missing: warning. Specification 2.6.
   *
   * @example "1.0.0"
   */
  version?: string;
  /**
   * Which entries to keep. All, when it is left out.
   *
   * Specification 2.6.
   */
  filter?: ListFilter;
}

/**
 * Keeps the entries whose field exists, equals a value, or is one of several. With `exists: true` an entry stays if the field is there and not null; with `exists: false`, the others stay.
 *
 * Specification 2.6.
 */
export type ListFilter = ({ key: string } | { /** @deprecated Write `key`. */ field: string }) &
  ({ exists: boolean } | { value: unknown } | { in: readonly unknown[] });

/**
 * A database to query, or a document to read.
 *
 * Specification 2.1.
 */
export type Resource = DatabaseResource | MarkdownResource | WebResource;

/**
 * An SQLite database, and what can be asked of it. It is only read.
 *
 * Specification 2.1.
 */
export interface DatabaseResource {
  /**
   * The kind of resource: `sqlite`.
   *
   * When it is missing: error. Specification 2.1.
   */
  source: 'sqlite';
  /**
   * What can be looked up in it. Models choose by it.
   *
   * When it is missing: warning. Specification 2.1.
   */
  description?: string;
  /**
   * The folders in which the file may be: beside the schema, of the project, or in the home.
   *
   * Specification 2.1.
   */
  origin?: 'inline' | 'project' | 'global';
  /**
   * The file's name in the folders of `origin`.
   *
   * Specification 2.1.
   *
   * @example "places.db"
   */
  name?: string;
  /**
   * In place of `name`. Without `origin` it is a path.
   *
   * Specification 2.1.
   *
   * @example "./resources/places.db"
   */
  database?: string;
  /**
   * How the format calls it; both are read from the file, and neither is written to.
   *
   * Specification 2.1.
   */
  mode?: 'in-memory' | 'file-based';
  /**
   * The look-ups by name. A query `getSchema` that shows the tables is good manners.
   *
   * When it is missing: warning. Specification 2.1.
   */
  queries?: { [query: string]: Query };
  /**
   * Accepted, not used.
   *
   * Specification 2.1.
   */
  lifecycle?: unknown;
}

/**
 * A document beside the schema.
 *
 * Specification 2.1.
 */
export interface MarkdownResource {
  /**
   * The kind of resource: `markdown`.
   *
   * When it is missing: error. Specification 2.1.
   */
  source: 'markdown';
  /**
   * What can be looked up in it. Models choose by it.
   *
   * When it is missing: warning. Specification 2.1.
   */
  description?: string;
  /**
   * The folders in which the file may be: beside the schema, of the project, or in the home.
   *
   * Specification 2.1.
   */
  origin?: 'inline' | 'project' | 'global';
  /**
   * The file's name in the folders of `origin`.
   *
   * Specification 2.1.
   *
   * @example "guide.md"
   */
  name?: string;
  /**
   * In place of `name`. Without `origin` it is a path.
   *
   * Specification 2.1.
   *
   * @example "./resources/guide.md"
   */
  database?: string;
  /**
   * Accepted, not used.
   *
   * Specification 2.1.
   */
  lifecycle?: unknown;
}

/**
 * A document on the web.
 *
 * Specification 2.1.
 */
export interface WebResource {
  /**
   * The kind of resource: `http`.
   *
   * When it is missing: error. Specification 2.1.
   */
  source: 'http';
  /**
   * What can be looked up in it. Models choose by it.
   *
   * When it is missing: warning. Specification 2.1.
   */
  description?: string;
  /**
   * Its address, without placeholders.
   *
   * When it is missing: error. Specification 2.1.
   *
   * @example "https://example.com/guide.md"
   */
  url: `https://${string}` | `http://${string}`;
  /**
   * Accepted, not used.
   *
   * Specification 2.1.
   */
  lifecycle?: unknown;
}

/**
 * One look-up in a database, offered as one MCP tool.
 *
 * Specification 2.1.
 */
export interface Query {
  /**
   * One statement that reads, with a `?` for each parameter; `{{DYNAMIC_SQL}}` lets callers write it.
   *
   * When it is missing: error. Specification 2.1.
   *
   * @example "SELECT 1", "{{DYNAMIC_SQL}}"
   */
  sql: string;
  /**
   * What it finds, and by what. Models choose by it.
   *
   * When it is missing: warning. Specification 2.1.
   */
  description?: string;
  /**
   * The first goes to the first `?`, and so on. Write `[]` when the query takes nothing.
   *
   * When it is missing: warning. Specification 2.1.
   */
  parameters?: readonly QueryParameter[] | { [name: string]: ShorthandParameter; [index: number]: never };
  /**
   * The rows: an array of objects, or the names of the columns.
   *
   * When it is missing: warning. Specification 2.1.
   */
  output?: Output | { columns: readonly string[] };
  /**
   * At least one set of arguments, for testing the query live.
   *
   * When it is missing: warning. Specification 2.1.
   */
  tests?: readonly ToolTest[];
}

/**
 * A value for a `?` in the SQL of a query.
 *
 * Specification 2.3.
 */
export interface QueryParameter {
  /**
   * Where the value goes.
   *
   * When it is missing: error. Specification 2.3.
   */
  position: QueryPosition;
  /**
   * What the value may be.
   *
   * When it is missing: error. Specification 2.3.
   */
  z: ScalarZBlock;
  /**
   * Text for callers. `describe(…)` in `z.options` does the same.
   *
   * Specification 2.3.
   */
  description?: string;
}

/**
 * Where the value comes from. It goes to the `?` with the number of the parameter, so there is no location.
 *
 * Specification 2.3.
 */
export interface QueryPosition {
  /**
   * The name of the input that callers see.
   *
   * When it is missing: error. Specification 2.3.
   */
  key: string;
  /**
   * `{{USER_PARAM}}` for a value from the caller, or a fixed value. Never a secret.
   *
   * When it is missing: error. Specification 2.3.
   *
   * @example "{{USER_PARAM}}", 10
   */
  value: '{{USER_PARAM}}' | (string & {}) | number | boolean;
}

/**
 * A skill of the schema: a workflow for models.
 *
 * Specification 2.1.
 */
export interface SkillReference {
  /**
   * The file, which exports `skill`. Its path is relative to the folder of the schema.
   *
   * When it is missing: error. Specification 2.1.
   *
   * @example "./skills/plan-hike.mjs"
   */
  file: `${string}.mjs`;
  /**
   * What people choose by, at most 1024 characters.
   *
   * Specification 2.1.
   */
  description?: string;
  /**
   * The name, where `skills` is an array.
   *
   * Specification 2.1.
   */
  name?: string;
}

/**
 * The export `skill` of the file of a skill.
 *
 * Specification 2.1.
 */
export interface Skill {
  /**
   * The key in `main.skills`.
   *
   * When it is missing: warning. Specification 2.1.
   */
  name?: string;
  /**
   * The version of the format of skills.
   *
   * When it is missing: warning. Specification 2.1.
   */
  version?: 'schemakit-skill/1.0.0' | 'flowmcp-skill/1.0.0';
  /**
   * What people choose by, at most 1024 characters.
   *
   * When it is missing: error. Specification 2.1.
   */
  description: string;
  /**
   * The steps. `{{tool:name}}`, `{{resource:name}}` and `{{input:key}}` are filled in.
   *
   * When it is missing: error. Specification 2.1.
   */
  content: string;
  /**
   * What the skill results in.
   *
   * When it is missing: warning. Specification 2.1.
   */
  output?: string;
  /**
   * What the steps use.
   *
   * Specification 2.1.
   */
  requires?: SkillRequirements;
  /**
   * What the user fills in.
   *
   * Specification 2.1.
   */
  input?: readonly SkillInput[];
  /**
   * Accepted, not used.
   *
   * Specification 2.1.
   */
  testedWith?: unknown;
}

/**
 * What the steps of a skill use.
 *
 * Specification 2.1.
 */
export interface SkillRequirements {
  /**
   * Tools of the schema.
   *
   * Specification 2.1.
   */
  tools?: readonly string[];
  /**
   * Resources of the schema.
   *
   * Specification 2.1.
   */
  resources?: readonly string[];
  /**
   * Programs from elsewhere, which are only named.
   *
   * Specification 2.1.
   */
  external?: readonly string[];
}

/**
 * Something that the user of a skill fills in.
 *
 * Specification 2.1.
 */
export interface SkillInput {
  /**
   * Its name, in camelCase.
   *
   * When it is missing: error. Specification 2.1.
   */
  key: string;
  /**
   * Its type.
   *
   * When it is missing: warning. Specification 2.1.
   */
  type?: 'string' | 'number' | 'boolean' | 'enum';
  /**
   * What to fill in.
   *
   * When it is missing: warning. Specification 2.1.
   */
  description?: string;
  /**
   * Whether it must be filled in.
   *
   * When it is missing: warning. Specification 2.1.
   */
  required?: boolean;
  /**
   * The values of an `enum`.
   *
   * Specification 2.1.
   */
  values?: readonly string[];
}

/**
 * A prompt of the schema: a text that explains its tools.
 *
 * Specification 2.1.
 */
export interface PromptReference {
  /**
   * The file, which exports `content`, or `prompt`. Its path is relative to the folder of the schema.
   *
   * When it is missing: error. Specification 2.1.
   *
   * @example "./prompts/about.mjs"
   */
  contentFile: `${string}.mjs`;
  /**
   * What people choose by, at most 1024 characters.
   *
   * When it is missing: warning. Specification 2.1.
   */
  description?: string;
  /**
   * Names of tools that the text is about.
   *
   * Specification 2.1.
   */
  dependsOn?: readonly string[];
  /**
   * Other prompts that are handed out with it: `about`, or `coins/prompt/about` of elsewhere.
   *
   * Specification 2.1.
   */
  references?: readonly string[];
  /**
   * The key in `main.prompts`.
   *
   * Specification 2.1.
   */
  name?: string;
  /**
   * The namespace of the schema.
   *
   * Specification 2.1.
   */
  namespace?: string;
  /**
   * The version of the format of prompts.
   *
   * Specification 2.1.
   */
  version?: 'schemakit-prompt/1.0.0' | 'flowmcp-prompt/1.0.0';
  /**
   * The text, in `main` itself.
   *
   * Specification 2.1.
   *
   * @deprecated Write it into a file, and name that as `contentFile`.
   */
  content?: string;
}

/**
 * The export `prompt` of the file of a prompt, of a schema or of an agent. What `main` says of the prompt goes before it.
 *
 * Specification 2.1.
 */
export interface Prompt {
  /**
   * The text. `{{tool:name}}` and `{{input:key}}` are filled in.
   *
   * When it is missing: error. Specification 2.1.
   */
  content?: string;
  /**
   * In place of `content`, in the prompts of agents: the file that exports it.
   *
   * Specification 2.1.
   */
  contentFile?: `${string}.mjs`;
  /**
   * What people choose by, at most 1024 characters.
   *
   * When it is missing: warning. Specification 2.1.
   */
  description?: string;
  /**
   * Names of tools that the text is about.
   *
   * Specification 2.1.
   */
  dependsOn?: readonly string[];
  /**
   * Other prompts that are handed out with it: `about`, or `coins/prompt/about` of elsewhere.
   *
   * Specification 2.1.
   */
  references?: readonly string[];
  /**
   * Its name.
   *
   * Specification 2.1.
   */
  name?: string;
  /**
   * The version of the format of prompts.
   *
   * Specification 2.1.
   */
  version?: 'schemakit-prompt/1.0.0' | 'flowmcp-prompt/1.0.0';
  /**
   * The namespace of the schema that it belongs to.
   *
   * Specification 2.1.
   */
  namespace?: string;
  /**
   * The name of the agent that it belongs to.
   *
   * Specification 2.1.
   */
  agent?: string;
  /**
   * The model with which a prompt of an agent was tested.
   *
   * Specification 2.1.
   */
  testedWith?: string;
}

/**
 * The export `list` of the file of a shared list: values that several schemas use.
 *
 * Specification 2.6.
 */
export interface SharedList {
  /**
   * What the list is.
   *
   * When it is missing: error. Specification 2.6.
   */
  meta: SharedListMeta;
  /**
   * The entries: objects with the declared fields, or plain values where no fields are declared.
   *
   * When it is missing: error. Specification 2.6.
   */
  entries: readonly unknown[];
}

/**
 * What a shared list is.
 *
 * Specification 2.6.
 */
export interface SharedListMeta {
  /**
   * The name by which schemas reference it: letters, digits and underscores.
   *
   * When it is missing: error. Specification 2.6.
   *
   * @example "evmChains"
   */
  name: string;
  /**
   * Its version.
   *
   * When it is missing: warning. Specification 2.6.
   *
   * @example "1.0.0"
   */
  version?: string;
  /**
   * What is in it.
   *
   * Specification 2.6.
   */
  description?: string;
  /**
   * The fields of the entries.
   *
   * When it is missing: warning. Specification 2.6.
   */
  fields?: readonly SharedListField[];
  /**
   * Other lists that it depends on, by name or with more.
   *
   * Specification 2.6.
   */
  dependsOn?: readonly (string | SharedListDependency)[];
}

/**
 * A field of the entries of a list.
 *
 * Specification 2.6.
 */
export interface SharedListField {
  /**
   * Its name.
   *
   * When it is missing: warning. Specification 2.6.
   */
  key: string;
  /**
   * The type of its values.
   *
   * When it is missing: warning. Specification 2.6.
   */
  type: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';
  /**
   * Whether it may be null or absent.
   *
   * Specification 2.6.
   */
  optional?: boolean;
  /**
   * What it is.
   *
   * Specification 2.6.
   */
  description?: string;
}

/**
 * Another list that a list depends on.
 *
 * Specification 2.6.
 */
export interface SharedListDependency {
  /**
   * Its name.
   *
   * When it is missing: error. Specification 2.6.
   */
  ref: string;
  /**
   * Its exact version. Any, when it is left out.
   *
   * Specification 2.6.
   *
   * @example "1.0.0"
   */
  version?: string;
  /**
   * The other list has an entry whose field has this value.
   *
   * Specification 2.6.
   */
  condition?: { field: string; value: unknown };
}

/**
 * The export `agent` of an agent manifest.
 *
 * Specification 2.8.
 */
export interface AgentManifest {
  /**
   * Lowercase letters, digits and hyphens; begins with a letter.
   *
   * When it is missing: error. Specification 2.8.
   *
   * @example "trip-planner"
   */
  name: string;
  /**
   * The version of the format of manifests: `schemakit/3.0.0`.
   *
   * When it is missing: error. Specification 2.8.
   *
   * @example "schemakit/3.0.0"
   */
  version: 'schemakit/3.0.0' | 'flowmcp/3.0.0' | `${string}/3.0.0`;
  /**
   * What the agent can be asked.
   *
   * When it is missing: error. Specification 2.8.
   */
  description: string;
  /**
   * The model, as `<provider>/<model id>`.
   *
   * When it is missing: error. Specification 2.8.
   */
  model: `${string}/${string}`;
  /**
   * Who the agent is.
   *
   * When it is missing: error. Specification 2.8.
   */
  systemPrompt: string;
  /**
   * At least one: null under the id of a tool of a schema, a definition under a name without a slash.
   *
   * When it is missing: error. Specification 2.8.
   *
   * @example {"tides/tool/getTides":null}
   */
  tools: { [id: `${string}/${string}`]: null; [name: string]: AgentTool | null };
  /**
   * How tools work: `{ file }` under a name, null under the id of a prompt of a schema.
   *
   * Specification 2.8.
   */
  prompts?: { [id: `${string}/${string}`]: null; [name: string]: AgentFile | null };
  /**
   * How tasks are done: `{ file }` under a name without a slash.
   *
   * Specification 2.8.
   */
  skills?: { [skill: string]: AgentFile };
  /**
   * Data of the agent's own, or null under the id of a resource of a schema.
   *
   * Specification 2.8.
   */
  resources?: { [id: `${string}/${string}`]: null; [name: string]: Resource | null };
  /**
   * At least three.
   *
   * When it is missing: error. Specification 2.8.
   */
  tests: readonly AgentTest[];
  /**
   * Names of lists.
   *
   * Specification 2.8.
   */
  sharedLists?: readonly string[];
  /**
   * Most rounds with the model. Default 10.
   *
   * Specification 2.8.
   */
  maxRounds?: number;
  /**
   * Most tokens of one answer of the model. Default 4096.
   *
   * Specification 2.8.
   */
  maxTokens?: number;
  /**
   * JSON Schema of what callers of the agent pass.
   *
   * Specification 2.8.
   */
  inputSchema?: { type: 'object'; [keyword: string]: unknown };
  /**
   * Of its tools: `sha256:` and 64 hexadecimal digits.
   *
   * Specification 2.8.
   */
  hash?: `sha256:${string}`;
  /**
   * Names of the secrets that inline tools use.
   *
   * Specification 2.8.
   */
  requiredServerParams?: readonly string[];
}

/**
 * A tool of an agent's own.
 *
 * Specification 2.8.
 */
export interface AgentTool {
  /**
   * The HTTP method.
   *
   * When it is missing: error. Specification 2.8.
   */
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'HEAD';
  /**
   * Appended to `root`, or a whole URL. May hold placeholders.
   *
   * When it is missing: error. Specification 2.8.
   */
  path: `/${string}` | `https://${string}` | `http://${string}`;
  /**
   * What the tool returns and when to use it. Models choose by it.
   *
   * When it is missing: error. Specification 2.8.
   */
  description: string;
  /**
   * What goes into the request. Write `[]` when the tool takes nothing.
   *
   * When it is missing: error. Specification 2.8.
   */
  parameters: readonly Parameter[] | { [name: string]: ShorthandParameter; [index: number]: never };
  /**
   * What callers get.
   *
   * When it is missing: warning. Specification 2.8.
   */
  output?: Output;
  /**
   * At least three sets of arguments, for testing the tool live.
   *
   * When it is missing: warning. Specification 2.8.
   */
  tests?: readonly ToolTest[];
  /**
   * How long an answer stays good.
   *
   * Specification 2.8.
   */
  preload?: Preload;
  /**
   * Notes of your own. Accepted, not used.
   *
   * Specification 2.8.
   */
  meta?: unknown;
  /**
   * Accepted, not used yet.
   *
   * Specification 2.8.
   */
  annotations?: unknown;
  /**
   * Reserved; does nothing yet.
   *
   * Specification 2.8.
   */
  async?: unknown;
  /**
   * Base URL of the API. Without it the tool cannot be called, unless `path` is a whole URL.
   *
   * When it is missing: warning. Specification 2.8.
   */
  root?: string;
  /**
   * Headers of its requests.
   *
   * Specification 2.8.
   */
  headers?: { [header: string]: string | number | boolean };
}

/**
 * The file of a prompt or a skill of an agent.
 *
 * Specification 2.8.
 */
export interface AgentFile {
  /**
   * A path, relative to the folder of the manifest.
   *
   * When it is missing: error. Specification 2.8.
   */
  file: `${string}.mjs`;
}

/**
 * A question for an agent, and what it must do.
 *
 * Specification 2.8.
 */
export interface AgentTest {
  /**
   * What is tested.
   *
   * When it is missing: warning. Specification 2.8.
   */
  _description?: string;
  /**
   * What the agent is asked.
   *
   * When it is missing: error. Specification 2.8.
   */
  input: string;
  /**
   * The tools that it must call, no more and no less: ids, or names of inline tools.
   *
   * When it is missing: error. Specification 2.8.
   */
  expectedTools: readonly string[];
  /**
   * What its answer must contain: text, without regard to case, or a field of a structured answer.
   *
   * Specification 2.8.
   */
  expectedContent?: readonly (string | ContentCheck)[];
}

/**
 * A check of one field of a structured answer.
 *
 * Specification 2.8.
 */
export type ContentCheck = { field: string } & ({ contains: string } | { equals: unknown } | { type: string });

/**
 * What the caller passed, by the names of the inputs.
 *
 * Specification 2.5.
 */
export interface HookInputs {
  /**
   * Every parameter by its key, fixed ones too. Not in `params`.
   *
   * Can be read, but is not listed with the others. Specification 2.5.
   */
  _allParams?: { [key: string]: Untyped };
  [input: string]: Untyped;
}

/**
 * What `preRequest` and `preProcess` are given: the planned request.
 *
 * Specification 2.5.
 */
export interface PreRequestContext {
  /**
   * What the caller passed, checked, with defaults.
   *
   * Specification 2.5.
   */
  params: HookInputs;
  /**
   * The same.
   *
   * Specification 2.5.
   */
  userParams: HookInputs;
  /**
   * The name of the tool.
   *
   * Specification 2.5.
   */
  routeName: string;
  /**
   * The planned request.
   *
   * Specification 2.5.
   */
  struct: RequestStruct;
  /**
   * What the caller passed.
   *
   * Specification 2.5.
   */
  payload: HookInputs;
  /**
   * `pre`
   *
   * Specification 2.5.
   */
  phaseType: 'pre';
  /**
   * Stand-ins for the secrets. They become the real values when a request leaves.
   *
   * Can be read, but is not listed with the others. Specification 2.5.
   */
  serverParams: { [name: string]: string };
}

/**
 * What `executeRequest` is given: it makes the request itself.
 *
 * Specification 2.5.
 */
export interface ExecuteRequestContext {
  /**
   * What the caller passed, checked, with defaults.
   *
   * Specification 2.5.
   */
  params: HookInputs;
  /**
   * The same.
   *
   * Specification 2.5.
   */
  userParams: HookInputs;
  /**
   * The name of the tool.
   *
   * Specification 2.5.
   */
  routeName: string;
  /**
   * What is to come of the call.
   *
   * Specification 2.5.
   */
  struct: OutcomeStruct;
  /**
   * What the caller passed, and over it the planned request.
   *
   * Specification 2.5.
   */
  payload: ExecutePayload;
  /**
   * `execute`
   *
   * Specification 2.5.
   */
  phaseType: 'execute';
  /**
   * Stand-ins for the secrets. They become the real values when a request leaves.
   *
   * Can be read, but is not listed with the others. Specification 2.5.
   */
  serverParams: { [name: string]: string };
}

/**
 * What `postRequest` is given: the answer.
 *
 * Specification 2.5.
 */
export interface PostRequestContext {
  /**
   * What the caller passed, checked, with defaults.
   *
   * Specification 2.5.
   */
  params: HookInputs;
  /**
   * The same.
   *
   * Specification 2.5.
   */
  userParams: HookInputs;
  /**
   * The name of the tool.
   *
   * Specification 2.5.
   */
  routeName: string;
  /**
   * The answer: a value, or text.
   *
   * Specification 2.5.
   */
  response: Untyped;
  /**
   * The request that was sent, and what came of it.
   *
   * Specification 2.5.
   */
  struct: AnswerStruct;
  /**
   * What the caller passed.
   *
   * Specification 2.5.
   */
  payload: HookInputs;
  /**
   * `post`
   *
   * Specification 2.5.
   */
  phaseType: 'post';
}

/**
 * What `postProcess` is given: the answer, and its text.
 *
 * Specification 2.5.
 */
export interface PostProcessContext {
  /**
   * What the caller passed, checked, with defaults.
   *
   * Specification 2.5.
   */
  params: HookInputs;
  /**
   * The same.
   *
   * Specification 2.5.
   */
  userParams: HookInputs;
  /**
   * The name of the tool.
   *
   * Specification 2.5.
   */
  routeName: string;
  /**
   * The answer: a value, or text.
   *
   * Specification 2.5.
   */
  response: Untyped;
  /**
   * The request that was sent, and what came of it.
   *
   * Specification 2.5.
   */
  struct: AnswerStruct;
  /**
   * What the caller passed.
   *
   * Specification 2.5.
   */
  payload: HookInputs;
  /**
   * `post`
   *
   * Specification 2.5.
   */
  phaseType: 'post';
  /**
   * The answer as text; only in `postProcess`.
   *
   * Specification 2.5.
   */
  data: string;
}

/**
 * A request. What a hook writes into it, or returns in a `struct`, replaces what was planned.
 *
 * Specification 2.5.
 */
export interface RequestStruct {
  /**
   * The URL with its query.
   *
   * Specification 2.5.
   */
  url: string;
  /**
   * The HTTP method.
   *
   * Specification 2.5.
   */
  method: string;
  /**
   * The headers.
   *
   * Specification 2.5.
   */
  headers: { [name: string]: string };
  /**
   * The body, if there is one. `null` removes it.
   *
   * Specification 2.5.
   */
  body?: Untyped;
  /**
   * Written by a hook: replaces the query.
   *
   * Specification 2.5.
   */
  queryParams?: { [name: string]: Untyped };
  /**
   * Written by a hook: replaces the body, as text.
   *
   * Specification 2.5.
   */
  requestBody?: string;
  /**
   * Written by a hook: `false` fails the call before anything is sent.
   *
   * Specification 2.5.
   */
  status?: boolean;
  /**
   * Stand-ins for the secrets. They become the real values when a request leaves.
   *
   * Can be read, but is not listed with the others. Specification 2.5.
   */
  serverParams: { [name: string]: string };
  /**
   * Empty. What callers are told where the hook sets `status` to false.
   *
   * Can be read, but is not listed with the others. Specification 2.5.
   */
  messages: string[];
}

/**
 * What comes of a call, where a hook makes the request.
 *
 * Specification 2.5.
 */
export interface OutcomeStruct {
  /**
   * True. False fails the call.
   *
   * Specification 2.5.
   */
  status: boolean;
  /**
   * Empty. What callers are told when the call fails.
   *
   * Specification 2.5.
   */
  messages: string[];
  /**
   * Null. The answer goes here.
   *
   * Specification 2.5.
   */
  data: Untyped;
  /**
   * Null.
   *
   * Specification 2.5.
   */
  dataAsString: string | null;
}

/**
 * The planned request, beside what the caller passed. Where the names meet, the request wins.
 *
 * Specification 2.5.
 */
export interface ExecutePayload {
  /**
   * The URL with its query.
   *
   * Specification 2.5.
   */
  url: string;
  /**
   * The HTTP method.
   *
   * Specification 2.5.
   */
  method: string;
  /**
   * The headers.
   *
   * Specification 2.5.
   */
  headers: { [name: string]: string };
  /**
   * The body; null if there is none.
   *
   * Specification 2.5.
   */
  body?: Untyped;
  /**
   * What the caller passed.
   *
   * Specification 2.5.
   */
  userParams: HookInputs;
  /**
   * Stand-ins for the secrets. They become the real values when a request leaves.
   *
   * Specification 2.5.
   */
  serverParams: { [name: string]: string };
  /**
   * Every parameter by its key, fixed ones too.
   *
   * Can be read, but is not listed with the others. Specification 2.5.
   */
  _allParams?: { [key: string]: Untyped };
  [input: string]: Untyped;
}

/**
 * The request that was sent, and what came of it.
 *
 * Specification 2.5.
 */
export interface AnswerStruct {
  /**
   * The URL with its query.
   *
   * Specification 2.5.
   */
  url: string;
  /**
   * The HTTP method.
   *
   * Specification 2.5.
   */
  method: string;
  /**
   * The headers.
   *
   * Specification 2.5.
   */
  headers: { [name: string]: string };
  /**
   * The body, if there was one.
   *
   * Specification 2.5.
   */
  body?: Untyped;
  /**
   * True. False fails the call.
   *
   * Specification 2.5.
   */
  status: boolean;
  /**
   * Empty. What callers are told when the call fails.
   *
   * Specification 2.5.
   */
  messages: string[];
  /**
   * The answer.
   *
   * Specification 2.5.
   */
  data: Untyped;
  /**
   * Stand-ins for the secrets. They become the real values when a request leaves.
   *
   * Can be read, but is not listed with the others. Specification 2.5.
   */
  serverParams: { [name: string]: string };
}

/**
 * What `postRequest` of a query is given: its rows.
 *
 * Specification 2.5.
 */
export interface RowsContext {
  /**
   * The rows, as objects.
   *
   * Specification 2.5.
   */
  response: Untyped;
  /**
   * The query.
   *
   * Specification 2.5.
   */
  struct: { queryName: string; sql: string };
  /**
   * What the caller passed, checked, with defaults.
   *
   * Specification 2.5.
   */
  payload: HookInputs;
}
