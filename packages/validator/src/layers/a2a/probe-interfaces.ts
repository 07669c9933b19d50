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
import { failureKind } from './get-card.ts';
import { bindingOf, type DeclaredInterface } from './normal-card.ts';

export type InterfaceState = 'answers' | 'refuses' | 'fails' | 'blocked' | 'not-probed';

/** What an interface said to a request for a task that does not exist. */
export interface ProbedInterface extends DeclaredInterface {
  /** `refuses`: it wants credentials or payment first. */
  state: InterfaceState;
  /** Why, as a sentence; null if it answers. */
  reason: string | null;
  trace?: HttpTrace;
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
  const alike = Map.groupBy(interfaces, ({ place: _, ...rest }) => JSON.stringify(rest));
  const all = [...alike.values()].flatMap(([first]) => first ?? []);
  const probed = await Promise.all(
    all.slice(0, MAX_INTERFACES).map(async (entry) => ({ ...entry, ...(await probe(entry, context)) })),
  );
  const rest = all[MAX_INTERFACES];
  if (rest === undefined) return probed;
  return [...probed, { ...rest, ...notProbed(`Only ${MAX_INTERFACES} of ${all.length} interfaces are probed`) }];
}

/** Of the JSON-RPC request. */
const ID = 1;

type Said = Pick<ProbedInterface, 'state' | 'reason' | 'trace'>;

function notProbed(reason: string): Said {
  return { state: 'not-probed', reason };
}

async function probe(entry: DeclaredInterface, { network, clock, settings }: LayerContext): Promise<Said> {
  const request = requestFor(entry);
  if (typeof request === 'string') return notProbed(request);
  if (clock.remaining() === 0) return notProbed(`Not asked, because ${clock.why()}`);
  const { url, method } = request;
  // The user's headers are for the origin that the user named.
  const own = new URL(url).origin === settings.endpoint.origin ? settings.headers : {};
  try {
    const ms = Math.min(MAX_MS, clock.remaining() / 2);
    const answer = await network.stream({ ...request, headers: { ...request.headers, ...own } }, ms);
    const body = await readStart(answer.body, MAX_BYTES);
    const trace: HttpTrace = { method, url, status: answer.status, headers: answer.headers, body };
    const [state, reason] = method === 'POST' ? judgeRpc(trace) : judgeHttp(trace);
    return { state, reason, trace };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'No reason given';
    const kind = failureKind(error);
    if (kind === 'blocked') return { state: 'blocked', reason };
    return { state: kind === 'late' && clock.remaining() === 0 ? 'not-probed' : 'fails', reason };
  }
}

/** The request for an unknown task; a string says why there is none. */
function requestFor({ url: given, protocolBinding, protocolVersion, tenant }: DeclaredInterface): HttpRequest | string {
  const binding = bindingOf(protocolBinding);
  if (binding !== 'JSONRPC' && binding !== 'HTTP+JSON')
    return `Interfaces of the binding ${protocolBinding?.slice(0, 40)} are not probed`;
  const url = URL.parse(given ?? '');
  if (url === null) return 'The URL is invalid';
  url.hash = '';
  const [version = '1.0'] = /^\d{1,3}\.\d{1,3}/.exec(protocolVersion ?? '') ?? [];
  const isOld = version.startsWith('0.');
  const headers = { accept: 'application/json', 'a2a-version': version };
  const id = `schemakit-${randomUUID()}`;
  if (binding === 'JSONRPC') {
    const params = { id, ...(tenant && { tenant }) };
    const body = JSON.stringify({ jsonrpc: '2.0', id: ID, method: isOld ? 'tasks/get' : 'GetTask', params });
    return { url: url.href, method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
  }
  const folder = `${isOld ? '/v1' : ''}${tenant ? `/${encodeURIComponent(tenant)}` : ''}`;
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
  // Errors about requests that were not understood have no id.
  const id = field(message, 'id') ?? ID;
  if (id === ID && field(message, 'jsonrpc') === '2.0') {
    if (UNKNOWN.has(code)) return ['fails', `JSON-RPC error ${code}: ${textOrNull(field(error, 'message')) ?? ''}`];
    if (typeof code === 'number') return ['answers', null];
    if (field(message, 'result') !== undefined) return ['fails', 'It has a result for a task that does not exist'];
  }
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
  const isDead = !probed.some(({ state }) => state === 'answers' || state === 'refuses');
  return probed.flatMap(({ place, url, state, reason, trace }) => {
    if (state === 'answers') return [];
    const parsed = URL.parse(url ?? '');
    const request = plainText(parsed === null ? String(url) : shownUrl(parsed), 300);
    const evidence = trace === undefined ? { request } : httpEvidence(trace);
    const severity = state === 'fails' && isDead ? 'ERROR' : undefined;
    return [finding(CODES[state], place, reason ?? state, { evidence, ...(severity && { severity }) })];
  });
}
