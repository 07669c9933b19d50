export { createMcpServer, createOffer, type Offer, type ServerInfo } from './create-mcp-server.ts';
export { type ServeStdioOptions, serveStdio } from './serve-stdio.ts';
