import { exposeSchemaPrompts, exposeSchemas } from '@schemakit/core';
import { createHttpServer, type HttpServer, type HttpServerOptions } from './create-http-server.ts';

export interface CreateServerOptions
  extends Omit<HttpServerOptions, 'tools' | 'prompts' | 'offer' | 'name' | 'version'> {
  /** Values of the server parameters by name. */
  serverParams?: Readonly<Record<string, string>>;
  /** Default `schemakit`. */
  name?: string;
  /** Default `1.0.0`. */
  version?: string;
}

/**
 * An MCP server over HTTP for loaded schemas. Those that did not load are left out.
 *
 * @example
 * const { schemas } = await loadSchemas({ paths: ['./schemas'] });
 * const server = createServer(schemas, { serverParams: process.env });
 * const { url } = await server.listen({ port: 3000 });
 */
export function createServer(
  schemas: unknown,
  { serverParams = {}, name = 'schemakit', version = '1.0.0', ...options }: CreateServerOptions = {},
): HttpServer {
  const all = [schemas].flat();
  const tools = exposeSchemas(all, { serverParams });
  return createHttpServer({ tools, prompts: exposeSchemaPrompts(all), name, version, ...options });
}
