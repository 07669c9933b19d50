import { randomUUID } from 'node:crypto';
import type { HttpRequest } from '@schemakit/http';
import type { LayerContext } from '../../assess/layer.ts';
import { httpEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { shownUrl } from '../../findings/mask-secrets.ts';
import { field, parseJson, textOrNull } from '../../findings/plain-object.ts';
import { plainText } from '../../findings/plain-text.ts';
import type { HttpTrace } from '../../network/exchange.ts';
import { readStart } from '../../network/network.ts';
import { isBlocked, isLate } from './get-card.ts';
import type { DeclaredInterface } from './normal-card.ts';

export type InterfaceState = 'answers' | 'refuses' | 'fails' | 'blocked' | 'not-probed';

/** What an interface said to a request for a task that does not exist. */
export interface ProbedInterface {
  place: string;
  url: string | null;
  protocolBinding: string | null;
  protocolVersion: string | null;
  /** `refuses`: it wants credentials or payment first. */
  state: InterfaceState;
  /** Why, as a sentence; null if it answers. */
  reason: string | null;
  trace: HttpTrace | undefined;
}

const MAX_INTERFACES = 10;
const MAX_BYTES = 64 * 1024;
/** An interface that hangs must not use up the time of the layer. */
const MAX_MS = 5000;

/** Asks each interface for a task that does not exist, which changes nothing. */
export async function probeInterfaces(
  interfaces: readonly DeclaredInterface[],
  context: LayerContext,
): Promise<ProbedInterface[]> {
  const asked = new Map<string, DeclaredInterface>();
  for (const entry of interfaces) {
    const { url, protocolBinding, protocolVersion, tenant } = entry;
    const key = JSON.stringify([url, protocolBinding, protocolVersion, tenant]);
    if (!asked.has(key)) asked.set(key, entry);
  }
  const all = [...asked.values()];
  const rest = all[MAX_INTERFACES];
  const limit = `Only ${MAX_INTERFACES} of ${all.length} interfaces are probed`;
  return [
    ...(await Promise.all(all.slice(0, MAX_INTERFACES).map((entry) => probe(entry, context)))),
    ...(rest === undefined ? [] : [result(rest, 'not-probed', limit)]),
  ];
}

function result(
  { place, url, protocolBinding, protocolVersion }: DeclaredInterface,
  state: InterfaceState,
  reason: string | null,
  trace?: HttpTrace,
): ProbedInterface {
  return {
    place,
    url: textOrNull(url),
    protocolBinding: textOrNull(protocolBinding),
    protocolVersion: textOrNull(protocolVersion),
    state,
    reason,
    trace,
  };
}

async function probe(given: DeclaredInterface, { network, clock, settings }: LayerContext): Promise<ProbedInterface> {
  const request = requestFor(given);
  if (typeof request === 'string') return result(given, 'not-probed', request);
  if (clock.remaining() === 0) return result(given, 'not-probed', `Not asked, because ${clock.why()}`);
  // The user's headers are for the origin that the user named.
  const own = new URL(request.url).origin === settings.endpoint.origin ? settings.headers : {};
  try {
    const ms = Math.min(MAX_MS, clock.remaining() / 2);
    const answer = await network.stream({ ...request, headers: { ...request.headers, ...own } }, ms);
    const body = await readStart(answer.body, MAX_BYTES);
    const { method, url } = request;
    const trace: HttpTrace = { method, url, status: answer.status, headers: answer.headers, body };
    const [state, reason] = method === 'POST' ? judgeRpc(trace) : judgeHttp(trace);
    return result(given, state, reason, trace);
  } catch (error) {
    const text = error instanceof Error ? error.message : 'No reason given';
    if (isBlocked(error)) return result(given, 'blocked', text);
    const isCut = isLate(error) && clock.remaining() === 0;
    return result(given, isCut ? 'not-probed' : 'fails', text);
  }
}

/** The request for an unknown task; a string says why there is none. */
function requestFor({ url: given, protocolBinding, protocolVersion, tenant }: DeclaredInterface): HttpRequest | string {
  const url = typeof given === 'string' ? URL.parse(given) : null;
  const binding = String(protocolBinding).trim().toUpperCase();
  if (binding !== 'JSONRPC' && binding !== 'HTTP+JSON')
    return `Interfaces of the binding ${String(protocolBinding).slice(0, 40)} are not probed`;
  if (url === null) return 'The URL is invalid';
  url.hash = '';
  const [version = '1.0'] = /^\d{1,3}\.\d{1,3}/.exec(String(protocolVersion)) ?? [];
  const isOld = version.startsWith('0.');
  const headers = { accept: 'application/json', 'a2a-version': version };
  const id = `schemakit-${randomUUID()}`;
  const space = typeof tenant === 'string' && tenant !== '' ? tenant : undefined;
  if (binding === 'JSONRPC') {
    const method = isOld ? 'tasks/get' : 'GetTask';
    const params = { id, ...(space !== undefined && { tenant: space }) };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return { url: url.href, method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
  }
  const folder = [isOld ? '/v1' : '', space === undefined ? '' : `/${encodeURIComponent(space)}`].join('');
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${folder}/tasks/${id}`;
  return { url: url.href, method: 'GET', headers };
}

type Judgement = readonly [state: InterfaceState, reason: string | null];

/** JSON-RPC errors of servers that do not know the request. */
const UNKNOWN: ReadonlySet<unknown> = new Set([-32700, -32600, -32601, -32009]);

function judgeRpc(trace: HttpTrace): Judgement {
  const message = parseJson(trace.body);
  const error = field(message, 'error');
  const code = field(error, 'code');
  if (typeof code === 'number' && field(message, 'jsonrpc') === '2.0') {
    const isKnown = !UNKNOWN.has(code);
    return isKnown ? ['answers', null] : ['fails', `JSON-RPC error ${code}: ${String(field(error, 'message'))}`];
  }
  if (field(message, 'jsonrpc') === '2.0' && field(message, 'result') !== undefined) return ['answers', null];
  return refusal(trace) ?? ['fails', `HTTP ${trace.status} without a JSON-RPC answer`];
}

/** The error of the three forms in use: `google.rpc.Status`, problem details and JSON-RPC. */
const NOT_FOUND = /task[\s_-]*not[\s_-]*found|"NOT_FOUND"|-32001/i;

function judgeHttp(trace: HttpTrace): Judgement {
  const { status, body } = trace;
  if (parseJson(body) !== undefined && NOT_FOUND.test(body ?? '')) return ['answers', null];
  return refusal(trace) ?? ['fails', `HTTP ${status} is not the answer of A2A to an unknown task`];
}

function refusal({ status }: HttpTrace): Judgement | undefined {
  if (status === 401 || status === 403) return ['refuses', `HTTP ${status}: it requires authorization`];
  return status === 402 ? ['refuses', 'HTTP 402: it requires payment'] : undefined;
}

const CODES = { fails: 'CON-117', blocked: 'CON-118', refuses: 'CON-119', 'not-probed': 'CON-119' } as const;

export function interfaceFindings(probed: readonly ProbedInterface[]): Finding[] {
  return probed.flatMap(({ place, url, state, reason, trace }) => {
    if (state === 'answers') return [];
    const evidence = trace === undefined ? { request: shownRequest(url) } : httpEvidence(trace);
    return [finding(CODES[state], place, reason ?? state, { evidence })];
  });
}

function shownRequest(given: string | null): string {
  const url = given === null ? null : URL.parse(given);
  return plainText(url === null ? String(given) : shownUrl(url), 300);
}
