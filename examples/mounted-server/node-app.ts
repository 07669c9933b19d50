import { createServer, type Server } from 'node:http';
import type { HttpHandlers } from '@schemakit/server';

/** What is not for the server goes on to the function that comes last. */
export function nodeApp(mcp: HttpHandlers): Server {
  const app = createServer((request, response) => {
    void mcp.handle(request, response, () => response.end('My application'));
  });
  return app.listen(0, '127.0.0.1');
}
