import { createOriginMatcher, type NetworkPolicy } from '@schemakit/http';
import { createBodyMask } from '../sandbox/mask-response.ts';
import type { Finding } from '../schema/finding.ts';
import { callFinding } from './call-finding.ts';
import { encodeBody, hasHeader, type RequestPlan } from './plan-request.ts';
import type { SecretVault } from './secret-vault.ts';

/** Where the requests of a schema may go. */
export interface NetworkGrant {
  /** Tells whether a planned request, or one that a hook changed, may go to a URL. */
  allows(url: string): boolean;
  /** Tells whether a URL is of the schema's own root: the only place for its secrets. */
  isRoot(url: string): boolean;
  /** The origins that are allowed, for messages. */
  origins: readonly string[] | 'any';
  /** For planned requests: redirects may lead to any public address, without secrets. */
  policy: NetworkPolicy;
  /** For requests that handlers make: the origins and nothing else, redirects included. */
  handlerPolicy: NetworkPolicy;
}

/** What a program or a user granted beside the schema's own root. */
export interface GrantedNetwork {
  granted: readonly string[] | 'any';
  /** Whether the root's origin is approved even where its host is private. */
  approveRoot: boolean;
}

/**
 * The grant of a schema: the origin of its own `root`, and what was granted to it. A label such as `--network--`, which a
 * hook fills in, stands for any one label.
 */
export function networkGrant(root: string, { granted, approveRoot }: GrantedNetwork): NetworkGrant {
  // A server parameter in the host stands for one label as well.
  const origin = originOf(root.replace(/\{\{[^{}]*\}\}/g, '--x--'));
  const own = origin?.replace(/--[a-z0-9_-]+?--/gi, '*');
  const origins = granted === 'any' ? 'any' : [...(own === undefined ? [] : [own]), ...granted];
  // An origin that was granted by its full name may be private too.
  const named = granted === 'any' ? [] : granted.filter((pattern) => !pattern.includes('*'));
  const privateOrigins = [...(origin !== undefined && own === origin && approveRoot ? [origin] : []), ...named];
  const prefix = origin === own && origin !== undefined ? `${origin}/` : undefined;
  const matches = origins === 'any' ? () => true : createOriginMatcher(origins);
  const matchesRoot = createOriginMatcher(own === undefined ? [] : [own]);
  return {
    origins,
    policy: { privateOrigins },
    handlerPolicy: origins === 'any' ? { privateOrigins } : { privateOrigins, allowedOrigins: origins },
    allows(url) {
      // Nearly every request goes to the root; parsing its URL once more would cost more than planning it.
      if (prefix !== undefined && url.startsWith(prefix)) return true;
      return originOf(url) !== undefined && matches(new URL(url));
    },
    isRoot(url) {
      if (prefix !== undefined && url.startsWith(prefix)) return true;
      return originOf(url) !== undefined && matchesRoot(new URL(url));
    },
  };
}

/** Scheme, host and port of an http(s) URL; undefined for anything else. */
function originOf(url: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed?.protocol === 'https:' || parsed?.protocol === 'http:' ? parsed.origin : undefined;
}

/** A request as it is sent, but for secrets that are still tokens. */
export interface OutgoingRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  /** Undefined for a request without a body. */
  body: string | undefined;
}

export type OutgoingResult = { ok: true; request: OutgoingRequest } | { ok: false; finding: Finding };

// These frame the message itself (RFC 9112); a schema or a handler that sets them could smuggle a second request.
const framing = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
  'keep-alive',
  'te',
  'trailer',
  'expect',
]);

/** Writes a planned request as it is to be sent, if the grant of its schema allows it. */
export function outgoingRequest(
  plan: RequestPlan,
  { network, vault }: { network: NetworkGrant; vault: SecretVault },
): OutgoingResult {
  const { url, method } = plan;
  if (!network.allows(url)) return { ok: false, finding: notGranted(url, network) };
  const withoutBody = plan.body === undefined || method === 'GET' || method === 'HEAD';
  const headers = withoutFraming(plan.headers);
  if (!withoutBody && !hasHeader(headers, 'content-type')) headers['Content-Type'] = 'application/json';
  const body = withoutBody ? undefined : encodeBody(plan.body ?? null, headers);
  if (!network.isRoot(url) && carriesSecret({ url, headers, body }, vault)) {
    return { ok: false, finding: secretBlocked(url) };
  }
  return { ok: true, request: { url, method, headers, body } };
}

/** Whether a secret is in a request, in any spelling that is masked in what comes back, or the token of one. */
export function carriesSecret(
  {
    url,
    headers,
    body,
  }: { url: string; headers: Readonly<Record<string, string>>; body?: string | Uint8Array | undefined },
  vault: SecretVault,
): boolean {
  if (vault.values.length === 0) return false;
  const texts = [url, ...Object.entries(headers).flat(), ...(typeof body === 'string' ? [body] : [])];
  return texts.some((text) => vault.holdsSecret(text)) || (body instanceof Uint8Array && bytesCarry(body, vault));
}

/** Bytes are read as the mask of answers reads them: as UTF-8, one by one, and as UTF-16. */
function bytesCarry(body: Uint8Array, vault: SecretVault): boolean {
  return (
    vault.holdsSecret(Buffer.from(body).toString('latin1')) || !Buffer.from(createBodyMask(vault)(body)).equals(body)
  );
}

export function withoutFraming(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (!framing.has(name.toLowerCase())) kept[name] = value;
  return kept;
}

/** The finding for an address outside of the schema's grant. */
export function notGranted(url: string, network: NetworkGrant): Finding {
  const origin = originOf(url);
  if (origin === undefined) {
    const [scheme = ''] = url.split('/', 1);
    const hint = 'Correct main.root, or give the tool an executeRequest handler when it needs no HTTP.';
    return callFinding('INVALID_URL', `This is no http(s) address: ${scheme}//…`, { hint });
  }
  const allowed = network.origins === 'any' ? 'any' : network.origins.join(', ');
  const message = `A handler of this schema wants to reach ${origin}, and may reach ${allowed === '' ? 'no origin at all' : `only ${allowed}`}.`;
  const hint = `If you trust the schema with it: schemakit trust <file> --network ${origin}; in a program, loadSchema({ filePath, grants: { network: [${JSON.stringify(origin)}] } }).`;
  return callFinding('ORIGIN_BLOCKED', message, { hint });
}

/** Secrets are bound to the origin that they were given for, whatever else a handler may reach. */
export function secretBlocked(url: string): Finding {
  const message = `A handler of this schema wants to send a secret to ${originOf(url)}, which is not its root.`;
  return callFinding('SECRET_BLOCKED', message, { hint: 'Secrets go only to the origin of main.root.' });
}
