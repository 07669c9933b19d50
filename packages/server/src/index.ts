export type { ServedApp } from './apps/served-app.ts';
export type { Authenticate } from './auth/bearer-token.ts';
export { type OAuthResource, type OAuthResourceOptions, oauthResource } from './auth/oauth-resource.ts';
export type { Groups, ToolSelection } from './catalog/select-catalog.ts';
export {
  type CallResult,
  type ClientContext,
  createReloadableCatalog,
  createToolCatalog,
  type ReloadableCatalog,
  type ServedCallOptions,
  type ServedPrompt,
  type ServedResource,
  type ServedSkill,
  type ServedTool,
  type ToolCatalog,
} from './catalog/tool-catalog.ts';
export { ServerOptionsError } from './check-options.ts';
export type { ConfirmWrites } from './confirm-writes.ts';
export { createMcpServer, type McpServerOptions, type ServerInfo } from './create-mcp-server.ts';
export { type CreateServerOptions, createServer, type ServerSource } from './create-server.ts';
export type { HttpHandlers, HttpOptions, NodeHandler, RefusalRecord, Route } from './http/http-handlers.ts';
export { type HttpServer, ListenError, type ListenOptions } from './http/http-server.ts';
export type { Paths } from './option-rules.ts';
export type { CatalogParts, ServerOptions } from './shared-server.ts';
export type { StdioServer } from './stdio/connect-stdio.ts';
export { storeTasks } from './tasks/store-tasks.ts';
export { subjectOwner } from './tasks/task-calls.ts';
export type {
  StartOptions,
  TaskChange,
  TaskOwner,
  TaskProvider,
  TaskState,
  TaskStatus,
} from './tasks/task-provider.ts';
export { InMemoryTaskStore, type Task, type TaskStore } from './tasks/task-store.ts';
export type { CallRecord, ToolCallContext, ToolCaller } from './tool-calls.ts';
export type { ToolServer } from './tool-server.ts';
export type { UpstreamOptions, UpstreamRecord } from './upstream-options.ts';
