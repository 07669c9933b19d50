// The floor: the server that somebody would write by hand for a table of tools, and a good one: the SDK's low-level server,
// second generation, one table for all connections, undici. Plain JavaScript, so that its start is not slowed by types.
//
// Arguments: the file with the tools; the origin of the upstream; optionally the port to listen on. Over HTTP, /mcp has sessions,
// and /stateless speaks the revision of 2026-07-28.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { request } from 'undici';

const [toolsFile, root, port] = process.argv.slice(2);
const table = JSON.parse(readFileSync(toolsFile, 'utf8'));
const tools = table.map(({ path, ...listing }) => listing);
const paths = new Map(table.map(({ name, path }) => [name, path]));

function createServer() {
  const server = new Server({ name: 'departures', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const path = paths.get(params.name);
    if (path === undefined) throw Object.assign(new Error(`Tool ${params.name} not found`), { code: -32602 });
    try {
      return { content: [{ type: 'text', text: await search(path, params.arguments ?? {}, mcpReq.signal) }] };
    } catch (error) {
      return { content: [{ type: 'text', text: error.message }], isError: true };
    }
  });
  return server;
}

async function search(path, { q, sort = 'name', limit = 10 }, signal) {
  if (typeof q !== 'string' || q === '') throw new Error('q must be a text');
  const url = `${root}${path}?${new URLSearchParams({ q, sort, limit })}`;
  const { statusCode, body } = await request(url, { signal });
  const text = await body.text();
  if (statusCode >= 400) throw new Error(`The API answered ${statusCode}: ${text.slice(0, 200)}`);
  return text;
}

if (port === undefined) {
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  serveStdio(createServer);
} else {
  const { createServer: createHttpServer } = await import('node:http');
  const { NodeStreamableHTTPServerTransport, toNodeHandler } = await import('@modelcontextprotocol/node');
  const stateless = toNodeHandler(createMcpHandler(createServer));
  const sessions = new Map();
  const handle = async (incoming, outgoing) => {
    if (incoming.url === '/stateless') return stateless(incoming, outgoing);
    const known = sessions.get(incoming.headers['mcp-session-id']);
    if (known) return known.handleRequest(incoming, outgoing);
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await createServer().connect(transport);
    return transport.handleRequest(incoming, outgoing);
  };
  createHttpServer((incoming, outgoing) => void handle(incoming, outgoing)).listen(Number(port), '127.0.0.1');
}
