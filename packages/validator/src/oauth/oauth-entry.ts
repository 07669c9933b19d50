import { distinct, field, type PlainObject, present, textOrNull, texts } from '../findings/plain-object.ts';
import { isHttpsOrLoopback } from '../network/loopback.ts';
import { type Challenge, isAbout, type ResourceMetadata, type ServerMetadata } from './metadata.ts';

export interface Discovery {
  endpoint: URL;
  challenge: Challenge | undefined;
  resource: ResourceMetadata;
  servers: ServerMetadata[];
  /** Number of further authorization servers, not checked. */
  unseenServers: number;
  /** 2025-03-26: without resource metadata, the server's own origin is the issuer. */
  isLegacy: boolean;
  scopes: string[];
  /** The server answered without credentials. */
  answersWithout: boolean;
}

/** The OAuth part of a snapshot. Single values are those of the first authorization server with metadata. */
export interface OAuthEntry {
  issuer: string | null;
  authorizationServers: string[];
  authorizationEndpoint: string | null;
  tokenEndpoint: string | null;
  registrationEndpoint: string | null;
  revocationEndpoint: string | null;
  scopesSupported: string[];
  grantTypesSupported: string[];
  responseTypesSupported: string[];
  pkceMethodsSupported: string[];
  clientIdMetadataDocumentSupported: boolean;
  protectedResourceMetadataUrl: string | null;
  /** True if the server answered 401, false if it answered without credentials; null if unknown. */
  isRequired: boolean | null;
}

export interface OAuthFlags {
  supportsOAuth: boolean;
  hasProtectedResourceMetadata: boolean;
  hasAuthServerMetadata: boolean;
  supportsPkce: boolean;
  /** By registration or by a client's metadata document. */
  hasDynamicRegistration: boolean;
  /** Metadata of this endpoint, and an authorization server with PKCE and usable URLs. */
  hasValidOAuthConfig: boolean;
}

export function oauthEntry({ challenge, resource, servers, scopes, isLegacy, answersWithout }: Discovery): OAuthEntry {
  const server = servers.find(({ document }) => document !== undefined);
  // The origin itself is only a guess: without metadata it is not an authorization server.
  const named = isLegacy && server === undefined ? [] : servers;
  const document = server?.document;
  const text = (name: string): string | null => textOrNull(field(document, name));
  return {
    issuer: server?.issuer ?? named[0]?.issuer ?? null,
    authorizationServers: named.map(({ issuer }) => issuer),
    authorizationEndpoint: text('authorization_endpoint'),
    tokenEndpoint: text('token_endpoint'),
    registrationEndpoint: text('registration_endpoint'),
    revocationEndpoint: text('revocation_endpoint'),
    scopesSupported: scopes,
    grantTypesSupported: distinct(texts(field(document, 'grant_types_supported'))),
    responseTypesSupported: distinct(texts(field(document, 'response_types_supported'))),
    pkceMethodsSupported: distinct(texts(field(document, 'code_challenge_methods_supported'))),
    clientIdMetadataDocumentSupported: field(document, 'client_id_metadata_document_supported') === true,
    protectedResourceMetadataUrl: resource.url,
    isRequired: challenge !== undefined ? true : answersWithout ? false : null,
  };
}

/** The result without discovery. */
export function noOAuth(): { entry: OAuthEntry; flags: OAuthFlags } {
  const discovery: Discovery = {
    endpoint: new URL('about:blank'),
    challenge: undefined,
    resource: { url: null, isLate: false },
    ...{ servers: [], unseenServers: 0, isLegacy: false, answersWithout: false, scopes: [] },
  };
  return { entry: oauthEntry(discovery), flags: oauthFlags(discovery) };
}

export function oauthFlags({ endpoint, challenge, resource, servers }: Discovery): OAuthFlags {
  const documents = servers.map(({ document }) => document).filter((document) => document !== undefined);
  const hasResource = resource.document !== undefined;
  const supportsPkce = documents.some(hasPkce);
  return {
    supportsOAuth: hasResource || documents.length > 0 || challenge?.resourceMetadata !== undefined,
    hasProtectedResourceMetadata: hasResource,
    hasAuthServerMetadata: documents.length > 0,
    supportsPkce,
    hasDynamicRegistration: documents.some(canRegister),
    hasValidOAuthConfig: isAbout(field(resource.document, 'resource'), endpoint) && documents.some(isUsable),
  };
}

/** Why clients cannot log in with these documents; undefined if they can. */
export function loginProblem({ endpoint, resource, servers }: Discovery): string | undefined {
  const documents = present(servers.map(({ document }) => document));
  if (documents.length === 0) return 'no metadata says how clients get a token';
  if (resource.document !== undefined && !isAbout(field(resource.document, 'resource'), endpoint))
    return 'the resource metadata is of another resource, so clients must not use it';
  return documents.some(hasSafeUrls) ? undefined : 'no authorization server has https URLs for login and tokens';
}

export function canRegister(document: PlainObject): boolean {
  return (
    field(document, 'registration_endpoint') !== undefined ||
    field(document, 'client_id_metadata_document_supported') === true
  );
}

export function hasPkce(document: PlainObject): boolean {
  return texts(field(document, 'code_challenge_methods_supported')).includes('S256');
}

function isUsable(document: PlainObject): boolean {
  return hasPkce(document) && hasSafeUrls(document);
}

function hasSafeUrls(document: PlainObject): boolean {
  const addresses = [field(document, 'authorization_endpoint'), field(document, 'token_endpoint')];
  return addresses.every((address) => isHttpsOrLoopback(address));
}
