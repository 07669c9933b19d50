import type { HttpAnswer, HttpClient } from '@schemakit/http';
import type { Finding } from '../format/finding.ts';
import type { FetchBroker } from '../handlers/handler-call.ts';
import type { NetworkGrant } from './network-grant.ts';
import { carriesSecret, notGranted, outgoingRequest, secretBlocked, withoutFraming } from './outgoing-request.ts';
import type { RequestPlan } from './plan-request.ts';
import type { SecretVault } from './secret-vault.ts';
import type { UpstreamAccess } from './upstream-access.ts';
import { requestFinding } from './upstream-error.ts';

/** Everything that stands between a planned request and the network. */
export interface Upstream {
  http: HttpClient;
  network: NetworkGrant;
  vault: SecretVault;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  access: UpstreamAccess;
}

export type SendResult = { ok: true; answer: HttpAnswer } | { ok: false; finding: Finding };

/** Sends a planned request. Secrets take the places of their tokens here, and only towards an origin of the grant. */
export async function sendRequest(plan: RequestPlan, upstream: Upstream): Promise<SendResult> {
  const { http, network, vault, signal, timeoutMs, access } = upstream;
  const outgoing = outgoingRequest(plan, upstream);
  if (!outgoing.ok) return outgoing;
  const { url, method, headers, body } = outgoing.request;
  try {
    const answer = await http.request(
      {
        url: vault.revealUrl(url),
        method,
        headers: vault.revealHeaders(headers),
        ...(body !== undefined && { body: vault.revealBody(body, headers) }),
      },
      {
        ...access.options,
        policy: network.policy,
        secretHeaders: secretHeaders(plan.headers, vault),
        secretValues: vault.values,
        ...(signal && { signal }),
        ...(timeoutMs !== undefined && { timeoutMs }),
      },
    );
    access.note(answer);
    return { ok: true, answer };
  } catch (error) {
    access.noteFailure(error);
    return { ok: false, finding: requestFinding(error) };
  }
}

/**
 * The `fetch` that handlers have: made by us, under the schema's grant, with secrets put in on the way out. `onRefused`
 * learns of requests outside of the grant, since a handler may not pass on why its request failed.
 */
export function createFetchBroker(
  { http, network, vault, timeoutMs, access }: Upstream,
  onRefused: (finding: Finding) => void,
): FetchBroker {
  return async ({ url, method, headers, body, redirect }, signal) => {
    if (!network.allows(url)) {
      const finding = notGranted(url, network);
      onRefused(finding);
      throw new Error(finding.message);
    }
    if (!network.isRoot(url) && carriesSecret({ url, headers, body }, vault)) {
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
        ...access.options,
        policy: network.handlerPolicy,
        ...(redirect && { redirect }),
        secretHeaders: secretHeaders(headers, vault),
        secretValues: vault.values,
        signal,
        ...(timeoutMs !== undefined && { timeoutMs }),
      },
    );
    access.note(answer);
    return answer;
  };
}

function secretHeaders(headers: Readonly<Record<string, string>>, vault: SecretVault): string[] {
  if (vault.values.length === 0) return [];
  return Object.entries(headers).flatMap(([name, value]) => (vault.holdsSecret(value) ? [name.toLowerCase()] : []));
}
