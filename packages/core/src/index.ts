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
} from './format/author/data-types.ts';
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
} from './format/author/handler-types.ts';
export { checkOutput } from './format/check-output.ts';
export type { Finding, Severity } from './format/finding.ts';
export { type HashForms, type HashSubject, hashForms, hashSchema } from './format/hash-forms.ts';
export { type NamedTools, nameTools } from './format/name-tools.ts';
export { nearestWord } from './format/nearest-word.ts';
export { type ParsedReference, parseReference } from './format/parse-reference.ts';
export { createToolResolver, resolveToolReference, type ToolResolution } from './format/resolve-tool-reference.ts';
export { type ToolNames, type ToolPlace, toolNames } from './format/tool-names.ts';
export { type HashVerification, verifyHash } from './format/verify-hash.ts';
export { findSchemaFiles, type SchemaFile } from './load/find-schema-files.ts';
export { type Migration, migrateSource } from './load/legacy/migrate-source.ts';
export { type LoadAgentOptions, type LoadedAgent, loadAgent } from './load/load-agent.ts';
export type { LoadedSchema, LoadSchemaOptions } from './load/load-schema.ts';
export { type LoadedSchemas, type LoadSchemasOptions, loadSchemas } from './load/load-schemas.ts';
export { checkLock, type LockCheck } from './load/lock/check-lock.ts';
export { type Holding, holdFile, isRunning } from './load/lock/hold-file.ts';
export { type Lock, type LockEntry, type LockGrants, lockFileName } from './load/lock/lock.ts';
export { findLockFile } from './load/lock/lock-paths.ts';
export { mergeGrants } from './load/lock/merge-grants.ts';
export { missingFiles } from './load/lock/missing-files.ts';
export { type LockReading, readLock } from './load/lock/read-lock.ts';
export { type RevokedTrust, revokeTrust } from './load/lock/revoke-trust.ts';
export type { SchemaPin, SeenSchema } from './load/lock/schema-pin.ts';
export { trustCommand } from './load/lock/trust-command.ts';
export { type TrustedSchema, trustSchemas } from './load/lock/trust-schemas.ts';
export { updateFile } from './load/lock/update-file.ts';
export { type WrittenOutputs, writeOutputs } from './load/outputs/write-outputs.ts';
export { type Rule, ruleOf } from './load/rule-of.ts';
export type { Grants } from './load/schema-record.ts';
export { SchemaKit } from './schemakit.ts';
