// For the packages of this project. Not covered by semantic versioning: anything here may change in any release.

export { readListModule } from './load/lists/list-module.ts';
export { isOtherModule, type ModuleKind, moduleKind } from './load/module-kind.ts';
export { type WrittenOutputs, writeOutputs } from './load/outputs/write-outputs.ts';
export { type ResourceFile, resourceFiles } from './load/resource-files.ts';
export { type Rule, ruleOf } from './load/rule-of.ts';
export { type FileLockResult, updateFile, withFileLock } from './lock/file-lock.ts';
export { mergeGrants } from './lock/grants.ts';
export { lockPaths, trustCommand } from './lock/lock-paths.ts';
export { missingSecrets, schemaProblems } from './mcp/expose-schemas.ts';
export { isAt as isResourceAt } from './mcp/resource-uri.ts';
export { createJsonSchemaChecker, type JsonSchemaChecker } from './schema/json-schema/check-json-schema.ts';
export type { SchemaFit } from './schema/json-schema/evaluation.ts';
export { nearestWord } from './schema/nearest-word.ts';
