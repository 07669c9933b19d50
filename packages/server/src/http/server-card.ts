import { createHash } from 'node:crypto';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import type { ServerInfo } from '../create-mcp-server.ts';
import { methodNotAllowed } from './mcp-endpoint.ts';

/** Where clients look for the servers of a host (MCP extension Server Card, docs/discovery.md). */
export const aiCatalogPath = '/.well-known/ai-catalog.json';

const cardType = 'application/mcp-server-card+json';

export interface ServerCardOptions {
  info: ServerInfo;
  /** The public URL of MCP. */
  mcpUrl: URL;
  /** Whether clients need a token that their user has to give them. */
  needsToken: boolean;
}

/** Describes the server before a connection (SEP-2127). Public: it has no tools and no secrets. */
export function serverCardResponse(request: Request, options: ServerCardOptions): Response {
  const { name, version, description } = options.info;
  const authorization = {
    name: 'Authorization',
    description: 'Bearer and the token',
    isRequired: true,
    isSecret: true,
  };
  const card = {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: cardName(options),
    version,
    description: (description ?? `The MCP server ${name}`).slice(0, 100),
    title: name.slice(0, 100),
    remotes: [
      {
        type: 'streamable-http',
        url: options.mcpUrl.href,
        ...(options.needsToken && { headers: [authorization] }),
        supportedProtocolVersions: ['2026-07-28', ...SUPPORTED_PROTOCOL_VERSIONS],
      },
    ],
  };
  return publicJson(request, card, cardType);
}

/** The AI Catalog (ai-catalog.io) of a host that serves nothing else. */
export function aiCatalogResponse(request: Request, options: ServerCardOptions): Response {
  const { mcpUrl, info } = options;
  const entry = {
    identifier: `urn:air:${hostOf(mcpUrl)}:${cardName(options).split('/')[1]}`,
    displayName: info.name,
    version: info.version,
    type: cardType,
    url: `${mcpUrl.href}/server-card`,
  };
  return publicJson(request, { specVersion: '1.0', entries: [entry] }, 'application/ai-catalog+json');
}

/** `<reversed domain>/<name>`: the name of the server if it has that form, else made of its host and its name. */
function cardName({ info: { name }, mcpUrl }: ServerCardOptions): string {
  if (/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/.test(name) && name.length <= 200) return name;
  const host = hostOf(mcpUrl);
  const domain = /^[\d.]+$/.test(host) ? host : host.split('.').reverse().join('.');
  return `${domain}/${name.replace(/[^a-zA-Z0-9._-]+/g, '-')}`.slice(0, 200);
}

/** The host name; `localhost` for an IPv6 address, which no name of a card can have. */
function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? 'localhost' : hostname;
}

/** A document for everybody, with an `ETag`. */
export function publicJson(request: Request, value: unknown, type: string): Response {
  const shared = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Methods': 'GET' };
  if (request.method === 'OPTIONS') {
    return new Response(null, {
      status: 204,
      headers: { ...shared, 'Access-Control-Allow-Headers': 'Content-Type, A2A-Version' },
    });
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed('GET');
  const body = JSON.stringify(value);
  const etag = `"${createHash('sha256').update(body).digest('hex')}"`;
  // The URL in it is that of the request. Agent cards also depend on the version of A2A.
  const headers = {
    ...shared,
    'Cache-Control': 'public, max-age=3600',
    ETag: etag,
    Vary: 'Host, X-Forwarded-Proto, A2A-Version',
  };
  if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers });
  return new Response(body, { headers: { ...headers, 'Content-Type': type } });
}
