export {
  type AnswerCache,
  type CacheUse,
  createDiskCache,
  createMemoryCache,
  type DiskCacheOptions,
  type MemoryCacheOptions,
} from './call/answer-cache.ts';
export type { FetchOptions, FetchResult } from './call/fetch-tool.ts';
export {
  type CallPreview,
  type PlannedRequest,
  type PreviewOptions,
  previewCall,
} from './call/preview-call.ts';
export { type Migration, migrateSource } from './load/legacy/migrate-source.ts';
export { type LoadAgentOptions, type LoadedAgent, loadAgent } from './load/load-agent.ts';
export type { LoadedSchema } from './load/load-schema.ts';
export {
  findSchemaFiles,
  type LoadedSchemas,
  type LoadSchemasOptions,
  loadSchemas,
  type SchemaFile,
} from './load/load-schemas.ts';
export { type WrittenOutputs, writeOutputs } from './load/outputs/write-outputs.ts';
export type { LoadSchemaOptions } from './load/parse-load-options.ts';
export { type Rule, ruleOf } from './load/rule-of.ts';
export { checkLock, type LockCheck, missingFiles } from './lock/check-lock.ts';
export { type FileLockResult, updateFile, withFileLock } from './lock/file-lock.ts';
export type { Grants } from './lock/grants.ts';
export { type LockGrants, mergeGrants } from './lock/grants.ts';
export type { Lock, LockEntry } from './lock/lock-file.ts';
export { type LockFileResult, readLock } from './lock/lock-file.ts';
export { findLockFile, lockFileName, trustCommand } from './lock/lock-paths.ts';
export type { SchemaPin, SchemaSummary } from './lock/schema-pin.ts';
export { type RevokedTrust, revokeTrust, type TrustedSchema, trustSchemas } from './lock/trust.ts';
export type { ActivateOptions, ActivateResult, PreparedResult, PreparedTool } from './mcp/activate-tools.ts';
export { exposeSchemaPrompts, exposeSchemas, missingSecrets, schemaProblems } from './mcp/expose-schemas.ts';
export type { ExposedTool, ToolAnnotations, ToolListing } from './mcp/mcp-tools.ts';
export type { ExposedPrompt, PromptListing, PromptMessage, PromptResult } from './mcp/prompts.ts';
export { isAt as isResourceAt } from './mcp/resource-uri.ts';
export { checkSelect, type Selection, selectData } from './mcp/select-data.ts';
export type { ToolResult } from './mcp/tool-result.ts';
export type { Finding, Severity } from './schema/finding.ts';
export type {
  AgentManifest,
  AgentTest,
  ContentCheck,
  DatabaseResource,
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
export { createJsonSchemaChecker, type JsonSchemaChecker } from './schema/json-schema/check-json-schema.ts';
export type { SchemaFit } from './schema/json-schema/evaluation.ts';
export { nearestWord } from './schema/nearest-word.ts';
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
