import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exposeSchemas, SchemaKit } from '@schemakit/core';
import { OpenAPIBackend } from 'openapi-backend';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { sampleArguments } from './fixtures/sample-arguments.ts';
import { importOpenApi } from './import-openapi.ts';

const folder = mkdtempSync(join(tmpdir(), 'import-'));
afterAll(() => rmSync(folder, { recursive: true }));

const packages = join(import.meta.dirname, '../../../node_modules');

/** A server that checks each request against a document, by another program than ours. */
async function startMock(
  document: Record<string, unknown>,
): Promise<{ url: string; problems: string[]; close: () => void }> {
  const problems: string[] = [];
  const api = new OpenAPIBackend({
    definition: withIds(structuredClone(document)) as never,
    quick: true,
    ajvOpts: { strict: false, coerceTypes: true },
    handlers: {
      validationFail: ({ request, validation }) =>
        problems.push(`${request.method} ${request.path}: ${JSON.stringify(validation.errors)}`),
      notFound: ({ request }) => problems.push(`${request.method} ${request.path}: no such path`),
      methodNotAllowed: ({ request }) => problems.push(`${request.method} ${request.path}: no such method`),
      notImplemented: () => undefined,
    },
  });
  await api.init();
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const text = await bodyOf(request);
    const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
    const body = isForm ? Object.fromEntries(new URLSearchParams(text)) : text;
    try {
      await api.handleRequest({
        method,
        path,
        headers: headers as Record<string, string>,
        ...(text !== '' && { body }),
      });
    } catch (error) {
      problems.push(`${method} ${path}: ${error}`);
    }
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, problems, close: () => server.close() };
}

/** The mock finds operations by their ids. */
function withIds(document: Record<string, unknown>): Record<string, unknown> {
  for (const [path, item] of Object.entries(
    document.paths as Record<string, Record<string, { operationId?: string }>>,
  )) {
    for (const method of ['get', 'put', 'post', 'delete', 'patch', 'head']) {
      const operation = item[method];
      if (operation) operation.operationId ??= `${method} ${path}`;
    }
  }
  return document;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

// Figma: a `oneOf` whose variants overlap, and `minProperties`, which the format cannot say (IMP021).
test.each<[string, string, number, string[]?]>([
  ['Train Travel', '@readme/oas-examples/3.1/json/train-travel.json', 14],
  ['Star Trek', '@readme/oas-examples/3.0/json/star-trek.json', 240],
  ['Petstore', '@readme/oas-examples/3.0/json/petstore.json', 40],
  ['Figma', '@figma/rest-api-spec/openapi/openapi.yaml', 108, ['/comments: ', '/variables: ']],
])('every request satisfies the document: %s', async (name, path, count, known: string[] = []) => {
  const document = parse(readFileSync(join(packages, path), 'utf8'));
  const mock = await startMock({ ...document, servers: [{ url: '/' }] });
  const { files, tools } = importOpenApi(document, { server: mock.url });
  let sent = 0;
  const failures: string[] = [];
  for (const [file, text] of Object.entries(files)) {
    if (!file.endsWith('.mjs')) continue;
    const filePath = join(folder, `${name}-${file}`);
    writeFileSync(filePath, text);
    const schema = await SchemaKit.loadSchema({ filePath });
    const { requiredServerParams, namespace } = schema.main as { requiredServerParams: string[]; namespace: string };
    const serverParams = Object.fromEntries(requiredServerParams.map((secret) => [secret, 'fake']));
    for (const { listing } of exposeSchemas([schema])) {
      for (const all of [false, true]) {
        const routeName = listing.name.slice(namespace.length + 2);
        const { status, messages } = await SchemaKit.fetch({
          ...schema,
          routeName,
          userParams: sampleArguments(listing.inputSchema, all),
          serverParams,
        });
        if (!status) failures.push(`${routeName}: ${messages}`);
        sent += 1;
      }
    }
  }
  mock.close();
  expect(mock.problems.filter((problem) => !known.some((part) => problem.includes(part)))).toEqual([]);
  expect(mock.problems).toHaveLength(known.length);
  expect(failures).toEqual([]);
  expect([tools.length * 2, sent]).toEqual([count, count]);
});
