import type { Finding } from '../findings/finding.ts';
import { distinct, field, type PlainObject, texts } from '../findings/plain-object.ts';
import type { Clock } from '../network/clock.ts';
import type { HttpTrace } from '../network/exchange.ts';
import type { Network } from '../network/network.ts';
import { type Challenge, resourceMetadata, type ServerMetadata, serverMetadata } from './metadata.ts';
import {
  type Discovery,
  loginProblem,
  type OAuthEntry,
  type OAuthFlags,
  oauthEntry,
  oauthFlags,
} from './oauth-entry.ts';
import { oauthFindings } from './oauth-findings.ts';

const MAX_SERVERS = 5;

/** How a server is authorized. */
export interface DiscoveredOAuth {
  entry: OAuthEntry;
  flags: OAuthFlags;
  findings: Finding[];
  /** False if an authorization server or a document was not seen. */
  isComplete: boolean;
  /** The network policy blocks a document. */
  isBlocked: boolean;
  /** Why clients cannot log in with what was found. */
  loginProblem: string | undefined;
  /** The scheme of a 401 that is not of OAuth, such as `Basic`. */
  otherScheme: string | undefined;
  /** A document that may exist, with the reason. */
  refused: string | undefined;
}

/** Runs the discovery of the MCP authorization specification; starts no flow. */
export async function discoverOAuth(
  endpoint: URL,
  { network, clock, answersWithout }: { network: Network; clock: Clock; answersWithout: boolean },
): Promise<DiscoveredOAuth> {
  const challenge = challengeOf(network.challenged);
  const resource = await resourceMetadata(endpoint, challenge, { network, clock });
  const isLegacy = resource.document === undefined && challenge !== undefined;
  const named = isLegacy ? [endpoint.origin] : distinct(texts(field(resource.document, 'authorization_servers')));
  const issuers = named.slice(0, MAX_SERVERS);
  const servers: ServerMetadata[] = [];
  for (const issuer of issuers) servers.push(await serverMetadata(issuer, { network, clock }));
  const discovery: Discovery = {
    endpoint,
    challenge,
    resource,
    servers,
    unseenServers: named.length - issuers.length,
    isLegacy,
    answersWithout,
    scopes: scopesOf(challenge, resource.document, servers),
  };
  return {
    entry: oauthEntry(discovery),
    flags: oauthFlags(discovery),
    findings: oauthFindings(discovery),
    loginProblem: loginProblem(discovery),
    otherScheme: otherScheme(network.challenged),
    refused: resource.refused,
    isBlocked: resource.blocked !== undefined || servers.some(({ isBlocked }) => isBlocked),
    isComplete: named.length === issuers.length && !resource.isLate && !servers.some(({ isLate }) => isLate),
  };
}

function scopesOf(
  challenge: Challenge | undefined,
  document: PlainObject | undefined,
  servers: readonly ServerMetadata[],
): string[] {
  const announced = [document, ...servers.map((server) => server.document)].flatMap((source) =>
    texts(field(source, 'scopes_supported')),
  );
  return distinct([...(challenge?.scopes ?? []), ...announced]).slice(0, 200);
}

const OF_OAUTH = /(?:^|,)\s*(?:bearer|dpop)\b/i;

function otherScheme(refusal: HttpTrace | undefined): string | undefined {
  const header = refusal?.headers['www-authenticate'] ?? '';
  return OF_OAUTH.test(header) ? undefined : /[\w-]+/.exec(header)?.[0];
}

function challengeOf(refusal: HttpTrace | undefined): Challenge | undefined {
  if (refusal === undefined) return undefined;
  const header = refusal.headers['www-authenticate'] ?? '';
  const isBearer = OF_OAUTH.test(header);
  return {
    refusal,
    resourceMetadata: isBearer ? parameter(header, 'resource_metadata') : undefined,
    scopes: (isBearer ? parameter(header, 'scope') : undefined)?.split(' ').filter(Boolean) ?? [],
  };
}

function parameter(header: string, name: string): string | undefined {
  const match = new RegExp(`(?:^|[\\s,])${name}\\s*=\\s*(?:"([^"]*)"|([^\\s,"]+))`, 'i').exec(header);
  return match?.[1] ?? match?.[2];
}
