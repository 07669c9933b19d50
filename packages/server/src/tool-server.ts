import type { ReloadableCatalog } from './catalog/tool-catalog.ts';
import { requireOptions } from './check-options.ts';
import type { HttpHandlers, HttpOptions } from './http/http-handlers.ts';
import type { HttpServer, ListenOptions } from './http/http-server.ts';
import { httpRules, listenRules } from './option-rules.ts';
import { type CatalogParts, createSharedServer, type ServerOptions } from './shared-server.ts';
import type { StdioServer } from './stdio/connect-stdio.ts';

/** An MCP server. Its transports share the catalog, the limits for APIs and the caches; each is closed on its own. */
export interface ToolServer {
  /** `replace` changes what is served. Clients over HTTP, and those of a reloadable catalog over stdio, are notified. */
  readonly catalog: ReloadableCatalog;
  /**
   * Listens for Streamable HTTP in every MCP revision, and for HTTP+SSE.
   *
   * @throws {@link ServerOptionsError} for invalid options, and `ListenError` if the address is taken, is not one of this machine, or
   * is reachable from other machines without `auth` or `isOpen`.
   */
  http(options?: ListenOptions): Promise<HttpServer>;
  /**
   * Serves standard input and output, in every MCP revision. The process ends when the input has closed and every request is answered.
   *
   * @example
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
   * const { schemas } = await loadSchemas({ paths: ['tides.mjs'] });
   * const { fetch, close } = createServer(schemas).middleware(); // `handle` in Express: app.use(handle)
   * console.log((await fetch(new Request('http://localhost/readyz'))).status); // 200
   * await close();
   */
  middleware(options?: HttpOptions): HttpHandlers;
}

/** @param serverOptions Valid options. */
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
