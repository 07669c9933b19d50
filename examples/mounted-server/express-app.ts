import type { Server } from 'node:http';
import type { HttpHandlers } from '@schemakit/server';
import express from 'express';

/** The server answers its own paths and leaves all others to the application. `express.json()` may come before it. */
export function expressApp(mcp: HttpHandlers): Server {
  const app = express();
  app.use(express.json());
  app.use(mcp.handle);
  app.get('/', (_request, response) => void response.send('My application'));
  return app.listen(0, '127.0.0.1');
}
