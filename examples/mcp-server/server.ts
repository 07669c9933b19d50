// An MCP server of one's own over stdio: the tools of a schema beside a tool that is written by hand.
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { SchemaKit } from '@schemakit/core';
import { startWeatherApi } from './api.ts';

const WEATHER_KEY = process.env.WEATHER_KEY ?? '';
const api = await startWeatherApi({ key: WEATHER_KEY });
const schema = await SchemaKit.loadSchema({ filePath: join(import.meta.dirname, 'weather.mjs') });
if (!schema.status || schema.main === null) throw new Error(schema.messages.join('\n'));

// The file names port 4850; this program's API took any free one.
schema.main.root = api.url;
// When the client goes away, so does the API, and the process ends.
process.stdin.once('close', api.close);

serveStdio(() => {
  const server = new McpServer({ name: 'coast', version: '1.0.0' });
  server.registerTool('ping', { description: 'Answers with pong.' }, () => ({
    content: [{ type: 'text', text: 'pong' }],
  }));

  const { status, messages } = SchemaKit.activateServerTools({ server, schema, serverParams: { WEATHER_KEY } });
  if (!status) throw new Error(messages.join('\n'));
  return server;
});
