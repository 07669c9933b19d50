import {
  type Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { type Skill, SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { field, isDeeperThan, isPlainObject, type PlainObject, texts } from '../findings/plain-object.ts';
import { type Clock, settlesWithin } from '../network/clock.ts';
import { currentExchange, type Exchange, MAX_LIST_BYTES, recorded } from '../network/exchange.ts';
import type { Network } from '../network/network.ts';
import { failureOf } from './stdio-transport.ts';

export interface CallableTool {
  name: string;
  inputSchema: PlainObject;
}

/** A connection after its handshake. */
export interface Session {
  transport: TransportKind;
  protocolVersion: string | null;
  /** Supported revisions, if the server lists them. */
  supportedVersions: string[];
  /** Revision 2026-07-28 or later: no handshake and no `ping`. */
  isStateless: boolean;
  /** The id that the server gave, if it has sessions. */
  sessionId: string | undefined;
  server: PlainObject;
  capabilities: PlainObject;
  instructions: string | null;
  /** Duration of the handshake, in milliseconds. */
  connectMs: number;
  request(method: string, params?: PlainObject, timeout?: number): Promise<Exchange>;
  /** Reads a file of a skill, and checks it against the entry of the skill. */
  readSkill(skill: PlainObject, uri: string, timeout: number): Promise<Exchange>;
  callTool(tool: CallableTool, args: PlainObject, timeout: number): Promise<Exchange>;
  close(): Promise<void>;
}

/** Maximum depth of a capability. */
const MAX_DEPTH = 50;

/** Time-out for closing the session. */
const CLOSE_MS = 1000;

/** Accepts any result; the validator checks it itself. */
const anything = {
  '~standard': { version: 1, vendor: 'schemakit', validate: (value: unknown) => ({ value }) },
} as const;

interface Connected {
  client: Client;
  transport: Transport;
  kind: TransportKind;
  handshake: Exchange;
}

export function openSession({ client, transport, kind, handshake }: Connected, clock: Clock): Session {
  const greeting = handshake.messages.map((message) => field(message, 'result')).findLast(isGreeting);
  const discovered = client.getDiscoverResult();
  const capabilities = field(greeting, 'capabilities') ?? client.getServerCapabilities();
  const options = (timeout: number) => ({
    signal: clock.signal,
    timeout: Math.max(1, Math.min(timeout, clock.remaining())),
  });
  const withFailure = async (run: () => Promise<unknown>, size: { maxBytes?: number } = {}): Promise<Exchange> => {
    const exchange = await recorded(run, size);
    if (exchange.error !== undefined) exchange.error = failureOf(transport) ?? exchange.error;
    return exchange;
  };
  return {
    transport: kind,
    protocolVersion: client.getNegotiatedProtocolVersion() ?? null,
    supportedVersions: texts(discovered?.supportedVersions),
    isStateless: client.getProtocolEra() === 'modern',
    sessionId: transport.sessionId,
    server: { ...client.getServerVersion() },
    capabilities: isPlainObject(capabilities) ? withoutDepth(capabilities) : {},
    instructions: client.getInstructions() ?? null,
    connectMs: handshake.ms,
    request(method, params = {}, timeout = clock.remaining()) {
      const size = method.endsWith('/list') ? { maxBytes: MAX_LIST_BYTES } : {};
      return withFailure(() => client.request({ method, params }, anything, options(timeout)), size);
    },
    readSkill(skill, uri, timeout) {
      // The client checks the entry before it asks for the file.
      const entry = skill as Skill;
      return withFailure(() => new SkillsClient(client).read(entry, uri, { ...options(timeout), cacheMode: 'bypass' }));
    },
    callTool({ name, inputSchema }, args, timeout) {
      // With the definition, the client sends parameters in headers if the schema says so. Without `outputSchema`, it does not check the result.
      const toolDefinition = { name, inputSchema: { ...inputSchema, type: 'object' as const } };
      return withFailure(() => client.callTool({ name, arguments: args }, { ...options(timeout), toolDefinition }));
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

/** Replaces capabilities that are nested too deeply by empty objects. */
function withoutDepth(capabilities: PlainObject): PlainObject {
  const kept = Object.entries(capabilities).map(([name, value]) => [name, isDeeperThan(value, MAX_DEPTH) ? {} : value]);
  return Object.fromEntries(kept);
}

function isGreeting(result: unknown): result is PlainObject {
  return isPlainObject(field(result, 'capabilities'));
}

export type TransportKind = 'streamable-http' | 'sse' | 'stdio';

/** Reconnections of broken streams in a whole run. Servers may ask for no delay, so there is a minimum. */
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

/** Records raw JSON-RPC responses, even if the client rejects them. An accessor, because the client sets `onmessage` repeatedly. */
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
      // The client restores the previous handler.
      handler = next === tapped ? handler : next;
    },
  });
  return transport;
}
