// For the packages of this project. Not covered by semantic versioning: anything here may change in any release.

export { createScrubber } from '@schemakit/http';
export { type CheckedModule, checkModule } from './load/check-module.ts';
export { locateLibrary } from './load/libraries.ts';
export { pinLibrary } from './load/library-pin.ts';
export { readListModule } from './load/lists/list-module.ts';
export { findListsDir } from './load/lists/shared-lists.ts';
export { readAgentManifest } from './load/load-agent.ts';
export { isOtherModule, type ModuleKind, moduleKind } from './load/module-kind.ts';
export { writeOutputs } from './load/outputs/write-outputs.ts';
export { type ToolFields, type WrittenTools, writeToolFields } from './load/outputs/write-tool-fields.ts';
export { type ResourceFile, resourceFiles } from './load/resource-files.ts';
export { type Rule, ruleOf } from './load/rule-of.ts';
export { parsedSchemaOf, tokenEndpointOf } from './load/schema-record.ts';
export { findEntry, grantedPath } from './lock/check-lock.ts';
export { type FileLockResult, updateFile, withFileLock } from './lock/file-lock.ts';
export { mergeGrants } from './lock/grants.ts';
export { lockFinding } from './lock/lock-codes.ts';
export { lockedFile, lockPaths, trustCommand } from './lock/lock-paths.ts';
export {
  keptGrants,
  lostSends,
  privateOrigins,
  type SecretRoute,
  secretRoutes,
  sendGrants,
} from './lock/secret-routes.ts';
export { missingSecrets, schemaProblems } from './mcp/expose-schemas.ts';
export { fitText } from './mcp/fit-data.ts';
export { isAt as isResourceAt } from './mcp/resource-uri.ts';
export { analyzeModule, type ModuleAnalysis } from './module/analyze-module.ts';
export { createBodyMask } from './sandbox/mask-response.ts';
export { messageOf } from './schema/finding.ts';
export { inputJsonSchema } from './schema/input/input-json-schema.ts';
export { isObject } from './schema/json.ts';
export { createJsonSchemaChecker, type JsonSchemaChecker } from './schema/json-schema/check-json-schema.ts';
export type { SchemaFit } from './schema/json-schema/evaluation.ts';
export { createReferences } from './schema/json-schema/references.ts';
export { mainOf } from './schema/main-of.ts';
export { nearestWord, suggestWord } from './schema/nearest-word.ts';
export { mergeOutput } from './schema/output/generate-output-schema.ts';
export { compilePattern } from './schema/pattern.ts';
export { promptTargets } from './schema/prompts/prompt-targets.ts';
export { ruleReport } from './schema/rule-report.ts';
export { parseExpectation } from './schema/rules/expectation.ts';
export type {
  Input,
  Placement,
  Schema as ParsedSchema,
  Tool as ParsedTool,
} from './schema/schema.ts';
export { splitPlaceholders, type Template } from './schema/template.ts';
