import type { Client, Transport } from '@modelcontextprotocol/client';
import { field, isDeeperThan, isPlainObject, type PlainObject, texts } from '../findings/plain-object.ts';
import { type Clock, settlesWithin } from '../network/clock.ts';
import { type Exchange, recorded } from '../network/exchange.ts';
import { failureOf } from './stdio-transport.ts';
import type { TransportKind } from './transports.ts';

/** A tool as far as calling it needs. */
export interface CallableTool {
  name: string;
  inputSchema: PlainObject;
}

/** A connection to a server that has ended its handshake. */
export interface Session {
  transport: TransportKind;
  protocolVersion: string | null;
  /** All that the server says it speaks; empty where it says nothing. */
  supportedVersions: string[];
  /** Without a handshake and without `ping`: revision 2026-07-28 and later. */
  isStateless: boolean;
  server: PlainObject;
  capabilities: PlainObject;
  instructions: string | null;
  /** Of the handshake, in milliseconds. */
  connectMs: number;
  request(method: string, params?: PlainObject, timeout?: number): Promise<Exchange>;
  callTool(tool: CallableTool, args: PlainObject, timeout: number): Promise<Exchange>;
  close(): Promise<void>;
}

/** Of one capability. Deeper than any that there are. */
const MAX_DEPTH = 50;

/** For the goodbye to the server. */
const CLOSE_MS = 1000;

/** Whatever the server answers is taken: what it should have been is judged elsewhere. */
const anything = {
  '~standard': { version: 1, vendor: 'schemakit', validate: (value: unknown) => ({ value }) },
} as const;

interface Connected {
  client: Client;
  transport: Transport;
  kind: TransportKind;
  handshake: Exchange;
}

/** Makes a session of a client that is connected. */
export function openSession({ client, transport, kind, handshake }: Connected, clock: Clock): Session {
  const greeting = handshake.messages.map((message) => field(message, 'result')).findLast(isGreeting);
  const discovered = client.getDiscoverResult();
  const capabilities = field(greeting, 'capabilities') ?? client.getServerCapabilities();
  const options = (timeout: number) => ({
    signal: clock.signal,
    timeout: Math.max(1, Math.min(timeout, clock.remaining())),
  });
  const told = async (run: () => Promise<unknown>): Promise<Exchange> => {
    const exchange = await recorded(run);
    if (exchange.error !== undefined) exchange.error = failureOf(transport) ?? exchange.error;
    return exchange;
  };
  return {
    transport: kind,
    protocolVersion: client.getNegotiatedProtocolVersion() ?? null,
    supportedVersions: texts(discovered?.supportedVersions),
    isStateless: client.getProtocolEra() === 'modern',
    server: { ...client.getServerVersion() },
    capabilities: isPlainObject(capabilities) ? withoutDepth(capabilities) : {},
    instructions: client.getInstructions() ?? null,
    connectMs: handshake.ms,
    request(method, params = {}, timeout = clock.remaining()) {
      return told(() => client.request({ method, params }, anything, options(timeout)));
    },
    callTool({ name, inputSchema }, args, timeout) {
      // The definition is given so that parameters which belong into headers get there; it has no output schema, since nothing is to be checked by it.
      const toolDefinition = { name, inputSchema: { ...inputSchema, type: 'object' as const } };
      return told(() => client.callTool({ name, arguments: args }, { ...options(timeout), toolDefinition }));
    },
    async close() {
      const goodbye = async (): Promise<void> => {
        if ('terminateSession' in transport && typeof transport.terminateSession === 'function') {
          if (clock.remaining() > 0) await transport.terminateSession().catch(() => {});
        }
        await client.close();
      };
      await settlesWithin(goodbye(), CLOSE_MS);
    },
  };
}

/** What is nested without measure says no more than that the capability is there. */
function withoutDepth(capabilities: PlainObject): PlainObject {
  const kept = Object.entries(capabilities).map(([name, value]) => [name, isDeeperThan(value, MAX_DEPTH) ? {} : value]);
  return Object.fromEntries(kept);
}

function isGreeting(result: unknown): result is PlainObject {
  return isPlainObject(field(result, 'capabilities'));
}
