export { importApi } from './import-api.ts';
export type { Omission } from './import-codes.ts';
export { importCurl } from './import-curl.ts';
export { importHar } from './import-har.ts';
export { type ImportOptions, type ImportResult, importOpenApi } from './import-openapi.ts';
export { importPostman } from './import-postman.ts';
export { type Bundle, type BundleOptions, bundleReferences, type UnreadDocument } from './read/bundle-references.ts';
export type { ImportedTool } from './write/write-group.ts';
