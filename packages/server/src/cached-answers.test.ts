import { once } from 'node:events';
import { createServer as createApi } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { createServer } from './create-server.ts';

/** The result for an answer of an API that is too long, and the resource at its address. */
async function readWhole(mimeType: string, body: string) {
  const api = createApi((_request, response) => response.writeHead(200, { 'Content-Type': mimeType }).end(body));
  api.listen(0, '127.0.0.1');
  await once(api, 'listening');
  const root = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const get = { method: 'GET', path: '/', description: 'A file.', parameters: [] };
  const main = { namespace: 'files', name: 'Files', description: 'Files.', version: '3.0.0', root, tools: { get } };
  const { url, close } = await createServer(main, { maxAnswerLength: 100 }).http();
  const client = new Client({ name: 'test', version: '1.0.0' });
  onTestFinished(async () => {
    await client.close();
    await close();
    api.closeAllConnections();
    api.close();
  });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)));
  const { content } = await client.callTool({ name: 'files__get', arguments: {} });
  const link = content.find((part) => part.type === 'resource_link');
  const { contents } = await client.readResource({ uri: link?.uri ?? '' });
  return { link, contents };
}

test('a text that is too long is linked with its media type', async () => {
  const body = 'harbour,tide\n'.repeat(20);
  const { link, contents } = await readWhole('text/csv; charset=utf-8', body);
  expect(link).toMatchObject({ mimeType: 'text/csv' });
  expect(contents).toMatchObject([{ mimeType: 'text/csv', text: body }]);
});

test('bytes that are too long are linked with their size', async () => {
  const { link } = await readWhole('application/pdf', 'x'.repeat(200));
  expect(link).toMatchObject({ mimeType: 'application/pdf', description: '200 bytes of application/pdf' });
});
