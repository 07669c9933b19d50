export { findPublished } from './find-published.ts';
export type { FoundTools } from './find-tools.ts';
export type { IndexedFile, IndexedSchema, IndexedTool } from './indexed-tool.ts';
export { openToolIndex, type ToolIndex } from './open-tool-index.ts';
export type { OnProgress } from './read-schemas.ts';
export type { SearchHit, SearchResult } from './search-tools.ts';
