import { randomUUID } from 'node:crypto';
import manifest from '../../../package.json' with { type: 'json' };
import type { LayerContext } from '../../assess/layer.ts';
import { httpEvidence, partEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { field, isPlainObject, type PlainObject, parseJson } from '../../findings/plain-object.ts';
import { nameList } from '../../findings/plain-text.ts';
import type { HttpTrace } from '../../network/exchange.ts';
import { explainAnswer, resultOf } from '../../network/exchange.ts';
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

interface Reply {
  trace: HttpTrace;
  message: unknown;
}

/** The first revision whose clients send their version with each request. */
const VERSION_HEADER_SINCE = '2025-06-18';
const HANDSHAKE_VERSION = '2025-11-25';
const MAX_MS = 4000;
const MAX_BYTES = 64 * 1024;

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
  const given = Object.fromEntries(
    Object.entries(settings.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  let requests = 0;

  async function send(method: string, headers: Record<string, string>, body?: PlainObject): Promise<Reply | undefined> {
    if (clock.remaining() === 0) return undefined;
    requests++;
    const { href: url } = settings.endpoint;
    const common = { ...given, accept: 'application/json, text/event-stream', ...headers };
    const posted = { headers: { ...common, 'content-type': 'application/json' } };
    const request = {
      ...{ url, method, headers: common },
      ...(body && { ...posted, body: JSON.stringify({ jsonrpc: '2.0', id: requests, ...body }) }),
    };
    try {
      const answer = await network.stream(request, Math.min(MAX_MS, clock.remaining()));
      const text = await readStart(answer.body, MAX_BYTES);
      const trace = { method, url, status: answer.status, headers: answer.headers, body: text };
      return { trace, message: messageIn(text) };
    } catch {
      // A request without an answer shows nothing.
      return undefined;
    }
  }

  const knock = (headers: Record<string, string>, version: string | null = protocolVersion) =>
    send(
      'POST',
      { ...versionHeader(version), ...(isStateless && { 'mcp-method': 'server/discover' }), ...headers },
      {
        ...(isStateless ? { method: 'server/discover', params: { _meta: clientMeta(version) } } : { method: 'ping' }),
      },
    );
  const own = session.sessionId === undefined ? {} : { 'mcp-session-id': session.sessionId };

  async function shakeHands(): Promise<Reply | undefined> {
    const { name, version } = manifest;
    const params = { protocolVersion: HANDSHAKE_VERSION, capabilities: {}, clientInfo: { name, version } };
    const greeting = await send('POST', {}, { method: 'initialize', params });
    const id = greeting?.trace.headers['mcp-session-id'];
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
  if (cursor !== undefined) requests++;
  const canShakeHands = isStateless ? greeting && isAnswered(greeting) : true;
  const view: WireView = {
    requests,
    eras: { stateless: isStateless, handshake: canShakeHands ?? null },
    hasSessions: session.sessionId !== undefined || greeting?.trace.headers['mcp-session-id'] !== undefined,
    unknownSession: unknownSession?.trace.status ?? null,
    wrongVersion: wrongVersion?.trace.status ?? null,
    foreignOrigin: foreignOrigin?.trace.status ?? null,
    badToken: badToken?.trace.status ?? null,
    toolPages,
    invalidCursor: cursor === undefined ? null : resultOf(cursor) === undefined ? 'refused' : 'accepted',
  };
  const findings: Finding[] = [];
  if (unknownSession && unknownSession.trace.status !== 404)
    findings.push(told('CON-020', 'session', 'An unknown session id gets', unknownSession, 'expected HTTP 404'));
  if (wrongVersion && isAnswered(wrongVersion))
    findings.push(told('CON-021', 'version', 'The version 1900-01-01 gets', wrongVersion, 'expected HTTP 400'));
  if (foreignOrigin && isAnswered(foreignOrigin))
    findings.push(told('CON-022', 'origin', `A page of ${ORIGIN} gets`, foreignOrigin, 'expected HTTP 403'));
  findings.push(...tokenFindings(badToken, { hasOwnToken: given.authorization !== undefined }));
  if (cursor !== undefined && view.invalidCursor === 'accepted')
    findings.push(
      finding('CON-025', 'tools', '`tools/list` with an invalid cursor gets a result, expected the error -32602', {
        evidence: partEvidence('tools/list', resultOf(cursor) ?? explainAnswer(cursor)),
      }),
    );
  const unspoken = session.supportedVersions.filter((version) => version <= HANDSHAKE_VERSION);
  if (greeting && canShakeHands === false && unspoken.length > 0)
    findings.push(
      told('CON-026', 'versions', `Lists ${nameList(unspoken.slice(0, 10))}, but a handshake gets`, greeting),
    );
  return { view, findings };
}

function told(
  code: Finding['code'],
  location: string,
  before: string,
  { trace }: Reply,
  expected = 'no result',
): Finding {
  const text = `${before} HTTP ${trace.status}, ${expected}`;
  return finding(code, location, text, { evidence: httpEvidence(trace) });
}

function tokenFindings(reply: Reply | undefined, { hasOwnToken }: { hasOwnToken: boolean }): Finding[] {
  if (reply === undefined) return [];
  if (isAnswered(reply))
    return hasOwnToken ? [told('CON-024', 'token', 'An invented token gets', reply, 'expected HTTP 401')] : [];
  const { status, headers } = reply.trace;
  const hasPointer = /resource_metadata\s*=/i.test(headers['www-authenticate'] ?? '');
  if (status === 401 && hasPointer) return [];
  const expected = 'expected HTTP 401 with `WWW-Authenticate: Bearer resource_metadata=…`';
  return [told('CON-023', 'token', 'An invented token gets', reply, expected)];
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

function isAnswered({ trace, message }: Reply): boolean {
  return trace.status >= 200 && trace.status < 300 && isPlainObject(field(message, 'result'));
}

/** The message in a body of JSON, or the last one of an event stream. */
function messageIn(text: string): unknown {
  const events = text.split(/\r?\n/).flatMap((line) => /^data:\s?(\{.*)$/.exec(line)?.[1] ?? []);
  return parseJson(text) ?? parseJson(events.at(-1));
}
