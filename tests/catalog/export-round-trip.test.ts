import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validate } from '@scalar/openapi-parser';
import { findSchemaFiles, type LoadedSchema, SchemaKit } from '@schemakit/core';
import { isObject } from '@schemakit/core/internal';
import { importOpenApi } from '@schemakit/import';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportedSchema } from '../../packages/cli/src/exports/fixtures/exported-schema.ts';
import { openApiDocument } from '../../packages/cli/src/exports/openapi-document.ts';
import { type ParsedRequest, startParsingApi } from '../../packages/core/src/call/fixtures/parsing-api.ts';
import { startIssuer } from '../../packages/core/src/call/fixtures/token-issuer.ts';
import { moduleText } from '../e2e/support/schema-module.ts';
import { argumentsOf } from './additions/arguments-of.ts';
import { keyedCases } from './additions/keyed-cases.ts';
import { loginCases } from './additions/login-cases.ts';
import { secrets } from './additions/observe.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'schemakit-export-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const catalog = (await findSchemaFiles(['catalog'])).filter(({ file }) => !file.includes('agents'));
const additions = [...keyedCases, ...loginCases].map(({ main }) => main);

/** What the importer calls the secrets of the schemas. */
const importedSecrets: Readonly<Record<string, string>> = {
  TOKEN: secrets.TOKEN,
  API_KEY: secrets.KEY,
  USERNAME: secrets.LOGIN,
  PASSWORD: secrets.PASSWORD,
  CLIENT_ID: secrets.CLIENT_ID,
  CLIENT_SECRET: secrets.CLIENT_SECRET,
};

interface RoundTrip {
  omitted: (tool: string, code: string) => string[];
  /** The requests of a tool, and of the same tool after the round trip. */
  send(tool: string, args: Record<string, unknown>): Promise<{ before: unknown; after: unknown; refused: boolean }>;
  tools: string[];
  lost: string[];
}

/** Exports a schema whose root is a server of this test, and imports the document again. */
async function roundTrip(schema: LoadedSchema, requests: ParsedRequest[]): Promise<RoundTrip> {
  const main = schema.main as unknown as Record<string, unknown> & {
    namespace: string;
    requiredServerParams: string[];
  };
  const { document, omissions } = openApiDocument([exportedSchema(schema)], { title: 'Test', version: '1.0.0' });
  expect(await validate(document)).toMatchObject({ valid: true });
  const imported = importOpenApi(structuredClone(document), { namespace: main.namespace, limit: 99 });
  const found = new Map<string, LoadedSchema>();
  for (const [path, text] of Object.entries(imported.files)) {
    if (!path.endsWith('.mjs')) continue;
    const filePath = join(folder, `${main.namespace}-${path}`);
    writeFileSync(filePath, text);
    const loaded = await SchemaKit.loadSchema({ filePath });
    expect(loaded.status).toBe(true);
    for (const name of Object.keys(Object(loaded.main?.tools))) found.set(name, loaded);
  }
  const own = Object.fromEntries(
    main.requiredServerParams.map((name) => [name, Object(secrets)[name] ?? secrets.TOKEN]),
  );
  const tools = Object.keys(Object(main.tools));
  return {
    tools: tools.filter((name) => found.has(name)),
    lost: tools.filter((name) => !found.has(name)),
    omitted: (tool, code) =>
      [...omissions, ...imported.omissions].flatMap((each) =>
        each.code === code && (!('tool' in each) || each.tool.endsWith(`__${tool}`)) ? each.message : [],
      ),
    async send(tool, userParams) {
      const options = { routeName: tool, idempotencyKey: 'call-17' };
      requests.length = 0;
      const { findings } = await SchemaKit.fetch({ ...schema, ...options, userParams, serverParams: own });
      const before = shown(requests[0]);
      const other = found.get(tool) as LoadedSchema;
      requests.length = 0;
      const needed = Object(other.main).requiredServerParams as string[];
      const serverParams = Object.fromEntries(
        needed.map((name) => [
          name,
          Object.entries(importedSecrets).find(([end]) => name.endsWith(end))?.[1] ?? 'fake',
        ]),
      );
      const given = importedArguments(other, tool, userParams);
      const result = await SchemaKit.fetch({ ...other, ...options, userParams: given, serverParams });
      const after = requests.length === 0 ? result.messages : shown(requests[0]);
      return { before, after, refused: before === undefined && findings.some(({ code }) => code.startsWith('INP')) };
    },
  };
}

/** What makes up a request. The types that are accepted are those of the responses in OpenAPI; parts have random boundaries. */
function shown(request: ParsedRequest | undefined): unknown {
  if (request === undefined) return undefined;
  const { method, url, headers, body } = request;
  const kept = Object.entries(headers).filter(
    ([name]) => !/^(accept|host|connection|content-length|accept-.*|sec-.*|user-agent)$/.test(name),
  );
  // A type without a body says nothing.
  const isEmpty = body === '' || (JSON.stringify(body) === '{}' && method === 'GET');
  if (isEmpty)
    return { method, url: readUrl(url), headers: Object.fromEntries(kept.filter(([name]) => name !== 'content-type')) };
  const named = kept.map(([name, value]) => [name, value.replace(/boundary=.*/, 'boundary=…')]);
  return { method, url: readUrl(url), headers: Object.fromEntries(named), body };
}

/**
 * The bytes of the path and of the parts of the query, of which credentials stand elsewhere. Only commas of a list without a style, which
 * OpenAPI cannot say, are encoded in other places before and after.
 */
function readUrl(url: string): unknown {
  const [path = '', query = ''] = url.split('?');
  return [path.replaceAll('%2C', ','), ...query.replaceAll('%2C', ',').split('&').sort()];
}

/** A body that is an object is a parameter for each member after the import. */
function importedArguments(
  { main }: LoadedSchema,
  tool: string,
  args: Record<string, unknown>,
): Record<string, unknown> {
  const { parameters } = Object(main).tools[tool] as {
    parameters: { position: Record<string, unknown> }[];
  };
  const keys = new Set(parameters.map(({ position }) => String(position.key)));
  const given = Object.entries(args).flatMap(([name, value]): [string, unknown][] => {
    if (keys.has(name)) return [[name, value]];
    const inPath = `path${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    if (keys.has(inPath)) return [[inPath, value]];
    return keys.has('body') ? [['body', value]] : isObject(value) ? Object.entries(value) : [[name, value]];
  });
  return Object.fromEntries(given);
}

/** Tools whose requests differ after the round trip, with the codes of the omissions that say why. */
const differing: Readonly<Record<string, string>> = {
  'etcd.getKey': 'EXP020',
  'etcd.listKeys': 'EXP020',
  'etcd.deleteKey': 'EXP020',
  'etcd.putKey': 'EXP020',
  'metno.getForecast': 'EXP020 EXP023',
  'npm.getPackage': 'EXP020',
  'osv.queryPackage': 'EXP020',
  'wikidata.getItem': 'EXP023',
  'wikidata.getStatements': 'EXP023',
  'wikipedia.searchPages': 'EXP023',
  'wikipedia.getSummary': 'EXP020 EXP023',
  'payments.addDispute': 'EXP026',
  'contacts.listContacts': 'EXP023',
  'contacts.listVisits': 'EXP023',
  'contacts.findContacts': 'EXP023',
  'contacts.mergeContacts': 'EXP023',
};

const differences = ['EXP020', 'EXP023', 'EXP024', 'EXP026'];

async function expectSame(schema: LoadedSchema, requests: ParsedRequest[]): Promise<void> {
  const trip = await roundTrip(schema, requests);
  const codes = (tool: string) =>
    differences.filter((code) => trip.omitted(tool, code).some((message) => !message.endsWith('changes the answer')));
  for (const tool of trip.lost) expect([tool, trip.omitted(tool, 'EXP010')]).toEqual([tool, [expect.any(String)]]);
  for (const tool of trip.tools) {
    const found = codes(tool).join(' ');
    expect([tool, found]).toEqual([tool, differing[`${schema.main?.namespace}.${tool}`] ?? '']);
    if (found !== '') continue;
    await fc.assert(
      fc.asyncProperty(argumentsOf(schema, tool), async (args) => {
        const { before, after, refused } = await trip.send(tool, args);
        if (!refused) expect({ tool, after }).toEqual({ tool, after: before });
      }),
      { numRuns: 15 },
    );
  }
}

describe('a schema that is exported and imported sends the same requests', () => {
  test.each(catalog.map(({ file }) => [file.replace(/.*catalog\//, ''), file]))('%s', async (_, filePath) => {
    const { origin, requests } = await startParsingApi(() => ({ body: {} }));
    const { main } = await SchemaKit.loadSchema({ filePath });
    const roots = { [String(main?.namespace)]: `${origin}/base` };
    const schema = await SchemaKit.loadSchema({ filePath, roots });
    await expectSame(schema, requests);
  });

  test.each(additions.map((main) => [main.namespace as string, main]))('%s', async (name, main) => {
    const { origin, requests } = await startParsingApi(() => ({ body: {} }));
    const auth = main.auth as { type?: string } | undefined;
    const { tokenUrl } = auth?.type === 'oauth2' ? await startIssuer() : {};
    const filePath = join(folder, `${name}.mjs`);
    // OpenAPI cannot say how requests are signed (EXP022).
    const { signature: _, ...rest } = main;
    writeFileSync(filePath, moduleText({ ...rest, root: origin, ...(tokenUrl && { auth: { ...auth, tokenUrl } }) }));
    await expectSame(await SchemaKit.loadSchema({ filePath }), requests);
  });
});
