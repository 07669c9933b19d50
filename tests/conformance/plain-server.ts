import { join } from 'node:path';
import { loadSchemas } from '@schemakit/core';
import { createServer } from '@schemakit/server';
import { openTides } from '../../packages/server/src/fixtures/tides.ts';
import type { SuiteServer } from './fixture-server.ts';

/** A server that is made of schemas as users make theirs, with nothing of the suite in it: tools, documents, queries, prompts. */
export async function startPlainServer(): Promise<SuiteServer> {
  const tides = openTides();
  const suite = join(import.meta.dirname, 'fixtures', 'suite.mjs');
  const { schemas, status, messages } = await loadSchemas({ paths: [suite, tides.file] });
  if (!status) throw new Error(messages.join('\n'));
  const { url, close } = await createServer(schemas).http();
  return {
    url: `${url}/mcp`,
    async close() {
      await close();
      tides.remove();
    },
  };
}
