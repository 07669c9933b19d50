import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SchemaKit } from '@schemakit/core';
import { createServer } from '@schemakit/server';
import { type ParsedRequest, startParsingApi } from '../../../packages/core/src/call/fixtures/parsing-api.ts';
import { client, startIssuer } from '../../../packages/core/src/call/fixtures/token-issuer.ts';
import type { Main } from './uses-of.ts';

/** The secrets of all schemas. */
export const secrets: Record<'TOKEN' | 'KEY' | 'SECRET' | 'LOGIN' | 'PASSWORD' | keyof typeof client, string> = {
  ...client,
  TOKEN: 't0ken-of-the-desk',
  KEY: 'k3y-of-the-desk',
  SECRET: 's3cret-of-the-desk',
  LOGIN: 'reader',
  PASSWORD: 'pa55-of-the-desk',
};

/** One call of a tool, and what must come of it; what is left out may be anything. */
export interface Call {
  tool: string;
  args?: object;
  /** The requests: method, path and query, without credentials. */
  asked?: string[];
  /** Headers of the last request; null for none. */
  headers?: Record<string, unknown>;
  body?: unknown;
  data?: unknown;
  /** Codes of findings. Default none. */
  findings?: string[];
}

/** A schema, the API that it describes, and calls. */
export interface Case {
  main: Main;
  /** Whether the API takes the credentials of a request. */
  admits: (request: ParsedRequest, token: string) => boolean;
  /** Paths that need no credentials. */
  open?: string[];
  /** Answers by path; the API answers other paths with `{ ok: true }`. */
  answers?: Record<string, ReturnType<Answer>>;
  /** Lists by path, as they are written in a page. */
  lists?: Record<string, (items: number[], next?: Next) => ReturnType<Answer>>;
  calls: Call[];
  /** What an MCP server announces of tools. */
  announced?: Record<string, unknown> | undefined;
  /** What it answers. */
  content?: Record<string, unknown> | undefined;
}

type Answer = NonNullable<Parameters<typeof startParsingApi>[0]>;

interface Next {
  cursor: string;
  link: string;
}

export interface OpenCase {
  /** A schema with the addresses of the servers of this test. */
  located(schema: Main): Main;
  /** What comes of a call, in the fields that it names. */
  observeCall(schema: Main, call: Call): Promise<Call>;
  /** What an MCP server of a schema announces of the tools that the case names, and answers. */
  observeServer(schema: Main): Promise<Pick<Case, 'announced' | 'content'>>;
}

/** The API of a case, and its clients. Closed when the test is over. */
export async function openCase({
  main,
  admits,
  open = [],
  answers = {},
  lists = {},
  announced,
  content,
}: Case): Promise<OpenCase> {
  const auth = main.auth as { type?: string; authMethod?: string } | undefined;
  const method = auth?.authMethod === 'body' ? 'client_secret_post' : 'client_secret_basic';
  const issuer = auth?.type === 'oauth2' ? await startIssuer({ method }) : undefined;
  const { origin, requests } = await startParsingApi((request) => {
    const [path = ''] = request.url.split('?');
    if (!open.includes(path) && !admits(request, issuer?.issued ?? '')) return { status: 401, body: {} };
    const list = lists[path];
    return list === undefined ? (answers[path] ?? { body: { ok: true } }) : pageOf(path, request, list);
  });
  const located = (schema: Main): Main => {
    const isIssued = issuer !== undefined && schema.auth !== undefined;
    return {
      ...schema,
      root: origin,
      ...(isIssued && { auth: { ...(schema.auth as object), tokenUrl: issuer.tokenUrl } }),
    };
  };

  async function observeCall(schema: Main, expected: Call): Promise<Call> {
    requests.length = 0;
    const { tool, args: userParams = {} } = expected;
    const options = { routeName: tool, userParams, serverParams: secrets, idempotencyKey: 'call-17' };
    const { data, findings } = await SchemaKit.fetch({ main: located(schema), ...options });
    const last = requests.at(-1);
    const headers = Object.keys(expected.headers ?? {}).map((name) => [name, last?.headers[name] ?? null]);
    const found: Call = {
      ...{ tool, data, body: last?.body, headers: Object.fromEntries(headers) },
      ...{ asked: requests.map(({ method, url }) => `${method} ${withoutCredentials(url)}`) },
    };
    const named = Object.entries(found).filter(([field]) => field in expected);
    return {
      ...(Object.fromEntries(named) as unknown as Call),
      ...(expected.args !== undefined && { args: expected.args }),
      findings: findings.map(({ code }) => code),
    };
  }

  async function observeServer(schema: Main): Promise<Pick<Case, 'announced' | 'content'>> {
    if (announced === undefined && content === undefined) return { announced, content };
    const prefix = `${schema.namespace}__`;
    const server = await createServer(located(schema), { name: 'additions', serverParams: secrets }).http();
    const mcp = new Client({ name: 'test', version: '1.0.0' });
    try {
      await mcp.connect(new StreamableHTTPClientTransport(new URL('/mcp', server.url)));
      const { tools } = await mcp.listTools();
      const named = tools.map(({ name, annotations }) => [name.replace(prefix, ''), annotations] as const);
      const called = Object.keys(content ?? {}).map(async (name) => {
        const [first] = (await mcp.callTool({ name: `${prefix}${name}`, arguments: {} })).content;
        return [name, first] as const;
      });
      return {
        announced: announced && Object.fromEntries(named.filter(([name]) => name in announced)),
        content: content && Object.fromEntries(await Promise.all(called)),
      };
    } finally {
      await mcp.close();
      await server.close();
    }
  }
  return { located, observeCall, observeServer };
}

function withoutCredentials(url: string): string {
  const [path, query = ''] = url.split('?');
  const kept = query.split('&').filter((pair) => !/^(appid|key|timestamp|signature|sig)=/.test(pair));
  return kept.join('&') === '' ? `${path}` : `${path}?${kept.join('&')}`;
}

/** Five items, or nine of `many`, with two or `limit` of them on a page. */
function pageOf(path: string, { query }: ParsedRequest, list: NonNullable<Case['lists']>[string]): ReturnType<Answer> {
  const { q = 'few', limit = '2', page = '1', offset, after } = query as Record<string, string | undefined>;
  const size = Number(limit);
  const start = Number(offset ?? after?.slice(1) ?? (Number(page) - 1) * size);
  const all = Array.from({ length: q === 'many' ? 9 : 5 }, (_, index) => index + 1);
  const end = start + size;
  const next = { cursor: `c${end}`, link: `${path}?q=${q}&after=c${end}` };
  return list(all.slice(start, end), end < all.length ? next : undefined);
}
