// A client that starts the server beside it, as an AI application does, and calls its tools.
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const client = new Client({ name: 'example', version: '1.0.0' });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [join(import.meta.dirname, 'server.ts')],
    env: { WEATHER_KEY: 'a-key-for-the-example' },
  }),
);

const { tools } = await client.listTools();
console.log(tools.map(({ name }) => name));

const weather = await client.callTool({ name: 'weather__getTemperature', arguments: { place: 'Dover' } });
console.log(weather.structuredContent);

const refused = await client.callTool({ name: 'weather__getTemperature', arguments: { place: 'X' } });
console.log(refused.isError, refused.content);

await client.close();
