export {
  type AnswerCache,
  type CacheUse,
  createDiskCache,
  createMemoryCache,
  type DiskCacheOptions,
  type MemoryCacheOptions,
} from './call/answer-cache.ts';
export type { FetchOptions, FetchResult } from './call/fetch-tool.ts';
export { type CallPreview, type PlannedRequest, type PreviewOptions, previewCall } from './call/preview-call.ts';
export { type Migration, migrateSource } from './load/legacy/migrate-source.ts';
export type { LibraryPin } from './load/library-pin.ts';
export { type LoadAgentOptions, type LoadedAgent, loadAgent } from './load/load-agent.ts';
export type { LoadedSchema } from './load/load-schema.ts';
export {
  findSchemaFiles,
  type LoadedSchemas,
  type LoadSchemasOptions,
  loadSchemas,
  type SchemaFile,
} from './load/load-schemas.ts';
export type { LoadSchemaOptions } from './load/parse-load-options.ts';
export type { Grants } from './lock/grants.ts';
export type { ActivateOptions, ActivateResult, PreparedResult, PreparedTool } from './mcp/activate-tools.ts';
export { exposeSchemaPrompts, exposeSchemas } from './mcp/expose-schemas.ts';
export type { ExposedTool, ToolAnnotations, ToolListing } from './mcp/mcp-tools.ts';
export type { ExposedPrompt, PromptListing, PromptMessage, PromptResult } from './mcp/prompts.ts';
export { checkSelect, type Selection, selectData } from './mcp/select-data.ts';
export type { McpSkill } from './mcp/skill-files.ts';
export type { ToolResult } from './mcp/tool-result.ts';
export type { Finding, Severity } from './schema/finding.ts';
export type {
  AgentManifest,
  AgentTest,
  Annotations,
  ContentCheck,
  DatabaseResource,
  Idempotency,
  ListFilter,
  MarkdownResource,
  Output,
  OutputNode,
  Parameter,
  Position,
  Preload,
  Prompt,
  PromptReference,
  Query,
  QueryParameter,
  Resource,
  SchemaMain,
  SharedList,
  SharedListReference,
  Skill,
  SkillReference,
  Tool,
  ToolTest,
  WebResource,
  ZBlock,
  ZOption,
  ZPrimitive,
} from './schema/format/format-types.generated.ts';
export type {
  ExecuteRequest,
  Handlers,
  HandlersFactory,
  PostProcess,
  PostRequest,
  PreProcess,
  PreRequest,
  ResourceHandlers,
  ToolHandlers,
} from './schema/format/handler-types.ts';
export {
  type HashForms,
  type HashSubject,
  type HashVerification,
  hashForms,
  hashSchema,
  verifyHash,
} from './schema/hash.ts';
export { checkOutput } from './schema/output/check-output.ts';
export { type ParsedReference, parseReference } from './schema/references/parse-reference.ts';
export {
  createToolResolver,
  resolveToolReference,
  type ToolResolution,
} from './schema/references/resolve-tool-reference.ts';
export {
  type NamedTools,
  nameTools,
  type ToolNames,
  type ToolPlace,
  toolNames,
} from './schema/references/tool-names.ts';
export { SchemaKit } from './schemakit.ts';
