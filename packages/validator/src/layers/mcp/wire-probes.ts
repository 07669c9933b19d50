import { randomUUID } from 'node:crypto';
import manifest from '../../../package.json' with { type: 'json' };
import type { LayerContext } from '../../assess/layer.ts';
import { httpEvidence, partEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { field, isPlainObject, type PlainObject, parseJson, present } from '../../findings/plain-object.ts';
import { nameList } from '../../findings/plain-text.ts';
import type { HttpTrace } from '../../network/exchange.ts';
import { resultOf } from '../../network/exchange.ts';
import { readStart } from '../../network/network.ts';
import type { Run } from '../../run-steps.ts';

/** What servers answer to requests that are wrong in one point. Statuses are null without an answer, and where nothing was asked. */
export interface WireView extends PlainObject {
  /** How many requests this took. */
  requests: number;
  /** Whether clients of 2026-07-28, which need no handshake, and those of earlier revisions can connect. */
  eras: { stateless: boolean; handshake: boolean | null };
  hasSessions: boolean;
  unknownSession: number | null;
  wrongVersion: number | null;
  foreignOrigin: number | null;
  badToken: number | null;
  /** How many pages the list of tools has. */
  toolPages: number;
  /** `refused`, `accepted`, or null for a list of one page. */
  invalidCursor: string | null;
}

interface Reply extends HttpTrace {
  /** The request got a result. */
  isAnswered: boolean;
  /** The method of JSON-RPC, and the headers that matter, so that the exchange can be repeated. */
  sent: string;
}

/** The first revision whose clients send their version with each request. */
const VERSION_HEADER_SINCE = '2025-06-18';
const HANDSHAKE_VERSION = '2025-11-25';
const MAX_MS = 4000;
const MAX_BYTES = 64 * 1024;

/** Not the session, which is a secret of the server. */
const TELLING = ['mcp-protocol-version', 'origin', 'authorization'];
const ORIGIN = 'https://dns-rebinding.invalid';
const TOKEN = 'Bearer schemakit-invalid-token';

/** Sends up to seven harmless requests: `ping` or `server/discover`, a handshake, and a page of `tools/list`. Undefined if the transport is not Streamable HTTP. */
export async function probeWire(
  run: Run,
  { settings, network, clock }: Pick<LayerContext, 'settings' | 'network' | 'clock'>,
): Promise<{ view: WireView; findings: Finding[] } | undefined> {
  const { session, listed } = run.seen;
  if (session?.transport !== 'streamable-http') return undefined;
  const { isStateless, protocolVersion } = session;
  const given = Object.fromEntries(new Headers(settings.headers));
  let requests = 0;

  async function send(method: string, headers: Record<string, string>, body?: PlainObject): Promise<Reply | undefined> {
    if (clock.remaining() === 0) return undefined;
    requests++;
    const { href: url } = settings.endpoint;
    const type = body && { 'content-type': 'application/json' };
    const request = {
      ...{ url, method, headers: { ...given, accept: 'application/json, text/event-stream', ...type, ...headers } },
      ...(body && { body: JSON.stringify({ jsonrpc: '2.0', id: requests, ...body }) }),
    };
    try {
      const {
        status,
        headers: received,
        body: answer,
      } = await network.stream(request, Math.min(MAX_MS, clock.remaining()));
      const text = await readStart(answer, MAX_BYTES);
      const isAnswered = status >= 200 && status < 300 && isPlainObject(field(messageIn(text), 'result'));
      const telling = TELLING.flatMap((name) => (headers[name] === undefined ? [] : [`${name}: ${headers[name]}`]));
      const sent = [String(body?.method), ...telling].join(', ');
      return { method, url, status, headers: received, body: text, isAnswered, sent };
    } catch {
      // A request without an answer shows nothing.
      return undefined;
    }
  }

  /** The smallest request of the session, with these headers. */
  const knock = (headers: Record<string, string>, version: string | null = protocolVersion) =>
    isStateless
      ? send(
          'POST',
          { ...versionHeader(version), 'mcp-method': 'server/discover', ...headers },
          { method: 'server/discover', params: { _meta: clientMeta(version) } },
        )
      : send('POST', { ...versionHeader(version), ...headers }, { method: 'ping' });
  const own = session.sessionId === undefined ? {} : { 'mcp-session-id': session.sessionId };

  async function shakeHands(): Promise<Reply | undefined> {
    const { name, version } = manifest;
    const params = { protocolVersion: HANDSHAKE_VERSION, capabilities: {}, clientInfo: { name, version } };
    const greeting = await send('POST', {}, { method: 'initialize', params });
    const id = greeting?.headers['mcp-session-id'];
    if (id !== undefined) await send('DELETE', { 'mcp-session-id': id, ...versionHeader(HANDSHAKE_VERSION) });
    return greeting;
  }

  const knowsVersions = protocolVersion === null || protocolVersion >= VERSION_HEADER_SINCE;
  const toolPages = listed?.toolPages ?? 0;
  const [greeting, unknownSession, wrongVersion, foreignOrigin, badToken, cursor] = await Promise.all([
    isStateless ? shakeHands() : undefined,
    session.sessionId === undefined ? undefined : knock({ 'mcp-session-id': randomUUID() }),
    knowsVersions ? knock(own, '1900-01-01') : undefined,
    knock({ ...own, origin: ORIGIN }),
    knock({ ...own, authorization: TOKEN }),
    toolPages > 1 ? session.request('tools/list', { cursor: 'schemakit-invalid-cursor' }, MAX_MS) : undefined,
  ]);
  const page = cursor && resultOf(cursor);
  const handshake = isStateless ? (greeting?.isAnswered ?? null) : true;
  const unspoken = session.supportedVersions.filter((version) => version <= HANDSHAKE_VERSION).slice(0, 10);
  return {
    view: {
      requests: requests + (cursor === undefined ? 0 : 1),
      eras: { stateless: isStateless, handshake },
      hasSessions: session.sessionId !== undefined || greeting?.headers['mcp-session-id'] !== undefined,
      unknownSession: unknownSession?.status ?? null,
      wrongVersion: wrongVersion?.status ?? null,
      foreignOrigin: foreignOrigin?.status ?? null,
      badToken: badToken?.status ?? null,
      toolPages,
      invalidCursor: cursor === undefined ? null : page === undefined ? 'refused' : 'accepted',
    },
    findings: present([
      unknownSession &&
        unknownSession.status !== 404 &&
        told('CON-020', 'session', 'An unknown session id', unknownSession, 'HTTP 404'),
      wrongVersion?.isAnswered && told('CON-021', 'version', 'The version 1900-01-01', wrongVersion, 'HTTP 400'),
      foreignOrigin?.isAnswered && told('CON-022', 'origin', `A page of ${ORIGIN}`, foreignOrigin, 'HTTP 403'),
      badToken && tokenFinding(badToken, { hasOwnToken: given.authorization !== undefined }),
      page !== undefined &&
        finding('CON-025', 'tools', '`tools/list` with an invalid cursor gets a result, expected the error -32602', {
          evidence: partEvidence('tools/list', page),
        }),
      greeting &&
        !greeting.isAnswered &&
        unspoken.length > 0 &&
        told('CON-026', 'versions', `A handshake of the listed versions ${nameList(unspoken)}`, greeting, 'a result'),
    ]),
  };
}

function told(code: Finding['code'], location: string, sent: string, reply: Reply, expected: string): Finding {
  const text = `${sent} gets HTTP ${reply.status}, expected ${expected}`;
  const evidence = httpEvidence(reply);
  return finding(code, location, text, { evidence: { ...evidence, request: `${evidence.request} (${reply.sent})` } });
}

/** Whoever has a token of their own sees whether it is checked; for others, a server may be open. */
function tokenFinding(reply: Reply, { hasOwnToken }: { hasOwnToken: boolean }): Finding | false {
  const { status, headers, isAnswered } = reply;
  if (isAnswered) return hasOwnToken && told('CON-024', 'token', 'An invented token', reply, 'HTTP 401');
  const isPointing = status === 401 && /resource_metadata\s*=/i.test(headers['www-authenticate'] ?? '');
  const expected = 'HTTP 401 with `WWW-Authenticate: Bearer resource_metadata=…`';
  return !isPointing && told('CON-023', 'token', 'An invented token', reply, expected);
}

function versionHeader(version: string | null): Record<string, string> {
  return version === null || version < VERSION_HEADER_SINCE ? {} : { 'mcp-protocol-version': version };
}

function clientMeta(version: string | null): PlainObject {
  return {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: manifest.name, version: manifest.version },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
}

/** The message in a body of JSON, or the last one of an event stream. */
function messageIn(text: string): unknown {
  const events = text.split(/\r?\n/).flatMap((line) => /^data:\s?(\{.*)$/.exec(line)?.[1] ?? []);
  return parseJson(text) ?? parseJson(events.at(-1));
}
