import { join } from 'node:path';
import { loadSchemas } from '@schemakit/core';
import { createServer, type ToolServer } from '@schemakit/server';
import { onTestFinished } from 'vitest';
import { mainWith, moduleText, parameter } from '../../e2e/support/schema-module.ts';
import { temporaryFolder } from '../../e2e/support/temporary-folder.ts';
import { startUpstream } from '../../e2e/support/upstream.ts';

/** A schema with one tool, whose API is on loopback, and a server of it. All end with the test. */
export interface Shop {
  file: string;
  /** Not listening yet. */
  server: ToolServer;
}

/** The tool, a call of it, and what that answers. */
export const thing = {
  name: 'shop__getThing',
  arguments: { name: 'lamp' },
  text: '{"name":"lamp","price":12}',
} as const;

export async function openShop(): Promise<Shop> {
  const api = await startUpstream(({ query }) => ({ body: { name: query.name, price: 12 } }));
  const getThing = {
    method: 'GET',
    path: '/thing',
    description: 'Get one thing.',
    parameters: [parameter('name', 'query')],
  };
  const folder = await temporaryFolder({
    'shop.mjs': moduleText(mainWith({ root: api.origin, tools: { getThing } })),
  });
  const file = join(folder, 'shop.mjs');
  const { schemas, status, messages } = await loadSchemas({ paths: [file] });
  if (!status) throw new Error(messages.join('\n'));
  return { file, server: createServer(schemas) };
}

/** The same over HTTP, at its address. */
export async function listeningShop(): Promise<string> {
  const { server } = await openShop();
  const { url, close } = await server.http();
  onTestFinished(() => close());
  return url;
}
