import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exposeSchemas, SchemaKit } from '@schemakit/core';
import { isObject } from '@schemakit/core/internal';
import fc from 'fast-check';
import {
  buildSchema,
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  type GraphQLSchema,
  type GraphQLTypeResolver,
  getNamedType,
  graphql,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { valuesOf } from './fixtures/arguments-arbitrary.ts';
import { hardSdl } from './fixtures/hard-graphql.ts';
import { importGraphql, introspectionRequests } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'import-graphql-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface GraphqlRequest {
  query: string;
  variables?: Record<string, unknown>;
}

/** A server that answers with made-up values, and keeps the errors of its requests. */
async function startServer(schema: GraphQLSchema, fieldResolver: GraphQLFieldResolver<unknown, unknown> = madeUp) {
  const requests: GraphqlRequest[] = [];
  const problems: string[] = [];
  const typeResolver: GraphQLTypeResolver<unknown, unknown> = (_, __, { schema: own }, type) => {
    const members = own.getPossibleTypes(type);
    return members[requests.length % members.length]?.name;
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    // The program reads members that are not there, such as `toString`, from the prototype of objects.
    const own = (_: string, value: unknown) => (isObject(value) ? Object.assign(Object.create(null), value) : value);
    const asked: GraphqlRequest = JSON.parse(Buffer.concat(chunks).toString(), own);
    requests.push(asked);
    const { query: source, variables: variableValues } = asked;
    const answer = await graphql({ schema, source, variableValues, fieldResolver, typeResolver });
    for (const { message } of answer.errors ?? [])
      problems.push(`${source} ${JSON.stringify(variableValues)}: ${message}`);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`, requests, problems };
}

function madeUp(_: unknown, __: unknown, ___: unknown, { returnType }: { returnType: GraphQLOutputType }): unknown {
  return exampleOf(returnType);
}

function exampleOf(type: GraphQLOutputType): unknown {
  if (isNonNullType(type)) return exampleOf(type.ofType);
  if (isListType(type)) return [exampleOf(type.ofType), exampleOf(type.ofType)];
  const named = getNamedType(type);
  if (isEnumType(named)) return named.getValues()[0]?.value;
  return isLeafType(named) ? 1 : {};
}

/** The tools of imported files, loaded from disk, by their names on MCP. */
async function loadTools(files: Readonly<Record<string, string>>) {
  const tools = new Map<string, { inputSchema: object; call: (args: object) => ReturnType<typeof SchemaKit.fetch> }>();
  for (const [file, text] of Object.entries(files)) {
    if (!file.endsWith('.mjs')) continue;
    const filePath = join(folder, file);
    writeFileSync(filePath, text);
    const schema = await SchemaKit.loadSchema({ filePath });
    const other = schema.messages.filter((message) => !/of 3 tests|other readers of the format/.test(message));
    expect(other).toEqual([]);
    for (const { listing } of exposeSchemas([schema])) {
      const name = listing.name.replace(/^.*__/, '');
      const call = (args: object) => SchemaKit.fetch({ ...schema, routeName: name, userParams: { ...args } });
      tools.set(name, { inputSchema: listing.inputSchema, call });
    }
  }
  return tools;
}

test('a server accepts every call of every tool that its introspection led to', async () => {
  const { url, requests, problems } = await startServer(
    buildSchema(hardSdl, { assumeValidSDL: true, assumeValid: true }),
  );
  const [body] = introspectionRequests();
  const introspection = await (await fetch(url, { method: 'POST', body })).text();
  const { status, files, tools: imported } = importGraphql(introspection, { server: url });
  expect(status).toBe(true);
  const tools = await loadTools(files);
  expect(tools.size).toBe(imported.length);
  expect(tools.size).toBeGreaterThan(30);
  requests.length = 0;
  for (const [name, { inputSchema, call }] of tools) {
    await fc.assert(
      fc.asyncProperty(valuesOf(inputSchema), async (args) => {
        const before = requests.length;
        const result = await call(args as object);
        expect({ name, args, messages: result.messages, problems }).toMatchObject({ messages: [], problems: [] });
        const sent = requests[before]?.variables ?? {};
        for (const [key, value] of Object.entries(args as object))
          if (value !== null) expect(sent).toHaveProperty([key]);
        expect(Object.values(sent)).not.toContain(null);
      }),
      { numRuns: 6, endOnFailure: true },
    );
  }
  expect(requests).toHaveLength(tools.size * 6);
}, 120_000);

test('an answer without data is a failure, one with errors in parts has both', async () => {
  const schema = buildSchema(
    'type Query { pet(fail: Boolean): Pet none: Pet } type Pet { name: String age: Int! secret: Int }',
  );
  const { url } = await startServer(schema, (_, { fail }, __, { fieldName }) => {
    if (fail || fieldName === 'secret') throw new Error(`${fieldName} is not allowed`);
    return fieldName === 'none' ? null : 3;
  });
  const tools = await loadTools(importGraphql(schemaText(), { server: url, namespace: 'errors' }).files);
  expect(await tools.get('pet')?.call({ fail: true })).toMatchObject({
    status: false,
    messages: [expect.stringContaining('pet is not allowed')],
  });
  expect(await tools.get('pet')?.call({})).toMatchObject({
    status: true,
    data: {
      data: { name: '3', age: 3, secret: null },
      errors: [{ message: 'secret is not allowed', path: ['pet', 'secret'] }],
    },
  });
  expect(await tools.get('none')?.call({})).toMatchObject({ status: true, data: null });
  // The schema has changed since.
  expect(await tools.get('gone')?.call({})).toMatchObject({
    status: false,
    messages: [expect.stringContaining('Cannot query field')],
  });

  function schemaText(): string {
    return 'type Query { pet(fail: Boolean): Pet none: Pet gone: Int } type Pet { name: String age: Int! secret: Int }';
  }
});
