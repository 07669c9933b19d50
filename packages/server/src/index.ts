export { type Authenticate, bearerToken } from './auth/bearer-token.ts';
export { type OAuthResource, type OAuthResourceOptions, oauthResource } from './auth/oauth-resource.ts';
export { discoveryOffer } from './discovery/discovery-offer.ts';
export { createHttpServer, type HttpServer, type HttpServerOptions } from './http/create-http-server.ts';
export { type CreateServerOptions, createServer } from './http/create-server.ts';
export { ListenError, type Listening, type ListenOptions } from './http/listen.ts';
export type { NodeHandler } from './http/node-handler.ts';
export type { CallTool, ToolCallContext as CallContext } from './mcp/call-tool.ts';
export { createMcpServer, type McpServerOptions, type ServerInfo } from './mcp/create-mcp-server.ts';
export type { CallRecord, RefusalRecord } from './observe/call-log.ts';
export { createLiveOffer, type LiveOffer, type OfferChange } from './offer/live-offer.ts';
export {
  type CallResult,
  createOffer,
  type Offer,
  type ServedCallOptions,
  type ServedPrompt,
  type ServedResource,
  type ServedTool,
} from './offer/offer.ts';
export { type Groups, type Selection, selectOffer } from './offer/select-offer.ts';
export { ServerOptionsError } from './options/check-options.ts';
export type { Paths } from './options/option-rules.ts';
export type { ServingOptions } from './serving.ts';
export { type ServeStdioOptions, type StdioServer, serveStdio } from './stdio/serve-stdio.ts';
export type { UpstreamRecord, UpstreamSettings } from './upstream/upstream-settings.ts';
