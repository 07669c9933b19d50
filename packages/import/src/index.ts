export { introspectionRequests } from './graphql/read-schema.ts';
export type { PreviousTool } from './group/match-previous.ts';
export { importApi } from './import-api.ts';
export type { Omission } from './import-codes.ts';
export { importCurl } from './import-curl.ts';
export { importGraphql } from './import-graphql.ts';
export { importHar } from './import-har.ts';
export { type ImportOptions, type ImportResult, importOpenApi } from './import-openapi.ts';
export { importPostman } from './import-postman.ts';
export { type Bundle, type BundleOptions, bundleReferences, type UnreadDocument } from './read/bundle-references.ts';
export type { Change } from './update/compare-shapes.ts';
export type { ToolChange } from './update/compare-tools.ts';
export { type ImportRecord, type ImportSource, readImportRecord, writeImportRecord } from './update/import-record.ts';
export type { Preference } from './update/merge-regions.ts';
export {
  type KeptEdit,
  type UpdateConflict,
  type UpdateOptions,
  type UpdateResult,
  updateImport,
} from './update/update-import.ts';
export type { ImportedTool } from './write/write-group.ts';
