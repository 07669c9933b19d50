export type { Omission } from './import-codes.ts';
export { importCurl } from './import-curl.ts';
export { type ImportOptions, type ImportResult, importOpenApi } from './import-openapi.ts';
export type { ImportedTool } from './write/write-group.ts';
