import type { HttpAnswer, HttpClient } from '@schemakit/http';
import type { Finding } from '../format/finding.ts';
import type { FetchBroker } from '../handlers/handler-call.ts';
import { encodeBody } from './encode-body.ts';
import { type NetworkGrant, originOf } from './network-grant.ts';
import { hasHeader, type RequestPlan } from './plan-request.ts';
import type { SecretVault } from './secret-vault.ts';
import { requestFinding } from './upstream-error.ts';

/** Everything that stands between a planned request and the network. */
export interface Upstream {
  http: HttpClient;
  network: NetworkGrant;
  vault: SecretVault;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
}

export type SendResult = { ok: true; answer: HttpAnswer } | { ok: false; finding: Finding };

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

/** Sends a planned request. Secrets take the places of their tokens here, and only towards an origin of the grant. */
export async function sendRequest(plan: RequestPlan, upstream: Upstream): Promise<SendResult> {
  const { http, network, vault, signal, timeoutMs } = upstream;
  if (!network.allows(plan.url)) return { ok: false, finding: notGranted(plan.url, network) };
  const withoutBody = plan.body === undefined || plan.method === 'GET' || plan.method === 'HEAD';
  const headers = withoutFraming(plan.headers);
  if (!withoutBody && !hasHeader(headers, 'content-type')) headers['Content-Type'] = 'application/json';
  const body = withoutBody ? undefined : encodeBody(plan.body ?? null, headers);
  if (carriesSecret({ url: plan.url, headers, body }, vault) && !network.isRoot(plan.url)) {
    return { ok: false, finding: secretBlocked(plan.url) };
  }
  try {
    const answer = await http.request(
      {
        url: vault.revealUrl(plan.url),
        method: plan.method,
        headers: vault.revealHeaders(headers),
        ...(body !== undefined && { body: vault.revealBody(body, headers) }),
      },
      {
        policy: network.policy,
        secretHeaders: secretHeaders(plan.headers, vault),
        secretValues: vault.values,
        ...(signal && { signal }),
        ...(timeoutMs !== undefined && { timeoutMs }),
      },
    );
    return { ok: true, answer };
  } catch (error) {
    return { ok: false, finding: requestFinding(error) };
  }
}

/**
 * The `fetch` that handlers have: made by us, under the schema's grant, with secrets put in on the way out. `onRefused`
 * learns of requests outside of the grant, since a handler may not pass on why its request failed.
 */
export function createFetchBroker(
  { http, network, vault, timeoutMs }: Upstream,
  onRefused: (finding: Finding) => void,
): FetchBroker {
  return async ({ url, method, headers, body }, signal) => {
    if (!network.allows(url)) {
      const finding = notGranted(url, network);
      onRefused(finding);
      throw new Error(finding.message);
    }
    if (carriesSecret({ url, headers, body }, vault) && !network.isRoot(url)) {
      const finding = secretBlocked(url);
      onRefused(finding);
      throw new Error(finding.message);
    }
    const text = typeof body === 'string' ? vault.revealBody(body, headers) : body;
    const answer = await http.request(
      {
        url: vault.revealUrl(url),
        method,
        headers: vault.revealHeaders(withoutFraming(headers)),
        ...(text !== undefined && { body: text }),
      },
      {
        policy: network.handlerPolicy,
        secretHeaders: secretHeaders(headers, vault),
        secretValues: vault.values,
        signal,
        ...(timeoutMs !== undefined && { timeoutMs }),
      },
    );
    if (vault.values.length === 0) return answer;
    const scrubbed = Object.entries(answer.headers).map(([name, value]) => [name, vault.scrub(value)] as const);
    return {
      ...answer,
      url: vault.scrub(answer.url),
      headers: Object.fromEntries(scrubbed),
      body: scrubBytes(answer.body, vault),
    };
  };
}

function carriesSecret(
  {
    url,
    headers,
    body,
  }: { url: string; headers: Readonly<Record<string, string>>; body?: string | Uint8Array | undefined },
  vault: SecretVault,
): boolean {
  if (vault.values.length === 0) return false;
  const text = typeof body === 'string' ? body : Buffer.from(body ?? []).toString('latin1');
  return [url, text, ...Object.values(headers)].some((part) => vault.holdsSecret(part));
}

function scrubBytes(body: Uint8Array, vault: SecretVault): Uint8Array {
  // latin1 maps bytes to characters one to one, so binary bodies survive; secrets are ASCII in practice.
  const text = Buffer.from(body).toString('latin1');
  const scrubbed = vault.scrub(text);
  return scrubbed === text ? body : Buffer.from(scrubbed, 'latin1');
}

function withoutFraming(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !framing.has(name.toLowerCase())));
}

function secretHeaders(headers: Readonly<Record<string, string>>, vault: SecretVault): string[] {
  if (vault.values.length === 0) return [];
  return Object.entries(headers).flatMap(([name, value]) => (vault.holdsSecret(value) ? [name.toLowerCase()] : []));
}

function notGranted(url: string, network: NetworkGrant): Finding {
  const origin = originOf(url);
  if (origin === undefined) {
    const [scheme = ''] = url.split('/', 1);
    return {
      code: 'INVALID_URL',
      severity: 'error',
      path: '',
      message: `This is no http(s) address: ${scheme}//…`,
      hint: 'Correct main.root, or give the tool an executeRequest handler when it needs no HTTP.',
    };
  }
  const allowed = network.origins === 'any' ? 'any' : network.origins.join(', ');
  return {
    code: 'ORIGIN_BLOCKED',
    severity: 'error',
    path: '',
    message: `A handler of this schema wants to reach ${origin}, and may reach only ${allowed || 'nothing'}.`,
    hint: `If you trust the schema with it, grant it: loadSchema({ filePath, grants: { network: [${JSON.stringify(origin)}] } }).`,
  };
}

/** Secrets are bound to the origin that they were given for, whatever else a handler may reach. */
function secretBlocked(url: string): Finding {
  return {
    code: 'SECRET_BLOCKED',
    severity: 'error',
    path: '',
    message: `A handler of this schema wants to send a secret to ${originOf(url)}, which is not its root.`,
    hint: 'Secrets go only to the origin of main.root.',
  };
}
