import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { hasTerminal, runAtTerminal } from './support/command.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { startUpstream } from './support/upstream.ts';

const harbours = { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } };
const tides = {
  openapi: '3.1.0',
  info: { title: 'Tides', version: '1' },
  servers: [{ url: '/' }],
  paths: {
    '/harbours': {
      get: {
        operationId: 'listHarbours',
        tags: ['harbours'],
        summary: 'List harbours.',
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
        responses: { 200: { content: { 'application/json': { schema: harbours } } } },
      },
    },
  },
};

test.runIf(hasTerminal)('new and call say at a terminal what docs/import.md shows', async () => {
  const { origin } = await startUpstream(({ path }) => {
    if (path === '/openapi.json') return { body: tides };
    return path === '/harbours' ? { body: [{ name: 'Brest' }] } : { status: 404 };
  });
  const cwd = await temporaryFolder({});
  const [, imported, called] =
    /\$ schemakit new http:\/\/127\.0\.0\.1:8123\n([\s\S]*?)\$ schemakit call .*\n([\s\S]*?)\$ /.exec(
      readFileSync('docs/import.md', 'utf8'),
    ) ?? [];
  const shown = async (...args: string[]) => {
    const { screen } = await runAtTerminal(args, '', { cwd });
    return stripVTControlCharacters(screen).replaceAll('\r', '');
  };
  expect(await shown('new', origin)).toBe(imported);
  expect(await shown('call', 'schemas/tides/harbours.mjs::tool::listHarbours', 'limit=1')).toBe(called);
});
