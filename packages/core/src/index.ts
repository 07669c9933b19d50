export type { FetchOptions, FetchResult } from './call/fetch-tool.ts';
export type { ActivateOptions, ActivateResult, PreparedResult, PreparedTool } from './expose/activate-tools.ts';
export { exposeSchemas } from './expose/expose-schemas.ts';
export type { ExposedTool, ToolAnnotations, ToolListing } from './expose/exposed-tool.ts';
export type { ToolResult } from './expose/tool-result.ts';
export type { Finding, Severity } from './format/finding.ts';
export type { LoadedSchema, LoadSchemaOptions } from './load/load-schema.ts';
export type { Grants } from './load/schema-record.ts';
export { SchemaKit } from './schemakit.ts';
