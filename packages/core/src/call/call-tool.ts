import type { HttpClient } from '@schemakit/http';
import type { Finding } from '../format/finding.ts';
import type { HookOutcome } from '../handlers/handler-call.ts';
import { answerData } from '../handlers/hook-context.ts';
import { type HookFunction, isHosted } from '../handlers/run-hook.ts';
import { answeredText } from './answered-text.ts';
import type { CallableTool } from './callable-tool.ts';
import { changePlan, hookBefore } from './change-plan.ts';
import { executeRequestContext, postRequestContext, readExecuteRequest, readPostRequest } from './hooks.ts';
import { missingSecrets } from './missing-secrets.ts';
import { type InputValues, planRequest, type RequestPlan, type SecretValues } from './plan-request.ts';
import { readAnswer } from './read-answer.ts';
import { type CallOutcome, failed, handlerFindings, hookFacts, type RunningCall, tryHook } from './running-call.ts';
import type { SecretVault } from './secret-vault.ts';
import { watchSecrets } from './secret-watch.ts';
import { createFetchBroker, sendRequest, type Upstream } from './send-request.ts';
import { stringifyData } from './stringify-data.ts';
import { noteworthyUse, openUpstreamAccess } from './upstream-access.ts';
import { notJsonFinding, upstreamStatusFinding } from './upstream-error.ts';
import type { UpstreamOptions } from './upstream-options.ts';

/** What a call works with. */
export interface CallOptions {
  serverParams: SecretValues;
  http: HttpClient;
  /** Ends the call and its upstream request. */
  signal?: AbortSignal | undefined;
  /** Of the upstream exchange, in milliseconds. */
  timeoutMs?: number | undefined;
  onLog?: ((level: string, text: string) => void) | undefined;
  /** Takes a text on each step. */
  onProgress?: ((message: string) => void) | undefined;
  /** The limits of its requests. Default none. */
  upstream?: UpstreamOptions | undefined;
}

/** Calls a tool: checks the input, plans the request, runs its hooks, sends it and reads the answer (specification 1). */
export async function callTool(callable: CallableTool, params: unknown, options: CallOptions): Promise<CallOutcome> {
  const missing = missingSecrets(callable, options.serverParams);
  const checked = callable.checkInput(params);
  if (missing.length > 0 || !checked.ok) return failed([...missing, ...(checked.ok ? [] : checked.findings)]);
  const vault = callable.openVault(options.serverParams);
  const call = openCall(callable, vault, options);
  const outcome = await runCall(call, checked.values);
  const use = noteworthyUse(call.upstream.access.use);
  if (use !== undefined) outcome.upstream = use;
  outcome.findings.push(...(call.warnings ?? []));
  // An answer without content is none that the schema describes.
  if (outcome.data !== null) outcome.findings.push(...callable.checkOutput(outcome.data));
  return vault.values.length === 0 ? outcome : scrubOutcome(outcome, vault);
}

/** A call that may send requests. */
interface SendingCall extends RunningCall {
  upstream: Upstream;
}

function openCall(callable: CallableTool, vault: SecretVault, options: CallOptions): SendingCall {
  const { http, signal, timeoutMs, onLog, onProgress } = options;
  const access = openUpstreamAccess(options.upstream, onProgress);
  const upstream = { http, network: callable.network, vault, signal, timeoutMs, access };
  const secrets = watchSecrets(callable.tool.name, vault);
  const openBroker = (onRefused: (finding: Finding) => void) => createFetchBroker(upstream, onRefused);
  return { callable, vault, secrets, signal, onLog, onProgress, openBroker, upstream };
}

async function runCall(call: SendingCall, input: InputValues): Promise<CallOutcome> {
  const { tool, hooks } = call.callable;
  const planned = planRequest(tool, input, call.vault.visible);
  if (!planned.ok) return failed(planned.findings);
  let { plan } = planned;
  let values = input;
  const before = hookBefore(call);
  if (before) {
    const changed = await changePlan(call, before, { plan, values });
    if (!changed.ok) return changed.outcome;
    ({ plan, values } = changed);
  }
  const answered = hooks.executeRequest
    ? await execute(call, hooks.executeRequest, plan, values)
    : await request(call, plan);
  const after = hooks.postRequest ?? hooks.postProcess;
  return after && answered.outcome.status ? finish(call, after, { answered, plan, values }) : answered.outcome;
}

/** What an answer is before the hooks after it, and the text that it was read from. */
interface Answered {
  outcome: CallOutcome;
  raw?: () => string;
  /** Text whose data (`answerData`) is that of the outcome: a hosted hook after it reads it where it runs. */
  unread?: string | undefined;
}

async function execute(
  call: RunningCall,
  hook: HookFunction,
  plan: RequestPlan,
  values: InputValues,
): Promise<Answered> {
  const ran = await tryHook(call, hook, 'executeRequest', executeRequestContext(plan, hookFacts(call, values)));
  if (!ran.ok) return { outcome: ran.outcome };
  const { status, messages, data } = readExecuteRequest(ran.result);
  if (!status) return { outcome: failed(handlerFindings(messages, call)) };
  const text = textOf(ran.result, data);
  return { outcome: { status, findings: [], data, ...asParsed(text) }, unread: text };
}

async function request(call: SendingCall, plan: RequestPlan): Promise<Answered> {
  const { callable, vault, upstream, onProgress } = call;
  const { tool, hooks } = callable;
  onProgress?.('Waiting for the API');
  const sent = await sendRequest(plan, upstream);
  if (!sent.ok) return { outcome: failed([sent.finding]) };
  const { answer } = sent;
  onProgress?.(answeredText(answer));
  const after = hooks.postRequest ?? hooks.postProcess;
  const reading = readAnswer(answer, { output: tool.output, hasHandler: Boolean(after) });
  if (answer.status >= 400) {
    const text = reading.kind === 'binary' ? '' : reading.text;
    return { outcome: failed([upstreamStatusFinding({ ...answer, text: vault.scrub(text) })]) };
  }
  if (reading.kind === 'not-json') {
    return { outcome: failed([notJsonFinding({ ...reading, text: vault.scrub(reading.text) })]) };
  }
  const { mimeType } = reading;
  const outcome: CallOutcome = { status: true, findings: [], data: null, mimeType };
  // An upstream may repeat a secret; a handler could spell it in a way that no scrubber knows.
  const raw = () => vault.scrub(reading.text);
  if (reading.kind !== 'unread') {
    const data = after ? vault.scrubData(reading.data) : reading.data;
    return { outcome: { ...outcome, data, isParsed: reading.kind === 'json' }, raw };
  }
  if (!after || !isHosted(after))
    return { outcome: { ...outcome, data: vault.scrubData(answerData(reading.text)) }, raw };
  return { outcome, raw, unread: maskedText(reading.text, vault) };
}

/** Text of the data of an answer, without secrets. */
function maskedText(text: string, vault: SecretVault): string {
  if (vault.values.length === 0) return text;
  const data = answerData(text);
  // Written anew, since only what our process writes can be looked through as a whole.
  const json = stringifyData(data);
  return vault.clearsJson(json) ? json : stringifyData(vault.scrubData(data));
}

async function finish(
  call: RunningCall,
  after: HookFunction,
  { answered, plan, values }: { answered: Answered; plan: RequestPlan; values: InputValues },
): Promise<CallOutcome> {
  const { outcome, raw } = answered;
  const unread = isHosted(after) ? answered.unread : undefined;
  const name = call.callable.hooks.postRequest ? 'postRequest' : 'postProcess';
  const isProcess = name === 'postProcess';
  const answer = {
    data: unread === undefined ? outcome.data : null,
    unread,
    ...(isProcess && { raw: raw?.() ?? JSON.stringify(outcome.data) ?? '' }),
  };
  const ran = await tryHook(call, after, name, postRequestContext(plan, hookFacts(call, values), answer));
  if (!ran.ok) return ran.outcome;
  const before = () => (unread === undefined ? outcome.data : answerData(unread));
  const { status, messages, data } = readPostRequest(ran.result, before, { bare: isProcess });
  if (!status) return failed(handlerFindings(messages, call));
  return { status, findings: [], data, ...asParsed(textOf(ran.result, data)) };
}

/** The text that data was read from, where a hook behind the wall answered with just this data. */
function textOf({ answer }: HookOutcome, data: unknown): string | undefined {
  return answer !== undefined && Object.is(answer.data, data) ? answer.json : undefined;
}

function asParsed(text: string | undefined): Pick<CallOutcome, 'isParsed' | 'text'> {
  return text === undefined ? {} : { isParsed: true, text };
}

/** What comes from behind the wall is looked through as our process writes it, and not as somebody else did. */
function scrubOutcome({ text: _, ...outcome }: CallOutcome, vault: SecretVault): CallOutcome {
  const findings = outcome.findings.map((finding) => ({
    ...finding,
    message: vault.scrub(finding.message),
    ...(finding.hint !== undefined && { hint: vault.scrub(finding.hint) }),
  }));
  // The text is needed in any case, and clears most answers.
  const text = outcome.isParsed ? stringifyData(outcome.data) : undefined;
  const data = text !== undefined && vault.clearsJson(text) ? outcome.data : vault.scrubData(outcome.data);
  return { ...outcome, findings, data, ...(text !== undefined && data === outcome.data && { text }) };
}
