export {
  type AnswerCache,
  type CacheUse,
  createMemoryCache,
  type MemoryCacheOptions,
} from './call/cache/answer-cache.ts';
export { createDiskCache, type DiskCacheOptions } from './call/cache/disk-cache.ts';
export type { FetchOptions, FetchResult } from './call/fetch-tool.ts';
export {
  type CallPreview,
  type PlannedRequest,
  type PreviewOptions,
  previewCall,
} from './call/preview/preview-call.ts';
export type { ActivateOptions, ActivateResult, PreparedResult, PreparedTool } from './expose/activate-tools.ts';
export { exposeSchemaPrompts, exposeSchemas, missingSecrets, schemaProblems } from './expose/expose-schemas.ts';
export type { ExposedTool, ToolAnnotations, ToolListing } from './expose/exposed-tool.ts';
export type { ExposedPrompt, PromptListing, PromptMessage, PromptResult } from './expose/prompts.ts';
export { isAt as isResourceAt } from './expose/resource-uri.ts';
export { checkSelect, type Selection, selectData } from './expose/select/select-data.ts';
export type { ToolResult } from './expose/tool-result.ts';
export type { Finding, Severity } from './format/finding.ts';
export {
  type HashForms,
  type HashSubject,
  type HashVerification,
  hashForms,
  hashSchema,
  verifyHash,
} from './format/hash.ts';
export { nearestWord } from './format/nearest-word.ts';
export { checkOutput } from './format/output/check-output.ts';
export { type ParsedReference, parseReference } from './format/references/parse-reference.ts';
export {
  createToolResolver,
  resolveToolReference,
  type ToolResolution,
} from './format/references/resolve-tool-reference.ts';
export {
  type NamedTools,
  nameTools,
  type ToolNames,
  type ToolPlace,
  toolNames,
} from './format/references/tool-names.ts';
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
} from './format/schema/format-types.generated.ts';
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
} from './format/schema/handler-types.ts';
export { createJsonSchemaChecker, type JsonSchemaChecker } from './json-schema/check-json-schema.ts';
export type { SchemaFit } from './json-schema/evaluation.ts';
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
export { checkLock, type LockCheck, missingFiles } from './load/lock/check-lock.ts';
export { type Holding, holdFile, updateFile } from './load/lock/file-lock.ts';
export { type LockGrants, mergeGrants } from './load/lock/grants.ts';
export { type LockReading, readLock } from './load/lock/lock-file.ts';
export { findLockFile, lockFileName, trustCommand } from './load/lock/lock-paths.ts';
export type { Lock, LockEntry } from './load/lock/parse-lock.ts';
export type { SchemaPin, SeenSchema } from './load/lock/schema-pin.ts';
export { type RevokedTrust, revokeTrust, type TrustedSchema, trustSchemas } from './load/lock/trust.ts';
export { type WrittenOutputs, writeOutputs } from './load/outputs/write-outputs.ts';
export type { LoadSchemaOptions } from './load/read-load-options.ts';
export { type Rule, ruleOf } from './load/rule-of.ts';
export type { Grants } from './load/schema-record.ts';
export { SchemaKit } from './schemakit.ts';
