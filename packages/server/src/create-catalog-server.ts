import type { ReloadableCatalog } from './catalog/tool-catalog.ts';
import { requireOptions } from './check-options.ts';
import type { HttpHandlers, HttpOptions } from './http/http-handlers.ts';
import type { HttpServer, ListenOptions } from './http/http-server.ts';
import { httpRules, listenRules, serverRules } from './option-rules.ts';
import { type CatalogParts, createSharedServer, type ServerOptions } from './shared-server.ts';
import type { StdioServer } from './stdio/connect-stdio.ts';

export { type Groups, selectCatalog, type ToolSelection } from './catalog/select-catalog.ts';
export {
  type CatalogChange,
  createReloadableCatalog,
  createToolCatalog,
  type ReloadableCatalog,
  type ToolCatalog,
} from './catalog/tool-catalog.ts';
export { ServerOptionsError } from './check-options.ts';

/** An MCP server. Its transports share the catalog, the limits for APIs and the caches; each is closed on its own. */
export interface ToolServer {
  /** `replace` changes what is served. Clients over HTTP, and those of a reloadable catalog over stdio, are notified. */
  readonly catalog: ReloadableCatalog;
  /**
   * Listens for Streamable HTTP in every MCP revision, and for HTTP+SSE.
   *
   * @throws {@link ServerOptionsError} for invalid options, and `ListenError` if the address is taken, is not one of this machine, or
   * is reachable from other machines without `auth` or `isOpen`.
   * @example
   * import { loadSchemas } from '@schemakit/core';
   * import { createServer } from '@schemakit/server';
   *
   * const { schemas } = await loadSchemas({ paths: ['tides.mjs'] });
   * const { url, close } = await createServer(schemas).http({ port: 0, auth: 'a-token' });
   * console.log(`${url}/mcp`);
   * await close();
   */
  http(options?: ListenOptions): Promise<HttpServer>;
  /**
   * Serves standard input and output, in every MCP revision. The process ends when the input has closed and every request is answered.
   *
   * @example
   * import { loadSchemas } from '@schemakit/core';
   * import { createServer } from '@schemakit/server';
   *
   * const { schemas } = await loadSchemas({ paths: ['tides.mjs'] });
   * // Log to stderr: stdout carries the protocol.
   * await createServer(schemas, { onError: ({ message }) => console.error(message) }).stdio();
   */
  stdio(): Promise<StdioServer>;
  /**
   * Handlers to mount in an application, without a prefix: other paths are set with `paths`.
   *
   * @throws {@link ServerOptionsError} for invalid options.
   * @example
   * import { createServer as createNodeServer } from 'node:http';
   * import { loadSchemas } from '@schemakit/core';
   * import { createServer } from '@schemakit/server';
   *
   * const { schemas } = await loadSchemas({ paths: ['tides.mjs'] });
   * const { handle, close } = createServer(schemas).middleware();
   * const app = createNodeServer((request, response) => handle(request, response, () => response.end('My page')));
   * app.listen(0, '127.0.0.1', async () => {
   *   await close();
   *   app.close();
   * });
   */
  middleware(options?: HttpOptions): HttpHandlers;
}

/**
 * Creates an MCP server from tools or a catalog, without loading `@schemakit/core`. Prefer `createServer`; this one is for programs
 * that load schemas only when a tool is called.
 *
 * @throws {@link ServerOptionsError} for invalid options.
 * @example
 * import { createCatalogServer, createReloadableCatalog, createToolCatalog } from '@schemakit/server/catalog';
 *
 * const catalog = createReloadableCatalog(createToolCatalog([]));
 * const { url, close } = await createCatalogServer(catalog, { name: 'tides' }).http();
 * console.log(`${url}/mcp`);
 * await close();
 */
export function createCatalogServer(source: CatalogParts | ReloadableCatalog, options: ServerOptions = {}): ToolServer {
  requireOptions('createCatalogServer', options, serverRules);
  return openServer(source, options);
}

/** Options are valid. */
export function openServer(source: CatalogParts | ReloadableCatalog, serverOptions: ServerOptions): ToolServer {
  const shared = createSharedServer(source, serverOptions);
  return {
    catalog: shared.catalog,
    async http(options = {}) {
      requireOptions('http', options, listenRules);
      const { openHttpServer } = await import('./http/http-server.ts');
      return openHttpServer(shared, options);
    },
    async stdio() {
      const { connectStdio } = await import('./stdio/connect-stdio.ts');
      return connectStdio(shared);
    },
    middleware(options = {}) {
      requireOptions('middleware', options, httpRules);
      const loading = import('./http/http-handlers.ts').then(({ createHttpHandlers }) =>
        createHttpHandlers(shared, options),
      );
      return {
        handle: async (...args) => (await loading).handle(...args),
        fetch: async (...args) => (await loading).fetch(...args),
        close: async (...args) => (await loading).close(...args),
      };
    },
  };
}
