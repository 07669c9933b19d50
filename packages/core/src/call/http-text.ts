import type { NetworkPolicy } from '@schemakit/http';
import type { UpstreamOptions } from './upstream-options.ts';

/** How a document may be fetched. */
export interface HttpTextOptions {
  /** Where it may lie. Public addresses need no entry. */
  policy: NetworkPolicy;
  signal?: AbortSignal | undefined;
  /** In milliseconds. Default 30,000. */
  timeoutMs?: number | undefined;
  /** The limits of the request. Default none. */
  upstream?: UpstreamOptions | undefined;
}

/** Gets a public document as text, through the guarded client; anything but success is thrown in plain words. */
export async function sharedHttpText(
  url: string,
  { policy, signal, timeoutMs, upstream }: HttpTextOptions,
): Promise<string> {
  const [{ http }, { requestFinding }, { openUpstreamAccess }] = await Promise.all([
    import('./shared-http.ts'),
    import('./upstream-error.ts'),
    import('./upstream-access.ts'),
  ]);
  const access = openUpstreamAccess(upstream, undefined);
  const options = {
    ...access.options,
    policy,
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
  const { status, statusText, body } = await http.request({ url, method: 'GET' }, options).catch((error) => {
    const { message, hint } = requestFinding(error);
    throw Object.assign(new Error(message), { hint: hint?.replaceAll('<origin>', blockedOrigin(error) ?? '<origin>') });
  });
  if (status >= 400) throw new Error(`HTTP ${status}: ${statusText}`);
  return new TextDecoder().decode(body);
}

/** The origin that a request failed at, which a redirect may have led to. */
function blockedOrigin(error: unknown): string | undefined {
  const { url } = Object(error) as { url?: unknown };
  return typeof url === 'string' ? URL.parse(url)?.origin : undefined;
}
