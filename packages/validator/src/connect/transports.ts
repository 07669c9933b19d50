import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { isPlainObject } from '../findings/plain-object.ts';
import { currentExchange, type Exchange } from '../network/exchange.ts';
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

/**
 * Keeps every JSON-RPC answer with the exchange that its request was sent in, as it came: before the client has read it, and perhaps refused it. `onmessage`
 * becomes an accessor because the client sets it more than once while it connects.
 */
export function tapTransport<T extends Transport>(transport: T): T {
  const waiting = new Map<unknown, Exchange>();
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    const exchange = currentExchange.getStore();
    if (exchange !== undefined && 'id' in message && 'method' in message) waiting.set(message.id, exchange);
    await send(message, options);
  };

  let handler: Transport['onmessage'];
  const tapped: NonNullable<Transport['onmessage']> = (message, extra) => {
    if (isPlainObject(message) && 'id' in message && !('method' in message)) {
      waiting.get(message.id)?.messages.push(message);
      waiting.delete(message.id);
    }
    handler?.(message, extra);
  };
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => (handler === undefined ? undefined : tapped),
    set: (next: Transport['onmessage']) => {
      // The client puts back what it found.
      handler = next === tapped ? handler : next;
    },
  });
  return transport;
}
