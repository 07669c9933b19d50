import { Client, type Transport } from '@modelcontextprotocol/client';
import { HttpError } from '@schemakit/http';
import manifest from '../../package.json' with { type: 'json' };
import type { StartSettings } from '../input/start-options.ts';
import type { Clock } from '../network/clock.ts';
import { type Exchange, recorded } from '../network/exchange.ts';
import type { Network } from '../network/network.ts';
import {
  openSession,
  type Session,
  sseTransport,
  streamableTransport,
  type TransportKind,
  tapTransport,
} from './session.ts';
import { failureOf, stdioTransport } from './stdio-transport.ts';

export interface Attempt {
  kind: TransportKind;
  exchange: Exchange;
}

/** The result of connecting; `session` is undefined if all attempts failed. */
export interface Connection {
  session: Session | undefined;
  attempts: Attempt[];
}

/** Time-out for servers that never answer `server/discover`. */
const PROBE_MS = 5000;

/** Statuses with which HTTP+SSE servers refuse a POST (MCP 2025-11-25, transports, backwards compatibility). */
const SSE_STATUSES: ReadonlySet<number> = new Set([400, 404, 405]);

/** Tries Streamable HTTP of both generations, then HTTP+SSE if the responses suggest it. `isEventStream`: whether the endpoint answers HEAD with an event stream. */
export async function connect(
  { endpoint, stdio, headers }: StartSettings,
  { network, clock, isEventStream }: { network: Network; clock: Clock; isEventStream: () => Promise<boolean> },
): Promise<Connection> {
  const attempts: Attempt[] = [];
  async function attempt(
    kind: TransportKind,
    mode: 'auto' | 'legacy',
    transport: Transport,
  ): Promise<Session | undefined> {
    const client = createClient(mode, clock);
    const tapped = tapTransport(transport);
    const handshake = await recorded(async () => {
      const options = { signal: clock.signal, timeout: Math.max(1, clock.remaining()) };
      await clock.within(client.connect(tapped, options));
      if (clock.remaining() === 0) throw new Error(clock.why());
    });
    if (handshake.error !== undefined) handshake.error = failureOf(transport) ?? handshake.error;
    attempts.push({ kind, exchange: handshake });
    if (handshake.error === undefined) return openSession({ client, transport, kind, handshake }, clock);
    await transport.close().catch(() => {});
    return undefined;
  }

  if (stdio !== null) {
    const transport = stdioTransport(stdio);
    let session = await attempt('stdio', 'auto', transport);
    // Older servers may exit on an unknown request.
    const canRetry = session === undefined && transport.hasEndedItself() && clock.remaining() > 0;
    if (canRetry) session = await attempt('stdio', 'legacy', stdioTransport(stdio));
    return { session, attempts };
  }
  if (endpoint === null) return { session: undefined, attempts };
  let session = await attempt('streamable-http', 'auto', streamableTransport(endpoint, headers, network));
  const [first] = attempts;
  if (session === undefined && first && wasUnreadyForDiscovery(first.exchange) && clock.remaining() > 0) {
    session = await attempt('streamable-http', 'legacy', streamableTransport(endpoint, headers, network));
  }
  if (session === undefined && clock.remaining() > 0 && (wasRefusedAsSse(attempts) || (await isEventStream()))) {
    session = await attempt('sse', 'legacy', sseTransport(endpoint, headers, network));
  }
  return { session, attempts };
}

function createClient(mode: 'auto' | 'legacy', clock: Clock): Client {
  const timeoutMs = Math.max(1, Math.min(PROBE_MS, clock.remaining() / 2));
  return new Client(
    { name: 'schemakit-validator', version: manifest.version },
    {
      versionNegotiation: { mode, probe: { timeoutMs } },
      // No client capabilities, so that no tool waits for user input.
      capabilities: {},
      inputRequired: { autoFulfill: false },
      // Untrusted schemas are not compiled: their patterns could run forever.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  );
}

/** Older servers fail on the unknown request, or never answer it. */
function wasUnreadyForDiscovery({ http, messages, failures }: Exchange): boolean {
  if (messages.length > 0) return false;
  const last = http.at(-1);
  if (last === undefined) return failures.every(({ code }) => code === 'ABORTED');
  return last.status >= 500 || last.status === 200;
}

function wasRefusedAsSse(attempts: readonly Attempt[]): boolean {
  const last = attempts.at(-1)?.exchange.http.at(-1);
  return last !== undefined && SSE_STATUSES.has(last.status);
}

/** The response to HEAD. */
export type Reach =
  | { isReachable: true; headers: Record<string, string>; status: number }
  | { isReachable: false; error: HttpError };

/** Any HTTP response counts, including 405. */
export async function reach(
  url: URL,
  headers: Record<string, string>,
  { network, signal }: { network: Network; signal: AbortSignal },
): Promise<Reach> {
  try {
    const answer = await network.head(url, headers, signal);
    return { isReachable: true, headers: answer.headers, status: answer.status };
  } catch (error) {
    if (error instanceof HttpError) return { isReachable: false, error };
    throw error;
  }
}
