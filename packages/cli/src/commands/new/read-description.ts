import { readFile, stat } from 'node:fs/promises';
import type { Finding } from '@schemakit/core';
import { type CommandResult, failed, type Step } from '../../output/command-result.ts';
import { reasonOf } from '../../output/terminal-text.ts';
import { firstLine } from '../../output/text-table.ts';
import { openSourceClient, plainHttpProblem, type SourceClient } from '../../sources/source-client.ts';
import { decodeText } from './decode-text.ts';
import { isCommand } from './import-source.ts';

/** Larger documents are refused anyway. */
const maxBytes = 51 * 2 ** 20;

interface Description {
  text: string;
  url: string | undefined;
  /** The address of the API, where the description is its own answer. */
  server?: string;
}

/** The text of a description: of a file, of an address, of what an address leads to, or a curl command itself. */
export async function readDescription(source: string): Promise<Step<Description>> {
  if (isCommand(source)) return { ok: true, text: source, url: undefined };
  if (!/^https?:\/\//i.test(source)) {
    try {
      // Before it is in memory.
      if ((await stat(source)).size > maxBytes) return tooLarge(source);
      return { ok: true, text: decodeText(await readFile(source)), url: undefined };
    } catch (error) {
      const fix =
        'Give the file or the https address of an OpenAPI document, a GraphQL schema, a recording, a collection, or a curl command.';
      return { ok: false, result: failed('notFound', { error: `Cannot read ${source}: ${reasonOf(error)}`, fix }) };
    }
  }
  const plain = await plainHttpProblem(source);
  if (plain !== undefined) return unread(plain);
  const client = openSourceClient(source);
  try {
    return await findDescription(source, client);
  } finally {
    await client.close();
  }
}

/** The description at an address, else the one that its server names, else one at a usual place, else what GraphQL says of itself, there or at a usual place. */
async function findDescription(source: string, client: SourceClient): Promise<Step<Description>> {
  const base = source.replace(/[?#].*$/, '').replace(/\/$/, '');
  const isGraphql = /\/(graphql|gql)$/i.test(base);
  const asked = isGraphql ? await introspect(base, client) : undefined;
  if (asked !== undefined) return asked;
  const answer = await client.get(source, { maxBytes });
  // Where nothing answers, nothing is beside it.
  if (answer.status !== 'read' && answer.httpStatus === undefined) return unread(answer.finding);
  if (answer.status === 'read') {
    const text = decodeText(answer.bytes);
    if (isDescription(text)) return { ok: true, text, url: answer.url };
  }
  const linked = answer.status === 'read' ? answer.serviceDesc : [];
  const { origin } = new URL(source);
  const catalog = await client.get(`${origin}/.well-known/api-catalog`, { maxBytes });
  const listed = catalog.status === 'read' ? catalogLinks(catalog.bytes, catalog.url) : [];
  const usual = [...new Set([base, origin])].flatMap((place) => usualPaths.map((path) => `${place}${path}`));
  const tried = new Set(
    [...linked, ...listed, ...usual].filter((url) => url.startsWith(`${origin}/`) || url.startsWith('https:')),
  );
  for (const url of tried) {
    const found = await client.get(url, { maxBytes });
    const text = found.status === 'read' ? decodeText(found.bytes) : '';
    if (found.status === 'read' && isDescription(text)) return { ok: true, text, url: found.url };
  }
  const introspected = isGraphql ? undefined : await introspect(base, client);
  if (introspected?.ok) return introspected;
  const endpoint = `${origin}/graphql`;
  const usualEndpoint = base === endpoint ? undefined : await introspect(endpoint, client, { isGuess: true });
  if (usualEndpoint !== undefined) return usualEndpoint;
  const places = [`${origin}/.well-known/api-catalog`, ...tried, endpoint].map((url) => shownPath(url, origin));
  // Without the query, which may have a key.
  const shown = withoutUser(base);
  const problem = answer.status === 'read' ? `${shown} is no description of an API` : answer.finding.message;
  const error = `${problem}, and none was found beside it. Looked at: ${places.join(', ')}`;
  const fix =
    'Give the address of the OpenAPI document or the GraphQL endpoint itself. The documentation of the API often links to it.';
  const findings = answer.status === 'read' ? [] : [answer.finding];
  return { ok: false, result: failed('upstream', { error, fix, findings }) };
}

/** Asks an endpoint for its GraphQL schema. A guess is asked once, unless it answers as GraphQL does. Undefined if it does not answer, or not as GraphQL does. */
async function introspect(
  address: string,
  client: SourceClient,
  { isGuess = false } = {},
): Promise<Step<Description> | undefined> {
  const { introspectionRequests } = await import('@schemakit/import');
  let refusal: string | undefined;
  for (const request of introspectionRequests()) {
    const answer = await client.post(address, request, { maxBytes, ...(isGuess && { timeoutMs: guessMs }) });
    if ('finding' in answer) return undefined;
    const { data, errors } = Object(answer.value) as { data?: { __schema?: object }; errors?: unknown };
    if (data?.__schema) return { ok: true, text: answer.text, url: address, server: address };
    if (isGuess && !isRefusal(errors)) return undefined;
    if (Array.isArray(errors)) refusal = firstLine(String(Object(errors[0]).message ?? 'no reason given'), 200);
    else if (answer.httpStatus >= 400) refusal ??= `HTTP ${answer.httpStatus}`;
  }
  if (refusal === undefined) return undefined;
  const error = `${withoutUser(address)} does not tell its schema: ${refusal}`;
  const fix =
    'Give the schema as a file: schemakit new schema.graphql --server <endpoint>. Ask the provider of the API for it.';
  return { ok: false, result: failed('upstream', { error, fix }) };
}

/** Whether these are errors of GraphQL, and not the answer of another API that has nothing there. */
function isRefusal(errors: unknown): boolean {
  return Array.isArray(errors) && typeof Object(errors[0]).message === 'string';
}

const guessMs = 5_000;

function withoutUser(address: string): string {
  return address.replace(/^(https?:\/\/)[^/]*@/i, '$1');
}

function unread(finding: Finding): { ok: false; result: CommandResult } {
  return { ok: false, result: failed('upstream', { error: finding.message, fix: finding.hint, findings: [finding] }) };
}

function tooLarge(source: string): { ok: false; result: CommandResult } {
  const fix = 'Import a part of it: documents of up to 50 MiB are read.';
  return { ok: false, result: failed('validation', { error: `${source} is larger than 50 MiB.`, fix }) };
}

const usualPaths = [
  '/openapi.json',
  '/openapi.yaml',
  '/swagger.json',
  '/v3/api-docs',
  '/api-docs',
  '/swagger/v1/swagger.json',
];

/** Whether it says that it is one. The import says what is wrong with it. */
function isDescription(text: string): boolean {
  return (
    /["']?(?:openapi|swagger)["']?\s*:|"item"\s*:\s*\[|"log"\s*:\s*\{|"__schema"\s*:|^\s*(?:type \w+|schema)[^:]*\{/m.test(
      text,
    ) && !/^\s*</.test(text)
  );
}

/** What a catalog of APIs has for programs to read (RFC 9727, a linkset of RFC 9264). */
function catalogLinks(bytes: Uint8Array, base: string): string[] {
  try {
    const { linkset } = JSON.parse(new TextDecoder().decode(bytes)) as {
      linkset: readonly { 'service-desc'?: readonly { href: string }[] }[];
    };
    return linkset.flatMap((links) => links['service-desc'] ?? []).map(({ href }) => new URL(href, base).href);
  } catch {
    return [];
  }
}

function shownPath(url: string, origin: string): string {
  const { pathname } = new URL(url);
  return url.startsWith(origin) && pathname !== '/' ? pathname : url;
}
