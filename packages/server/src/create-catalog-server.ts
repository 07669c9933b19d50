// The door for programs that serve without loading `@schemakit/core`.
import type { ReloadableCatalog } from './catalog/tool-catalog.ts';
import { requireOptions } from './check-options.ts';
import { serverRules } from './option-rules.ts';
import type { CatalogParts, ServerOptions } from './shared-server.ts';
import { openServer, type ToolServer } from './tool-server.ts';

export { selectCatalog } from './catalog/select-catalog.ts';
export { createReloadableCatalog, createToolCatalog } from './catalog/tool-catalog.ts';

/**
 * Creates an MCP server from tools or a catalog, without loading `@schemakit/core`. Prefer `createServer`; this one is for programs
 * that load schemas only when a tool is called.
 *
 * @throws {@link ServerOptionsError} for invalid options.
 * @example
 * const catalog = createReloadableCatalog(createToolCatalog([]));
 * const { url, close } = await createCatalogServer(catalog, { name: 'tides' }).http();
 * console.log(`${url}/mcp`);
 * await close();
 */
export function createCatalogServer(source: CatalogParts | ReloadableCatalog, options: ServerOptions = {}): ToolServer {
  requireOptions('createCatalogServer', options, serverRules);
  return openServer(source, options);
}
