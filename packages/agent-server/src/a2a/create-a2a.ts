import type { KeyObject } from 'node:crypto';
import { AgentCard } from '@a2a-js/sdk';
import { isV1JsonRpcMethod } from '@a2a-js/sdk/compat/v0_3';
import { LegacyJsonRpcTransportHandler, LegacyRestTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import {
  type A2ARequestHandler,
  JsonRpcTransportHandler,
  ServerCallContext,
  validateVersion,
} from '@a2a-js/sdk/server';
import type { Finding } from '@schemakit/core';
import { createScrubber } from '@schemakit/http';
import { type Route, subjectOwner } from '@schemakit/server';
import { AgentConfigError } from '../manifest/check-config.ts';
import { configFinding } from '../manifest/config-codes.ts';
import { type AgentMcp, type AgentParts, type Endpoints, partsOf } from '../serve/serve-agents.ts';
import { BusyError } from '../tasks/client-store.ts';
import type { TaskEngine } from '../tasks/task-engine.ts';
import { agentCard, type CardSigner, cardSigner, type SkillManifest } from './agent-card.ts';
import { requestHandler } from './request-handler.ts';
import { rpcResponse } from './rpc-response.ts';

/** Options of {@link createA2A}. */
export interface A2AOptions {
  /** The server whose agents are the skills. Those with a `price` are left out. */
  mcp: AgentMcp;
  /** The manifests of its agents, for the tags and examples of skills. */
  manifest?: SkillManifest | readonly SkillManifest[];
  /** The public URL of A2A. Default: `/a2a` where the client has asked for the card. */
  url?: string;
  /** Further fields of the card, as JSON of A2A: `provider`, `documentationUrl`, or others in place of its own. */
  card?: Readonly<Record<string, unknown>>;
  /** A private key (EC P-256 or P-384, Ed25519, or RSA of 2048 bits or more) that signs the card. Needs `url`, below which its public key is served. */
  signingKey?: KeyObject;
}

const cardPath = '/.well-known/agent-card.json';

/**
 * Serves the agents of a server over A2A 1.0 and 0.3 as well. Needs the package `@a2a-js/sdk`.
 *
 * @returns What `mcp.http` and `mcp.middleware` serve beside MCP: JSON-RPC at the path of `url`, and the agent card.
 * @throws {@link AgentConfigError} with all errors of the options.
 * @example
 * const { mcp } = await AgentToolsServer.fromManifest({
 *   file: 'agents/tide-guide/agent.mjs',
 *   llm: { baseURL: 'https://api.anthropic.com', apiKey: 'your key' },
 *   schemas: [await SchemaKit.loadSchema({ filePath: 'tides.mjs' })],
 * });
 * const { url, close } = await mcp.http(createA2A({ mcp }));
 * const card = await fetch(`${url}/.well-known/agent-card.json`, { headers: { 'A2A-Version': '1.0' } });
 * console.log((await card.json()).skills.map(({ id }) => id)); // [ 'tide-guide' ]
 * await mcp.close();
 */
export function createA2A({ mcp, manifest = [], url, card: fields = {}, signingKey }: A2AOptions): Required<Endpoints> {
  const parts = partsOf(mcp);
  const place = url === undefined ? undefined : URL.parse(url);
  const keysUrl = `${place?.href.replace(/\/$/, '')}/jwks.json`;
  const signer = signingKey && cardSigner(signingKey, { keysUrl });
  const findings: Finding[] = [];
  const check = (isRight: boolean, path: string, message: string, hint: string) => {
    if (!isRight) findings.push(configFinding('AGS001', path, message, hint));
  };
  check(parts !== undefined, 'mcp', 'mcp is not an agent server', 'Pass the mcp of AgentToolsServer.');
  check(parts?.agents.size !== 0, 'mcp', 'all agents of mcp have a price', 'A2A serves agents without one.');
  check(
    parts === undefined || parts.engine !== undefined,
    'tasks',
    'the tasks of mcp are in a store of your own',
    "A2A needs tasks: 'memory:', or another URL.",
  );
  check(
    url === undefined || /^https?:$/.test(place?.protocol ?? ''),
    'url',
    'url must be an http or https URL',
    "Such as 'https://agents.example.com/a2a'.",
  );
  const path = place?.pathname ?? '/a2a';
  check(path !== parts?.routePath, 'url', `${path} is the path of MCP`, 'Use another one, such as /a2a.');
  check(signingKey === undefined || url !== undefined, 'signingKey', 'signingKey needs url', 'The URL is signed, too.');
  check(
    signingKey === undefined || signer !== undefined,
    'signingKey',
    'signingKey is not a private key of a known kind',
    'Use createPrivateKey of node:crypto with a key of EC P-256 or P-384, Ed25519, or RSA of 2048 bits or more.',
  );
  // RFC 7518, 3.3. Where it is signed, such a key would be an error that nobody waits for.
  const { modulusLength: bits = minRsaBits } = signingKey?.asymmetricKeyDetails ?? {};
  check(
    signer === undefined || bits >= minRsaBits,
    'signingKey',
    `signingKey is an RSA key of ${bits} bits, and must have at least ${minRsaBits}`,
    'Make a longer one, or one of another kind: openssl genpkey -algorithm ed25519 -out card.pem',
  );
  if (parts?.engine === undefined || findings.length > 0) throw new AgentConfigError('createA2A', findings);
  const manifests = [manifest].flat();
  const cardAt = (at: string) => agentCard(parts, { url: at, manifests, fields });
  const fixed = url === undefined ? undefined : signed(cardAt(url), signer);
  const cardFor = (request: Request) => fixed ?? cardAt(urlOf(request, path));
  return {
    routes: { [path]: rpcRoute(parts, { card: cardAt(url ?? path), engine: parts.engine }) },
    documents: {
      [cardPath]: async (request) => cardDocument(request, await cardFor(request)),
      ...(signer && { [new URL(keysUrl).pathname]: () => signer.keys }),
    },
  };
}

const minRsaBits = 2048;

function signed(card: AgentCard, signer: CardSigner | undefined): Promise<AgentCard> {
  return Promise.resolve(signer === undefined ? card : signer.sign(card));
}

/** Where a client reaches the server, maybe through a proxy with TLS. */
function urlOf(request: Request, path: string): string {
  const url = new URL(path, request.url);
  if (request.headers.get('x-forwarded-proto') === 'https') url.protocol = 'https:';
  return url.href;
}

const legacyVersion = '0.3';

/** The version that a client names, without a patch version, which does not count (A2A 1.0, 3.6). */
function versionOf({ headers }: Request): string | undefined {
  const named = headers.get('A2A-Version') || undefined;
  return /^\d+\.\d+(?=\.\d+$)/.exec(named ?? '')?.[0] ?? named;
}

/** The card in the form of the client's version. Clients that name none are of 0.3 (A2A 1.0, 3.6.2); others find their interfaces in it. */
async function cardDocument(request: Request, card: AgentCard): Promise<object> {
  const current = AgentCard.toJSON(card) as { supportedInterfaces: unknown };
  if ((versionOf(request) ?? legacyVersion) !== legacyVersion) return current;
  // The operation of the compatibility layer that translates a card. What is signed is the current form.
  const ofCard: Pick<A2ARequestHandler, 'getAuthenticatedExtendedAgentCard'> = {
    getAuthenticatedExtendedAgentCard: async () => ({ ...card, signatures: [] }),
  };
  const translator = new LegacyRestTransportHandler(ofCard as A2ARequestHandler);
  const legacy = await translator.getAuthenticatedExtendedAgentCard(new ServerCallContext());
  return { ...legacy, supportedInterfaces: current.supportedInterfaces };
}

/** The JSON-RPC endpoint, for both versions. */
function rpcRoute({ agents, closing }: AgentParts, { card, engine }: { card: AgentCard; engine: TaskEngine }): Route {
  return async (request, caller, readJson) => {
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { Allow: 'POST' } });
    const body = await readJson();
    if (body instanceof Response) return body;
    const { id = null, method } = Object(body.value) as { id?: unknown; method?: unknown };
    const version = versionOf(request) ?? (isV1JsonRpcMethod(method) ? '1.0' : legacyVersion);
    const isLegacy = version === legacyVersion;
    const Transport = isLegacy ? LegacyJsonRpcTransportHandler : JsonRpcTransportHandler;
    const detailsOf = (error: unknown) => {
      if (error instanceof BusyError) return busyDetails(error, isLegacy);
      if (isLegacy) return LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error);
      return JsonRpcTransportHandler.mapToJSONRPCError(error);
    };
    const errorOf = (error: unknown) => ({ jsonrpc: '2.0', id, error: detailsOf(error) });
    let busy: BusyError | undefined;
    try {
      validateVersion(version, card, 'JSONRPC');
      const handler = requestHandler({
        ...{ card, agents, engine },
        owner: caller && subjectOwner(caller),
        client: { authInfo: caller, maskToken: tokenMask(request, caller?.token) },
        signal: AbortSignal.any([request.signal, closing]),
        onBusy(error) {
          busy = error;
        },
      });
      const context = new ServerCallContext({ requestedVersion: version });
      const answered = await new Transport(handler).handle(body.value as Record<string, unknown>, context);
      if (busy !== undefined) throw busy;
      return await rpcResponse(answered, errorOf);
    } catch (error) {
      const refused = error instanceof BusyError && { status: 503, headers: { 'Retry-After': error.retryAfter } };
      return Response.json(errorOf(error), refused || {});
    }
  };
}

/** When to come back. Details of errors are typed since A2A 1.0 (9.5). */
function busyDetails({ code, message, data }: BusyError, isLegacy: boolean): object {
  const retryInfo = {
    '@type': 'type.googleapis.com/google.rpc.RetryInfo',
    retryDelay: `${data.retryAfterMs / 1000}s`,
  };
  return { code, message, data: isLegacy ? data : [retryInfo] };
}

/** Masks the tokens of a request, which must not be stored. */
function tokenMask({ headers }: Request, token: string | undefined): (text: string) => string {
  const [, sent] = /^bearer +(\S+)/i.exec(headers.get('authorization') ?? '') ?? [];
  return createScrubber([sent, token].filter((secret) => secret !== undefined));
}
