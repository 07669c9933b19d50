import {
  createHttpClient,
  createUpstreamLimits,
  type HttpAnswer,
  type HttpClient,
  HttpError,
  type HttpOptions,
  type UpstreamLimits,
} from '@schemakit/http';
import type { Finding } from '../format/finding.ts';
import type { FetchBroker } from '../handlers/handler-call.ts';
import type { CallContext, UpstreamOptions, UpstreamUse } from './call-context.ts';
import {
  carriesSecret,
  type NetworkGrant,
  notGranted,
  outgoingRequest,
  secretBlocked,
  withoutFraming,
} from './outgoing-request.ts';
import type { RequestPlan } from './plan-request.ts';
import type { SecretVault } from './secret-vault.ts';
import { requestFinding } from './upstream-error.ts';

/** One client for all requests of this process, so that they share connections. Idle ones do not keep the process alive. */
export const http: HttpClient = createHttpClient();

/** Everything that stands between a planned request and the network. */
export interface Upstream {
  network: NetworkGrant;
  vault: SecretVault;
  access: UpstreamAccess;
  context: CallContext;
}

export type SendResult = { ok: true; answer: HttpAnswer } | { ok: false; finding: Finding };

/** Sends a planned request. Secrets take the places of their tokens here, and only towards an origin of the grant. */
export async function sendRequest(plan: RequestPlan, upstream: Upstream): Promise<SendResult> {
  const { network, vault, access, context } = upstream;
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
        ...limitsOf(context),
      },
    );
    access.note(answer);
    return { ok: true, answer };
  } catch (error) {
    access.noteFailure(error);
    return { ok: false, finding: requestFinding(error) };
  }
}

export function limitsOf({ signal, timeoutMs }: CallContext): Pick<HttpOptions, 'signal' | 'timeoutMs'> {
  return { ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }) };
}

/**
 * The `fetch` that handlers have: made by us, under the schema's grant, with secrets put in on the way out. `onRefused`
 * learns of requests outside of the grant, since a handler may not pass on why its request failed.
 */
export function createFetchBroker(
  { network, vault, access, context }: Upstream,
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
        ...limitsOf(context),
        signal,
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

/** How the requests of one call reach an API, and what they took. */
export interface UpstreamAccess {
  /** For each of its requests. */
  options: Pick<HttpOptions, 'limits' | 'watch' | 'onWait'>;
  use: UpstreamUse;
  /** Takes an answer. */
  note(answer: HttpAnswer): void;
  /** Takes what came in place of an answer. */
  noteFailure(error: unknown): void;
}

const known = new WeakMap<UpstreamOptions, UpstreamLimits>();

/** The limits that belong to these options, made when they are first used. */
function sharedLimits(options: UpstreamOptions): UpstreamLimits {
  const limits = known.get(options) ?? createUpstreamLimits(options);
  known.set(options, limits);
  return limits;
}

export function openUpstreamAccess({ upstream, onProgress }: CallContext): UpstreamAccess {
  const use: UpstreamUse = { attempts: 0, waitedMs: 0 };
  const watch = upstream?.watch;
  return {
    options: {
      ...(upstream && { limits: sharedLimits(upstream) }),
      ...(watch && { watch }),
      ...(onProgress && { onWait: (waitMs) => onProgress(waitText(waitMs)) }),
    },
    use,
    note({ attempts, redirects, waitedMs }) {
      use.attempts = Math.max(use.attempts, attempts - redirects.length);
      use.waitedMs += waitedMs;
    },
    noteFailure(error) {
      if (error instanceof HttpError) use.waitedMs += error.waitedMs ?? 0;
    },
  };
}

/** Undefined for one request that was sent at once. */
export function useToReport({ attempts, waitedMs }: UpstreamUse): UpstreamUse | undefined {
  return attempts > 1 || waitedMs >= 1 ? { attempts, waitedMs: Math.round(waitedMs) } : undefined;
}

function waitText(waitMs: number | undefined): string {
  if (waitMs === undefined) return 'Waiting in line for the API';
  return `Waiting ${(waitMs / 1000).toFixed(1)} seconds until the API may be asked`;
}
