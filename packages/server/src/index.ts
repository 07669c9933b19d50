export { type Authenticate, bearerToken } from './auth/bearer-token.ts';
export { type OAuthResource, type OAuthResourceOptions, oauthResource } from './auth/oauth-resource.ts';
export { type Groups, selectCatalog, type ToolSelection } from './catalog/select-catalog.ts';
export {
  type CallResult,
  type CatalogChange,
  createReloadableCatalog,
  createToolCatalog,
  type ReloadableCatalog,
  type ServedCallOptions,
  type ServedPrompt,
  type ServedResource,
  type ServedTool,
  type ToolCatalog,
} from './catalog/tool-catalog.ts';
export { ServerOptionsError } from './check-options.ts';
export { createCatalogServer, type ToolServer } from './create-catalog-server.ts';
export { createMcpServer, type McpServerOptions, type ServerInfo } from './create-mcp-server.ts';
export { type CreateServerOptions, createServer, type ServerSource } from './create-server.ts';
export { discoveryCatalog } from './discovery/discovery-catalog.ts';
export type { HttpHandlers, HttpOptions, NodeHandler } from './http/http-handlers.ts';
export { type HttpServer, ListenError, type ListenOptions } from './http/http-server.ts';
export type { RefusalRecord } from './http/respond.ts';
export type { Paths } from './option-rules.ts';
export type { CatalogParts, ServerOptions } from './shared-server.ts';
export type { StdioServer } from './stdio/connect-stdio.ts';
export type { CallRecord, ToolCallContext, ToolCaller } from './tool-calls.ts';
export type { UpstreamOptions, UpstreamRecord } from './upstream-options.ts';
