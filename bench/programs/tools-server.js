// An MCP server with as many tools as its argument says, on loopback; prints its address. The tools answer at once.
// GET /spent tells how many requests it got since then, and how long it took for them in all.
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

const inputSchema = {
  type: 'object',
  properties: { city: { type: 'string', minLength: 2 }, days: { type: 'integer', minimum: 1, maximum: 14 } },
  required: ['city', 'days'],
};
const tools = Array.from({ length: Number(process.argv[2]) }, (_, index) => ({
  name: `forecast${index}`,
  description: `The weather of the next days in a city, by model ${index}. `.repeat(4),
  inputSchema,
}));

const handler = getRequestListener(
  createMcpHandler(() => {
    const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools }));
    server.setRequestHandler('tools/call', () => ({ content: [{ type: 'text', text: 'sunny' }] }));
    return server;
  }).fetch,
);
let spent = { requests: 0, ms: 0 };
const server = createServer((request, response) => {
  if (request.url === '/spent') {
    response.end(JSON.stringify(spent));
    spent = { requests: 0, ms: 0 };
    return;
  }
  const begin = performance.now();
  spent.requests++;
  response.on('close', () => {
    spent.ms += performance.now() - begin;
  });
  handler(request, response);
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`));
