import {
  createHttpClient,
  createOriginMatcher,
  createUpstreamLimits,
  type HttpAnswer,
  HttpError,
  type HttpOptions,
  type NetworkPolicy,
  type UpstreamLimits,
} from '@schemakit/http';
import { rootOrigin } from '../lock/secret-routes.ts';
import type { FetchBroker } from '../sandbox/fetch-broker.ts';
import { createBodyMask } from '../sandbox/mask-response.ts';
import type { Finding } from '../schema/finding.ts';
import type { Tool } from '../schema/schema.ts';
import type { CallContext, UpstreamOptions, UpstreamUse } from './call-context.ts';
import { callFinding } from './call-findings.ts';
import type { RequestPlan } from './plan-request.ts';
import { encodeToolBody, hasHeader, type OutgoingBody } from './request/encode-body.ts';
import { multipartBytes } from './request/multipart.ts';
import { setHeader } from './request/plan-headers.ts';
import type { SecretVault } from './secret-vault.ts';
import type { Sign } from './sign-request.ts';

/** Where the requests of a schema may go. */
export interface NetworkGrant {
  /** Whether a request may go to a URL. */
  allows(url: string): boolean;
  /** Whether a URL belongs to the schema's own root, the only origin that gets its secrets. */
  isRoot(url: string): boolean;
  /** Whether requests to the root are signed, which needs the same permission as to send a secret. */
  isSigned?: boolean;
  /** The finding for a URL of the root that may not get the secrets after all. */
  unsendable?(url: string): Finding | undefined;
  /** The allowed origins, for messages. */
  origins: readonly string[] | 'any';
  /** For planned requests: they may be redirected to any public address, without secrets. */
  policy: NetworkPolicy;
  /** For requests of handlers: only the granted origins, redirects included. */
  handlerPolicy: NetworkPolicy;
}

/** The origin of the schema and those granted to it. A host label such as `--network--`, which a hook fills in, matches any one label. */
export function networkGrant(
  root: string,
  { granted, approveRoot }: { granted: readonly string[] | 'any'; approveRoot: boolean },
): NetworkGrant {
  const origin = originOf(root);
  const own = rootOrigin(root);
  const origins = granted === 'any' ? 'any' : [...(own === undefined ? [] : [own]), ...granted];
  // An origin granted by its full name may be private.
  const named = granted === 'any' ? [] : granted.filter((pattern) => !pattern.includes('*'));
  const privateOrigins = [...(own !== undefined && own === origin && approveRoot ? [own] : []), ...named];
  const prefix = own !== undefined && own === origin ? `${own}/` : undefined;
  const matches = origins === 'any' ? () => true : createOriginMatcher(origins);
  const matchesRoot = createOriginMatcher(own === undefined ? [] : [own]);
  return {
    origins,
    policy: { privateOrigins },
    handlerPolicy: origins === 'any' ? { privateOrigins } : { privateOrigins, allowedOrigins: origins },
    allows(url) {
      // Most requests go to the root, and need no parsing of their URL.
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

/** A request as it is sent, except that secrets are still tokens. */
export interface OutgoingRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  /** Undefined for a request without a body. */
  body: OutgoingBody | undefined;
}

// These frame the message (RFC 9112); a schema or a handler that sets them could smuggle a second request.
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

/** Encodes a planned request, if the grant of its schema allows it. */
export function outgoingRequest(
  plan: RequestPlan,
  { tool, network }: { tool: Tool; network: NetworkGrant },
  vault: SecretVault,
): { ok: true; request: OutgoingRequest } | { ok: false; finding: Finding } {
  const { url, method } = plan;
  if (!network.allows(url)) return { ok: false, finding: notGranted(url, network) };
  const withoutBody = plan.body === undefined || method === 'GET' || method === 'HEAD';
  const headers = withoutFraming(plan.headers);
  const isJson = tool.encoding === undefined || tool.encoding === 'json';
  if (!withoutBody && isJson && !hasHeader(headers, 'content-type')) headers['Content-Type'] = 'application/json';
  const encoded = withoutBody ? undefined : encodeToolBody(plan.body ?? null, headers, tool);
  if (encoded?.ok === false) return encoded;
  if (encoded?.contentType !== undefined) setHeader(headers, 'Content-Type', encoded.contentType);
  const body = encoded?.body;
  const blocked = blockedSecret({ url, headers, body }, network, vault);
  if (blocked) return { ok: false, finding: blocked };
  return { ok: true, request: { url, method, headers, body } };
}

/** The finding for a request with a secret that its origin may not get. */
function blockedSecret(
  request: Parameters<typeof carriesSecret>[0],
  network: NetworkGrant,
  vault: SecretVault,
): Finding | undefined {
  const { url } = request;
  const isRoot = network.isRoot(url);
  if (isRoot && network.unsendable === undefined) return undefined;
  if (!(isRoot && network.isSigned) && !carriesSecret(request, vault)) return undefined;
  return isRoot ? network.unsendable?.(vault.revealUrl(url)) : secretBlocked(url);
}

/** Whether a request contains a secret, in any spelling that answers are searched for, or the token of one. */
function carriesSecret(
  { url, headers, body }: { url: string; headers: Readonly<Record<string, string>>; body?: OutgoingBody | undefined },
  vault: SecretVault,
): boolean {
  if (vault.values.length === 0) return false;
  const contents = partsOf(body);
  const texts = [url, ...Object.entries(headers).flat(), ...contents.filter((part) => typeof part === 'string')];
  return (
    texts.some((text) => vault.containsSecret(text)) ||
    contents.some((part) => typeof part !== 'string' && bytesCarry(part, vault))
  );
}

/** Texts and bytes of a body. */
function partsOf(body: OutgoingBody | undefined): (string | Uint8Array)[] {
  if (body === undefined) return [];
  if (typeof body === 'string' || body instanceof Uint8Array) return [body];
  return body.parts.flatMap(({ name, filename = '', content }) => [name, filename, content]);
}

/** Searches bytes as the mask of answers does: as UTF-8, byte by byte, and as UTF-16. */
function bytesCarry(body: Uint8Array, vault: SecretVault): boolean {
  return (
    vault.containsSecret(Buffer.from(body).toString('latin1')) || !Buffer.from(createBodyMask(vault)(body)).equals(body)
  );
}

function withoutFraming(headers: Readonly<Record<string, string>>): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (!framing.has(name.toLowerCase())) sent[name] = value;
  return sent;
}

function notGranted(url: string, network: NetworkGrant): Finding {
  const origin = originOf(url);
  if (origin === undefined) {
    const [scheme = ''] = url.split('/', 1);
    const hint = 'Correct main.root, or give the tool an executeRequest handler when it needs no HTTP.';
    return callFinding('INVALID_URL', `This is not an http(s) URL: ${scheme}//…`, { hint });
  }
  const allowed = network.origins === 'any' ? 'any' : network.origins.join(', ');
  const message = `A handler of this schema tried to reach ${origin}, but may reach ${allowed === '' ? 'no origin at all' : `only ${allowed}`}.`;
  const hint = `If you trust the schema with it: schemakit trust <file> --network ${origin}; in a program, loadSchema({ filePath, grants: { network: [${JSON.stringify(origin)}] } }).`;
  return callFinding('ORIGIN_BLOCKED', message, { hint });
}

/** The finding for a secret on its way to another origin than the root, whatever else a handler may reach. */
function secretBlocked(url: string): Finding {
  const message = `A handler of this schema tried to send a secret to ${originOf(url)}, which is not its root.`;
  return callFinding('SECRET_BLOCKED', message, { hint: 'Secrets go only to the origin of main.root.' });
}

/** One client for all requests of this process, so that they share connections. Idle ones do not keep the process alive. */
const http = createHttpClient();

/** What a call and its requests share. */
export interface RequestScope {
  vault: SecretVault;
  context: CallContext;
  /** Updated by each request. */
  use: UpstreamUse;
  /** Signs the requests to the root. */
  sign?: Sign | undefined;
}

/** Makes a request, with the secrets instead of their tokens. */
export async function sendRequest(
  { url, method, headers, body }: Omit<OutgoingRequest, 'body'> & Partial<OutgoingRequest>,
  { vault, context, use, sign }: RequestScope,
  options: Pick<HttpOptions, 'policy' | 'redirect' | 'signal' | 'timeoutMs' | 'maxBytes' | 'purpose'>,
): Promise<HttpAnswer> {
  const { upstream, onProgress } = context;
  const { policy, redirect, maxBytes, purpose, signal = context.signal, timeoutMs = context.timeoutMs } = options;
  const reveal = (text: string) => vault.revealBody(text, headers);
  const isPlain = body === undefined || body instanceof Uint8Array;
  const revealed = isPlain ? body : typeof body === 'string' ? reveal(body) : multipartBytes(body, reveal);
  const plain = {
    url: vault.revealUrl(url),
    method,
    headers: vault.revealHeaders(headers),
    ...(revealed !== undefined && { body: revealed }),
  };
  const request = { ...plain, ...sign?.(plain) };
  // Those of a signature too, which is worth as much as a secret.
  const added = Object.keys(request.headers).filter((name) => request.headers[name] !== plain.headers[name]);
  try {
    const answer = await http.request(request, {
      policy,
      redirect,
      signal,
      timeoutMs,
      maxBytes,
      purpose,
      limits: upstream && sharedLimits(upstream),
      watch: upstream?.watch,
      onWait: onProgress && ((waitMs) => onProgress(waitText(waitMs))),
      secretHeaders: [...secretHeaders(headers, vault), ...added],
      secretValues: vault.values,
    });
    use.attempts = Math.max(use.attempts, answer.attempts - answer.redirects.length);
    use.waitedMs += answer.waitedMs;
    return answer;
  } catch (error) {
    if (error instanceof HttpError) use.waitedMs += error.waitedMs ?? 0;
    throw error;
  }
}

/**
 * The `fetch` of handlers: made by this process, under the schema's grant, with secrets inserted on the way out. `onRefused`
 * receives the finding for a request outside of the grant, since the handler may swallow the error.
 */
export function createFetchBroker(
  network: NetworkGrant,
  scope: RequestScope,
  onRefused: (finding: Finding) => void,
): FetchBroker {
  return async ({ url, method, headers, body, redirect }, signal) => {
    const refused = !network.allows(url)
      ? notGranted(url, network)
      : blockedSecret({ url, headers, body }, network, scope.vault);
    if (refused) {
      onRefused(refused);
      throw new Error(refused.message);
    }
    const request = { url, method, headers: withoutFraming(headers), body };
    return sendRequest(request, scope, { policy: network.handlerPolicy, redirect, signal });
  };
}

function secretHeaders(headers: Readonly<Record<string, string>>, vault: SecretVault): string[] {
  if (vault.values.length === 0) return [];
  return Object.entries(headers).flatMap(([name, value]) => (vault.containsSecret(value) ? [name.toLowerCase()] : []));
}

const limitsByOptions = new WeakMap<UpstreamOptions, UpstreamLimits>();

/** The limits that belong to these options, created on first use. */
function sharedLimits(options: UpstreamOptions): UpstreamLimits {
  const limits = limitsByOptions.get(options) ?? createUpstreamLimits(options);
  limitsByOptions.set(options, limits);
  return limits;
}

function waitText(waitMs: number | undefined): string {
  if (waitMs === undefined) return 'Waiting in the queue for the API';
  return `Waiting ${(waitMs / 1000).toFixed(1)} seconds before the next request to the API`;
}
