import {
  createHttpClient,
  createUpstreamLimits,
  type HttpAnswer,
  HttpError,
  type HttpOptions,
  type UpstreamLimits,
} from '@schemakit/http';
import type { FetchBroker } from '../sandbox/fetch-broker.ts';
import type { Finding } from '../schema/finding.ts';
import type { CallContext, UpstreamOptions, UpstreamUse } from './call-context.ts';
import {
  carriesSecret,
  type NetworkGrant,
  notGranted,
  type OutgoingRequest,
  outgoingRequest,
  secretBlocked,
  withoutFraming,
} from './outgoing-request.ts';
import type { RequestPlan } from './plan-request.ts';
import type { SecretVault } from './secret-vault.ts';
import { requestFinding } from './upstream-error.ts';

/** One client for all requests of this process, so that they share connections. Idle ones do not keep the process alive. */
const http = createHttpClient();

/** What stands between the requests of a call and the network. */
export interface Upstream {
  vault: SecretVault;
  context: CallContext;
  /** What the requests took so far. */
  use: UpstreamUse;
}

export interface GrantedUpstream extends Upstream {
  network: NetworkGrant;
}

/** Makes a request. Secrets take the places of their tokens here, and only towards an origin of the grant. */
export async function exchange(
  { url, method, headers, body }: Omit<OutgoingRequest, 'body'> & { body?: string | Uint8Array | undefined },
  { vault, context, use }: Upstream,
  options: HttpOptions,
): Promise<HttpAnswer> {
  const { upstream, onProgress, signal, timeoutMs } = context;
  const revealed = typeof body === 'string' ? vault.revealBody(body, headers) : body;
  try {
    const answer = await http.request(
      {
        url: vault.revealUrl(url),
        method,
        headers: vault.revealHeaders(headers),
        ...(revealed !== undefined && { body: revealed }),
      },
      {
        ...(upstream && { limits: sharedLimits(upstream) }),
        ...(upstream?.watch && { watch: upstream.watch }),
        ...(onProgress && { onWait: (waitMs) => onProgress(waitText(waitMs)) }),
        ...(signal && { signal }),
        ...(timeoutMs !== undefined && { timeoutMs }),
        secretHeaders: secretHeaders(headers, vault),
        secretValues: vault.values,
        ...options,
      },
    );
    use.attempts = Math.max(use.attempts, answer.attempts - answer.redirects.length);
    use.waitedMs += answer.waitedMs;
    return answer;
  } catch (error) {
    if (error instanceof HttpError) use.waitedMs += error.waitedMs ?? 0;
    throw error;
  }
}

export type SendResult = { ok: true; answer: HttpAnswer } | { ok: false; finding: Finding };

/** Sends a planned request. */
export async function sendRequest(plan: RequestPlan, upstream: GrantedUpstream): Promise<SendResult> {
  const outgoing = outgoingRequest(plan, upstream);
  if (!outgoing.ok) return outgoing;
  try {
    return { ok: true, answer: await exchange(outgoing.request, upstream, { policy: upstream.network.policy }) };
  } catch (error) {
    return { ok: false, finding: requestFinding(error) };
  }
}

/**
 * The `fetch` that handlers have: made by us, under the schema's grant, with secrets put in on the way out. `onRefused`
 * learns of requests outside of the grant, since a handler may not pass on why its request failed.
 */
export function createFetchBroker(upstream: GrantedUpstream, onRefused: (finding: Finding) => void): FetchBroker {
  const { network, vault } = upstream;
  return async ({ url, method, headers, body, redirect }, signal) => {
    const refused = !network.allows(url)
      ? notGranted(url, network)
      : !network.isRoot(url) && carriesSecret({ url, headers, body }, vault)
        ? secretBlocked(url)
        : undefined;
    if (refused) {
      onRefused(refused);
      throw new Error(refused.message);
    }
    const request = { url, method, headers: withoutFraming(headers), body };
    return exchange(request, upstream, { policy: network.handlerPolicy, ...(redirect && { redirect }), signal });
  };
}

function secretHeaders(headers: Readonly<Record<string, string>>, vault: SecretVault): string[] {
  if (vault.values.length === 0) return [];
  return Object.entries(headers).flatMap(([name, value]) => (vault.holdsSecret(value) ? [name.toLowerCase()] : []));
}

const known = new WeakMap<UpstreamOptions, UpstreamLimits>();

/** The limits that belong to these options, made when they are first used. */
function sharedLimits(options: UpstreamOptions): UpstreamLimits {
  const limits = known.get(options) ?? createUpstreamLimits(options);
  known.set(options, limits);
  return limits;
}

/** Undefined for one request that was sent at once. */
export function useToReport({ attempts, waitedMs }: UpstreamUse): UpstreamUse | undefined {
  return attempts > 1 || waitedMs >= 1 ? { attempts, waitedMs: Math.round(waitedMs) } : undefined;
}

function waitText(waitMs: number | undefined): string {
  if (waitMs === undefined) return 'Waiting in line for the API';
  return `Waiting ${(waitMs / 1000).toFixed(1)} seconds until the API may be asked`;
}
