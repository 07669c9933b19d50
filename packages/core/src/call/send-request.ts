import {
  createHttpClient,
  createUpstreamLimits,
  type HttpAnswer,
  HttpError,
  type HttpOptions,
  type UpstreamLimits,
} from '@schemakit/http';
import type { FetchBroker } from '../sandbox/handler-call.ts';
import type { Finding } from '../schema/finding.ts';
import type { CallContext, UpstreamOptions, UpstreamUse } from './call-context.ts';
import {
  carriesSecret,
  type NetworkGrant,
  notGranted,
  type OutgoingRequest,
  secretBlocked,
  withoutFraming,
} from './outgoing-request.ts';
import type { SecretVault } from './secret-vault.ts';

/** One client for all requests of this process, so that they share connections. Idle ones do not keep the process alive. */
const http = createHttpClient();

/** What a call and its requests share. */
export interface RequestScope {
  vault: SecretVault;
  context: CallContext;
  /** Updated by each request. */
  use: UpstreamUse;
}

/** Makes a request, with the secrets in place of their tokens. */
export async function sendRequest(
  { url, method, headers, body }: Omit<OutgoingRequest, 'body'> & { body?: string | Uint8Array | undefined },
  { vault, context, use }: RequestScope,
  options: Pick<HttpOptions, 'policy' | 'redirect' | 'signal'>,
): Promise<HttpAnswer> {
  const { upstream, onProgress, timeoutMs } = context;
  const { policy, redirect, signal = context.signal } = options;
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
        policy,
        redirect,
        signal,
        timeoutMs,
        limits: upstream && sharedLimits(upstream),
        watch: upstream?.watch,
        onWait: onProgress && ((waitMs) => onProgress(waitText(waitMs))),
        secretHeaders: secretHeaders(headers, vault),
        secretValues: vault.values,
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
      : !network.isRoot(url) && carriesSecret({ url, headers, body }, scope.vault)
        ? secretBlocked(url)
        : undefined;
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
  return Object.entries(headers).flatMap(([name, value]) => (vault.holdsSecret(value) ? [name.toLowerCase()] : []));
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
