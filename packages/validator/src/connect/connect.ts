import { Client, type Transport } from '@modelcontextprotocol/client';
import { HttpError } from '@schemakit/http';
import manifest from '../../package.json' with { type: 'json' };
import type { StartSettings } from '../input/start-options.ts';
import type { Clock } from '../network/clock.ts';
import { type Exchange, recorded } from '../network/exchange.ts';
import type { Network } from '../network/network.ts';
import { openSession, type Session } from './session.ts';
import { failureOf, stdioTransport } from './stdio-transport.ts';
import { sseTransport, streamableTransport, type TransportKind, tapTransport } from './transports.ts';

/** One way that was tried. */
export interface Attempt {
  kind: TransportKind;
  exchange: Exchange;
}

/** What came of connecting; `session` is undefined if every way failed. */
export interface Connection {
  session: Session | undefined;
  attempts: Attempt[];
}

/** A server that knows neither `server/discover` nor how to refuse it must not use up all the time. */
const PROBE_MS = 5000;

/** By these a server of HTTP+SSE refuses a POST (2025-11-25, transports, backwards compatibility). */
const SSE_STATUSES: ReadonlySet<number> = new Set([400, 404, 405]);

/** Streamable HTTP of both generations, then HTTP+SSE if the answers speak for it. `isEventStream` says that the endpoint answers with an event stream to anything. */
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
    // Servers of the older generation may end at a request that they do not know.
    const isWorthAnother = session === undefined && transport.hasEndedItself() && clock.remaining() > 0;
    if (isWorthAnother) session = await attempt('stdio', 'legacy', stdioTransport(stdio));
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
      // Nothing is offered that a server could ask back for, so no tool waits for a person.
      capabilities: {},
      inputRequired: { autoFulfill: false },
      // Schemas of strangers are not compiled: their patterns could run for ever.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  );
}

/** Servers of the older generation that break at a request they do not know, or never answer it. */
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

/** Whether the endpoint answered to HEAD, and how. */
export type Reach =
  | { isReachable: true; headers: Record<string, string>; status: number }
  | { isReachable: false; error: HttpError };

/** Any HTTP answer counts, 405 too. */
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
