import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import type { Network } from '../network/network.ts';

/** How a server is talked to. */
export type TransportKind = 'streamable-http' | 'sse' | 'stdio';

/** A stream that breaks off is taken up again this often for a whole run, and never at once: servers may ask for no delay at all. */
const MAX_RECONNECTIONS = 10;
const MIN_RECONNECTION_DELAY_MS = 100;

export function streamableTransport(url: URL, headers: Record<string, string>, network: Network): Transport {
  let reconnections = 0;
  return new StreamableHTTPClientTransport(url, {
    fetch: network.fetch,
    requestInit: { headers },
    onInsufficientScope: 'throw',
    reconnectionScheduler: (reconnect, delay) => {
      if (++reconnections > MAX_RECONNECTIONS) return () => {};
      const timer = setTimeout(reconnect, Math.max(delay, MIN_RECONNECTION_DELAY_MS));
      return () => clearTimeout(timer);
    },
  });
}

export function sseTransport(url: URL, headers: Record<string, string>, network: Network): Transport {
  return new SSEClientTransport(url, { fetch: network.fetch, requestInit: { headers } });
}
