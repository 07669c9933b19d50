export { createMcpServer, createToolTable, type ServerInfo, type ToolTable } from './create-mcp-server.ts';
export { type ServeStdioOptions, serveStdio } from './serve-stdio.ts';
