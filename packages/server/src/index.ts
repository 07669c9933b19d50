export { type Authenticate, bearerToken } from './auth/bearer-token.ts';
export { type OAuthResource, type OAuthResourceOptions, oauthResource } from './auth/oauth-resource.ts';
export { createLiveOffer, type LiveOffer, type OfferChange } from './catalog/live-offer.ts';
export {
  type CallResult,
  createOffer,
  type Offer,
  type ServedCallOptions,
  type ServedPrompt,
  type ServedResource,
  type ServedTool,
} from './catalog/offer.ts';
export { type Groups, type Selection, selectOffer } from './catalog/select-offer.ts';
export { discoveryOffer } from './discovery/discovery-offer.ts';
export { createHttpServer, type HttpServer, type HttpServerOptions } from './http/create-http-server.ts';
export { type CreateServerOptions, createServer } from './http/create-server.ts';
export { ListenError, type Listening, type ListenOptions } from './http/listen.ts';
export type { NodeHandler } from './http/node-handler.ts';
export type { CallTool, ToolCallContext as CallContext } from './mcp/call-tool.ts';
export { createMcpServer, type McpServerOptions, type ServerInfo } from './mcp/create-mcp-server.ts';
export { ServerOptionsError } from './options/check-options.ts';
export type { Paths } from './options/option-rules.ts';
export type { ServingOptions } from './serving.ts';
export { type ServeStdioOptions, type StdioServer, serveStdio } from './stdio/serve-stdio.ts';
export type { CallRecord, RefusalRecord } from './telemetry/call-log.ts';
export type { UpstreamRecord, UpstreamSettings } from './upstream/upstream-settings.ts';
