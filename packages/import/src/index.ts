export type { Omission } from './import-codes.ts';
export { importCurl } from './import-curl.ts';
export { type ImportedTool, type ImportOptions, type ImportResult, importOpenApi } from './import-openapi.ts';
