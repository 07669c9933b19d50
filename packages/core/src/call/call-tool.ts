import { randomUUID } from 'node:crypto';
import type { HttpAnswer } from '@schemakit/http';
import type { FetchBroker } from '../sandbox/fetch-broker.ts';
import type { HookOutcome } from '../sandbox/handler-call.ts';
import { answerData, type HookContext } from '../sandbox/hook-context.ts';
import { createTimeBudget, type HookFunction, isSandboxed, runHook, type TimeBudget } from '../sandbox/run-hook.ts';
import { type Finding, messageOf } from '../schema/finding.ts';
import { isAccepted, maskedAnswer, type ParsedAnswer, parseAnswer, type RawAnswer, stringifyData } from './answer.ts';
import type { CallContext, UpstreamUse } from './call-context.ts';
import {
  answerTypeFinding,
  callFinding,
  notJsonFinding,
  requestFinding,
  upstreamStatusFinding,
} from './call-findings.ts';
import type { CallableTool } from './callable-tool.ts';
import { forgetToken } from './find-credentials.ts';
import { gatherPages, type PagesRead, pagesFinding } from './gather-pages.ts';
import {
  executeRequestContext,
  type HookCallFacts,
  ignoredResult,
  postRequestContext,
  preRequestContext,
  readExecuteRequest,
  readPostRequest,
  readPreRequest,
} from './hooks.ts';
import { allParameterValues, planRequest, type RequestPlan } from './plan-request.ts';
import type { InputValues, SecretValues } from './request/template-value.ts';
import { type SecretWatch, watchSecrets } from './secret-watch.ts';
import { createFetchBroker, outgoingRequest, type RequestScope, sendRequest } from './send-request.ts';

/** The outcome of a call. `data` is null unless it succeeded. */
export interface CallOutcome {
  status: boolean;
  findings: Finding[];
  data: unknown;
  /** `data` as JSON text; present if the call succeeded. */
  text?: string | undefined;
  /** Media type of the API's answer, unless a handler changed it. */
  mimeType?: string | undefined;
  /** Present if requests were queued or sent more than once. */
  upstream?: UpstreamUse | undefined;
  /** Present if the tool has `pagination`. */
  pages?: PagesRead | undefined;
}

/** A call, or the preview of one. */
export interface ToolCall extends Pick<RequestScope, 'vault' | 'context'> {
  callable: CallableTool;
  /** Makes the `fetch` of a hook. `onRefused` receives the findings for requests that it may not make. */
  openBroker(onRefused: (finding: Finding) => void): FetchBroker;
  /** Opened by the first hook and shared by all. */
  timeBudget?: TimeBudget;
  secrets?: SecretWatch;
  warnings?: Finding[];
}

type SendingCall = ToolCall & RequestScope & { pages?: PagesRead };

/** Calls a tool with checked values: plans the request, runs its hooks, sends it and parses the answer (docs/format.md, "Tools"). */
export async function callTool(
  callable: CallableTool,
  { values, serverParams, ...given }: { values: InputValues; serverParams: SecretValues; context: CallContext },
): Promise<CallOutcome> {
  const context = withIdempotencyKey(given.context);
  const { credentials } = callable.tool;
  const begunAt = performance.now();
  const run = { values, serverParams, context };
  const outcome = await callOnce(callable, run);
  // The API may have ended an access token before its time.
  const isRejected = outcome.pages?.failed === 'HTTP_401' || outcome.findings.some(({ code }) => code === 'HTTP_401');
  const isRenewable = isRejected && credentials !== undefined && forgetToken(credentials, serverParams, begunAt);
  return isRenewable ? callOnce(callable, run) : outcome;
}

async function callOnce(
  callable: CallableTool,
  { values, serverParams, context }: { values: InputValues; serverParams: SecretValues; context: CallContext },
): Promise<CallOutcome> {
  const found = await callable.findCredentials(serverParams, context);
  if (!found.ok) return { status: false, data: null, findings: found.findings };
  const vault = callable.openVault(serverParams, found.values);
  const use: UpstreamUse = { attempts: 0, waitedMs: 0 };
  const openBroker = (onRefused: (finding: Finding) => void) => createFetchBroker(callable.network, call, onRefused);
  const sign = callable.sign?.(serverParams);
  const call: SendingCall = { callable, vault, context, use, sign, openBroker };
  const answered = await runCall(call, values);
  const pages = call.pages && (vault.scrubData(call.pages) as PagesRead);
  const warnings = [...(call.warnings ?? []), ...(pages ? pagesFinding(pages, callable.tool) : [])];
  const wasDelayed = use.attempts > 1 || use.waitedMs >= 1;
  const upstream = wasDelayed ? { attempts: use.attempts, waitedMs: Math.round(use.waitedMs) } : undefined;
  if (!answered.ok) {
    return { status: false, data: null, findings: scrubbed([...answered.findings, ...warnings], vault), upstream };
  }
  // Skip output checks for empty bodies.
  const misfits = answered.data === null ? [] : callable.checkOutput(answered.data);
  const { data, text } = maskedAnswer(answered, vault);
  const findings = scrubbed([...warnings, ...misfits], vault);
  return { status: true, data, text, findings, mimeType: answered.mimeType, upstream, pages };
}

type FailedCall = { ok: false; findings: Finding[] };

type CallAnswer = (Answered & { ok: true }) | FailedCall;

/** An answer, and the forms in which the next hook may get it. */
interface Answered extends RawAnswer {
  mimeType?: string;
  /** The body as text, for `postProcess`. */
  raw?: () => string;
  /** JSON text instead of `data`, which a hook in a host process parses there. */
  unparsed?: string | undefined;
}

async function runCall(call: SendingCall, input: InputValues): Promise<CallAnswer> {
  const { tool, hooks } = call.callable;
  const planned = planRequest(tool, input, call.vault.visible, call.context);
  if (!planned.ok) return planned;
  let { plan } = planned;
  let values = input;
  const before = hooks.preRequest ?? hooks.preProcess;
  if (before) {
    const changed = await changePlan(call, before, { plan, values });
    if (!changed.ok) return changed;
    ({ plan, values } = changed);
  }
  const answered = hooks.executeRequest
    ? await execute(call, hooks.executeRequest, { plan, values })
    : await request(call, plan);
  const after = hooks.postRequest ?? hooks.postProcess;
  return after && answered.ok ? finish(call, after, { answered, plan, values }) : answered;
}

async function execute(call: ToolCall, hook: HookFunction, { plan, values }: Planned): Promise<CallAnswer> {
  const ran = await tryHook(call, hook, 'executeRequest', executeRequestContext(plan, hookFacts(call, values)));
  if (!ran.ok) return ran;
  const { status, messages, data } = readExecuteRequest(ran.result);
  if (!status) return { ok: false, findings: handlerFindings(messages, call) };
  const answer = hookAnswer(ran.result, data);
  return { ok: true, ...answer, unparsed: answer.text };
}

async function request(call: SendingCall, plan: RequestPlan): Promise<CallAnswer> {
  const { callable, vault } = call;
  const { tool, hooks } = callable;
  const after = hooks.postRequest ?? hooks.postProcess;
  const startedAt = performance.now();
  const exchanged = await exchange(call, plan, { hasHandler: Boolean(after) && tool.pagination === undefined });
  if (!exchanged.ok) return exchanged;
  const gathered = await withPages(call, plan, { ...exchanged, startedAt });
  if (!gathered.ok) return gathered;
  const { parsed } = gathered;
  const { mimeType } = parsed;
  // The API may echo a secret, and a handler could then spell it in a way that the scrubber does not know.
  const raw = () => vault.scrub(parsed.text);
  if (parsed.kind !== 'unparsed') {
    const data = after ? vault.scrubData(parsed.data) : parsed.data;
    return { ok: true, data, isParsed: parsed.kind === 'json', mimeType, raw };
  }
  if (!after || !isSandboxed(after)) {
    return { ok: true, data: vault.scrubData(answerData(parsed.text)), mimeType, raw };
  }
  const hasSecrets = vault.values.length > 0;
  const masked = hasSecrets && maskedAnswer({ data: answerData(parsed.text), isParsed: true }, vault);
  return { ok: true, data: null, unparsed: masked ? masked.text : parsed.text, mimeType, raw };
}

type UsableAnswer = Exclude<ParsedAnswer, { kind: 'not-json' }>;

type Exchange = { ok: true; received: HttpAnswer; parsed: UsableAnswer } | FailedCall;

/** Sends a request and parses its answer. An error status is a failure. */
async function exchange(
  call: SendingCall,
  plan: RequestPlan,
  { hasHandler, ...limits }: { hasHandler: boolean; maxBytes?: number; timeoutMs?: number },
): Promise<Exchange> {
  const { callable, vault, context } = call;
  context.onProgress?.('Waiting for the API');
  const outgoing = outgoingRequest(plan, callable, vault);
  if (!outgoing.ok) return { ok: false, findings: [outgoing.finding] };
  let received: HttpAnswer;
  try {
    received = await sendRequest(outgoing.request, call, { policy: callable.network.policy, ...limits });
  } catch (error) {
    return { ok: false, findings: [requestFinding(error)] };
  }
  context.onProgress?.(answeredText(received));
  const { scrubNumbers } = vault;
  const parsed = parseAnswer(received, { tool: callable.tool, hasHandler, scrubNumbers });
  if (received.status >= 400) {
    const text = parsed.kind === 'binary' ? '' : parsed.text;
    return { ok: false, findings: [upstreamStatusFinding(received, vault.scrub(text))] };
  }
  if (parsed.kind === 'not-json') {
    return { ok: false, findings: [notJsonFinding(parsed, vault.scrub(parsed.text))] };
  }
  if (parsed.mimeType !== '' && !isAccepted(parsed.mimeType, callable.tool)) {
    call.warnings = [...(call.warnings ?? []), answerTypeFinding(parsed.mimeType, callable.tool)];
  }
  return { ok: true, received, parsed };
}

/** The answer with the items of the following pages, if its tool has `pagination`. */
async function withPages(
  call: SendingCall,
  plan: RequestPlan,
  { received, parsed, startedAt }: { received: HttpAnswer; parsed: UsableAnswer; startedAt: number },
): Promise<{ ok: true; parsed: UsableAnswer } | FailedCall> {
  const { callable, vault, context } = call;
  const { tool, hooks } = callable;
  const { pagination } = tool;
  if (pagination === undefined) return { ok: true, parsed };
  if (parsed.kind !== 'json') {
    call.pages = { pages: 1, items: 0, stopped: 'only answers in JSON can be joined' };
    return { ok: true, parsed };
  }
  const pageOf = ({ url, headers, byteLength }: HttpAnswer, data: unknown) => ({
    data,
    url,
    link: headers.link,
    byteLength,
  });
  const gathered = await gatherPages(pageOf(received, parsed.data), {
    tool,
    pagination,
    plan,
    origin: URL.parse(vault.revealUrl(plan.url))?.origin,
    timeoutMs: context.timeoutMs ?? 30_000,
    startedAt,
    async fetchPage(nextPlan, limits) {
      const next = await exchange(call, nextPlan, { hasHandler: false, ...limits });
      return next.ok
        ? { ok: true, page: pageOf(next.received, next.parsed.kind === 'json' ? next.parsed.data : null) }
        : next;
    },
  });
  if (!gathered.ok) return gathered;
  call.pages = gathered.read;
  const { data } = gathered;
  const hasHandler = Boolean(hooks.postRequest ?? hooks.postProcess);
  if (!hasHandler) return { ok: true, parsed: { ...parsed, data } };
  return { ok: true, parsed: { kind: 'unparsed', text: stringifyData(data), mimeType: parsed.mimeType } };
}

async function finish(
  call: ToolCall,
  after: HookFunction,
  { answered, plan, values }: Planned & { answered: Answered },
): Promise<CallAnswer> {
  const unparsed = isSandboxed(after) ? answered.unparsed : undefined;
  const name = call.callable.hooks.postRequest ? 'postRequest' : 'postProcess';
  const isProcess = name === 'postProcess';
  const answer = {
    data: unparsed === undefined ? answered.data : null,
    unparsed,
    ...(isProcess && { raw: answered.raw?.() ?? JSON.stringify(answered.data) ?? '' }),
  };
  const ran = await tryHook(call, after, name, postRequestContext(plan, hookFacts(call, values), answer));
  if (!ran.ok) return ran;
  const before = () => (unparsed === undefined ? answered.data : answerData(unparsed));
  const { status, messages, data } = readPostRequest(ran.result, before, { bare: isProcess });
  if (!status) return { ok: false, findings: handlerFindings(messages, call) };
  return { ok: true, ...hookAnswer(ran.result, data) };
}

/** The answer of a hook, with its JSON text if a host process sent exactly this data. */
function hookAnswer({ answer }: HookOutcome, data: unknown): RawAnswer {
  return answer !== undefined && Object.is(answer.data, data) ? { data, isParsed: true, text: answer.json } : { data };
}

function answeredText({ status, byteLength }: Pick<HttpAnswer, 'status' | 'byteLength'>): string {
  return `The API answered with HTTP ${status} and ${sizeText(byteLength)}`;
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function scrubbed(findings: readonly Finding[], { scrub }: ToolCall['vault']): Finding[] {
  return findings.map((finding) => {
    const { message, hint } = finding;
    return { ...finding, message: scrub(message), ...(hint !== undefined && { hint: scrub(hint) }) };
  });
}

type HookRun = { ok: true; result: HookOutcome } | FailedCall;

/** Runs a hook of a call. Errors that it throws, and forbidden use of secrets, become findings. */
async function tryHook(call: ToolCall, hook: HookFunction, name: string, argument: HookContext): Promise<HookRun> {
  const { signal, onLog, onProgress } = call.context;
  onProgress?.(`Running the handler ${name}`);
  call.timeBudget ??= createTimeBudget();
  if (call.vault.values.length > 0) call.secrets ??= watchSecrets(call.callable.tool.name, call.vault);
  const { secrets } = call;
  let refused: Finding | undefined;
  try {
    const broker = call.openBroker((finding) => {
      refused = finding;
    });
    const result = await runHook(hook, argument, {
      fetch: secrets?.guard(broker) ?? broker,
      signal,
      timeBudget: call.timeBudget,
      onSecret: secrets?.note,
      ...(onLog && { onLog: (level, text) => onLog(level, shortText(call.vault.scrub(text))) }),
    });
    const misused = secrets?.findings() ?? [];
    const ignored = ignoredResult(name, result, call.callable.tool.name);
    if (ignored) call.warnings = [...(call.warnings ?? []), ignored];
    return misused.length > 0 ? { ok: false, findings: misused } : { ok: true, result };
  } catch (error) {
    const misused = secrets?.findings() ?? [];
    return { ok: false, findings: misused.length > 0 ? misused : [hookFinding(call, name, error, refused)] };
  }
}

/** Console output is cut after it is masked: a cut in a secret would leave its beginning. */
function shortText(text: string): string {
  return text.length > maxLogLength ? `${text.slice(0, maxLogLength)}…` : text;
}

const maxLogLength = 2000;

function hookFinding(call: ToolCall, name: string, error: unknown, refused: Finding | undefined): Finding {
  const { code = 'HANDLER_THREW', hint = refused?.hint, line } = Object(error) as Partial<Finding>;
  const where = code === 'FACTORY_THREW' || code === 'FACTORY_INVALID' ? 'handlers' : name;
  const message = `${where} error: ${messageOf(error)}`;
  return { ...fileFinding(call, code, message, hint), ...(line !== undefined && { line }) };
}

function fileFinding({ callable }: ToolCall, code: string, message: string, hint: string | undefined): Finding {
  const { file, tool } = callable;
  return { ...callFinding(code, message, { path: tool.name, hint }), ...(file !== undefined && { file }) };
}

function hookFacts({ callable, vault }: ToolCall, values: InputValues): HookCallFacts {
  const { tool } = callable;
  const serverParams = vault.visible;
  return { tool: tool.name, values, allParams: allParameterValues(tool, values, serverParams), serverParams };
}

function handlerFindings(messages: readonly string[], { callable }: ToolCall): Finding[] {
  const texts = messages.length > 0 ? messages : ['the handler reported a failure without a message'];
  return texts.map((message) => callFinding('HANDLER_FAILED', message, { path: callable.tool.name }));
}

/** One key for all requests of a call. */
export function withIdempotencyKey(context: CallContext): CallContext {
  return { ...context, idempotencyKey: context.idempotencyKey ?? randomUUID() };
}

/** A request, and the caller's values for the next hooks. */
type Planned = { plan: RequestPlan; values: InputValues };

/** Runs the hook before the request, which may change the request. */
export async function changePlan(
  call: ToolCall,
  before: HookFunction,
  { plan, values }: Planned,
): Promise<({ ok: true } & Planned) | FailedCall> {
  const { tool, hooks } = call.callable;
  const name = hooks.preRequest ? 'preRequest' : 'preProcess';
  const ran = await tryHook(call, before, name, preRequestContext(plan, hookFacts(call, values)));
  if (!ran.ok) return ran;
  const change = readPreRequest(ran.result, plan, { bare: !hooks.preRequest });
  if (!change.status) return { ok: false, findings: handlerFindings(change.messages, call) };
  if (change.problems.length > 0) {
    const findings = change.problems.map(({ field, problem, hint }) =>
      fileFinding(call, 'HANDLER_RESULT_INVALID', `${name} error: ${field} ${problem}`, hint),
    );
    return { ok: false, findings };
  }
  const changed = change.values ?? values;
  const again = change.replan ? planRequest(tool, changed, call.vault.visible, call.context) : undefined;
  if (again && !again.ok) return again;
  const next = again?.plan ?? change.plan;
  const computed = call.secrets?.check(next) ?? [];
  return computed.length > 0 ? { ok: false, findings: computed } : { ok: true, plan: next, values: changed };
}
