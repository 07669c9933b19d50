// A peer: the SDK's first generation, with its high-level McpServer, as most servers are written today.
//
// Arguments: the file with the tools; the origin of the upstream; optionally the port to listen on.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { request } from 'undici';
import { z } from 'zod';

const [toolsFile, root, port] = process.argv.slice(2);
const table = JSON.parse(readFileSync(toolsFile, 'utf8'));

function createServer() {
  const server = new McpServer({ name: 'departures', version: '1.0.0' });
  for (const { name, title, description, annotations, path } of table) {
    const inputSchema = {
      q: z.string().min(1).max(80).describe('Part of the name'),
      sort: z.enum(['name', 'platforms', 'distance']).default('name'),
      limit: z.number().min(1).max(50).default(10),
    };
    server.registerTool(name, { title, description, inputSchema, annotations }, async (args, { signal }) => {
      const { statusCode, body } = await request(`${root}${path}?${new URLSearchParams(args)}`, { signal });
      const text = await body.text();
      return { content: [{ type: 'text', text }], isError: statusCode >= 400 };
    });
  }
  return server;
}

if (port === undefined) {
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  await createServer().connect(new StdioServerTransport());
} else {
  const { createServer: createHttpServer } = await import('node:http');
  const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
  const sessions = new Map();
  const handle = async (incoming, outgoing) => {
    const known = sessions.get(incoming.headers['mcp-session-id']);
    if (known) return known.handleRequest(incoming, outgoing);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await createServer().connect(transport);
    return transport.handleRequest(incoming, outgoing);
  };
  createHttpServer((incoming, outgoing) => void handle(incoming, outgoing)).listen(Number(port), '127.0.0.1');
}
