import { createServer } from '@schemakit/server';
import { assess } from '@schemakit/validator';
import { expect, onTestFinished, test } from 'vitest';

test('our own server has a card that is right, good tools, and grade A', async () => {
  const listing = {
    name: 'get_forecast',
    title: 'Forecast',
    description: 'Tells the weather of the next five days at a place.',
    inputSchema: { type: 'object', properties: { place: { type: 'string', description: 'Name of a town' } } },
    annotations: { title: 'Forecast', readOnlyHint: true, idempotentHint: true, openWorldHint: true },
  };
  const tool = { listing, aliases: [], namespace: 'x', tags: [], toolName: 'forecast', requiredServerParams: [] };
  const info = { name: 'garden', version: '2.1.0', description: 'Plants and their water.' };
  const server = await createServer({ tools: [{ ...tool, call: async () => ({ content: [] }) }] }, info).http({});
  onTestFinished(() => server.close());
  const result = await assess({ url: `http://127.0.0.1:${server.port}/mcp`, layers: ['mcp', 'apps'] });
  expect(result.messages).toEqual([]);
  expect(result.grade.letter).toBe('A');
  expect(result.layers.mcp).toMatchObject({
    categories: { hasServerCard: true },
    entries: {
      wire: { eras: { stateless: true, handshake: true }, foreignOrigin: 403, wrongVersion: 400 },
      serverCard: { version: '2.1.0', isInCatalog: true },
    },
  });
  expect(result.layers.apps.state).toBe('not-detected');
});
