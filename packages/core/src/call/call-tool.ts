import type { HttpAnswer } from '@schemakit/http';
import type { HookOutcome } from '../sandbox/handler-call.ts';
import { answerData } from '../sandbox/hook-context.ts';
import { type HookFunction, isSandboxed } from '../sandbox/run-hook.ts';
import type { Finding } from '../schema/finding.ts';
import { maskedAnswer, type RawAnswer } from './answer-text.ts';
import type { CallContext } from './call-context.ts';
import type { CallableTool } from './callable-tool.ts';
import { executeRequestContext, postRequestContext, readExecuteRequest, readPostRequest } from './hooks.ts';
import { type InputValues, planRequest, type RequestPlan, type SecretValues } from './plan-request.ts';
import { readAnswer } from './read-answer.ts';
import { type CallOutcome, changePlan, handlerFindings, hookFacts, type RunningCall, tryHook } from './running-call.ts';
import { createFetchBroker, type GrantedUpstream, sendRequest, useToReport } from './send-request.ts';
import { notJsonFinding, upstreamStatusFinding } from './upstream-error.ts';

/** Calls a tool with checked values: plans the request, runs its hooks, sends it and reads the answer (specification 1). */
export async function callTool(
  callable: CallableTool,
  { values, serverParams, context }: { values: InputValues; serverParams: SecretValues; context: CallContext },
): Promise<CallOutcome> {
  const vault = callable.openVault(serverParams);
  const upstream = { network: callable.network, vault, context, use: { attempts: 0, waitedMs: 0 } };
  const openBroker = (onRefused: (finding: Finding) => void) => createFetchBroker(upstream, onRefused);
  const call: SendingCall = { callable, vault, context, upstream, openBroker };
  const answered = await runCall(call, values);
  const findings = [...(answered.ok ? [] : answered.findings), ...(call.warnings ?? [])];
  // Empty bodies are not what the output schema describes.
  if (answered.ok && answered.data !== null) findings.push(...callable.checkOutput(answered.data));
  const use = useToReport(upstream.use);
  return {
    status: answered.ok,
    data: null,
    ...(answered.ok && maskedAnswer(answered, vault)),
    findings: findings.map((finding) => scrubbed(finding, vault.scrub)),
    ...(answered.ok && answered.mimeType !== undefined && { mimeType: answered.mimeType }),
    ...(use && { upstream: use }),
  };
}

/** A call that may send requests. */
interface SendingCall extends RunningCall {
  upstream: GrantedUpstream;
}

type CallAnswer = (Answered & { ok: true }) | { ok: false; findings: Finding[] };

/** An answer, and what the hook after it may get in its place. */
interface Answered extends RawAnswer {
  mimeType?: string;
  /** The body as text, for `postProcess`. */
  raw?: () => string;
  /** JSON text that stands for `data`: a hook in a host parses it there. */
  unread?: string | undefined;
}

async function runCall(call: SendingCall, input: InputValues): Promise<CallAnswer> {
  const { tool, hooks } = call.callable;
  const planned = planRequest(tool, input, call.vault.visible);
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

async function execute(
  call: RunningCall,
  hook: HookFunction,
  { plan, values }: { plan: RequestPlan; values: InputValues },
): Promise<CallAnswer> {
  const ran = await tryHook(call, hook, 'executeRequest', executeRequestContext(plan, hookFacts(call, values)));
  if (!ran.ok) return ran;
  const { status, messages, data } = readExecuteRequest(ran.result);
  if (!status) return { ok: false, findings: handlerFindings(messages, call) };
  const answer = hookAnswer(ran.result, data);
  return { ok: true, ...answer, unread: answer.text };
}

async function request(call: SendingCall, plan: RequestPlan): Promise<CallAnswer> {
  const { callable, vault, upstream, context } = call;
  const { tool, hooks } = callable;
  context.onProgress?.('Waiting for the API');
  const sent = await sendRequest(plan, upstream);
  if (!sent.ok) return { ok: false, findings: [sent.finding] };
  const { answer: received } = sent;
  context.onProgress?.(answeredText(received));
  const after = hooks.postRequest ?? hooks.postProcess;
  const reading = readAnswer(received, { output: tool.output, hasHandler: Boolean(after) });
  if (received.status >= 400) {
    const text = reading.kind === 'binary' ? '' : reading.text;
    return { ok: false, findings: [upstreamStatusFinding(received, vault.scrub(text))] };
  }
  if (reading.kind === 'not-json') {
    return { ok: false, findings: [notJsonFinding(reading, vault.scrub(reading.text))] };
  }
  const { mimeType } = reading;
  // An upstream may repeat a secret; a handler could spell it in a way that no scrubber knows.
  const raw = () => vault.scrub(reading.text);
  if (reading.kind !== 'unread') {
    const data = after ? vault.scrubData(reading.data) : reading.data;
    return { ok: true, data, isParsed: reading.kind === 'json', mimeType, raw };
  }
  if (!after || !isSandboxed(after)) {
    return { ok: true, data: vault.scrubData(answerData(reading.text)), mimeType, raw };
  }
  const hasSecrets = vault.values.length > 0;
  const answer = hasSecrets && maskedAnswer({ data: answerData(reading.text), isParsed: true }, vault);
  return { ok: true, data: null, unread: answer ? answer.text : reading.text, mimeType, raw };
}

async function finish(
  call: RunningCall,
  after: HookFunction,
  { answered, plan, values }: { answered: Answered; plan: RequestPlan; values: InputValues },
): Promise<CallAnswer> {
  const unread = isSandboxed(after) ? answered.unread : undefined;
  const name = call.callable.hooks.postRequest ? 'postRequest' : 'postProcess';
  const isProcess = name === 'postProcess';
  const answer = {
    data: unread === undefined ? answered.data : null,
    unread,
    ...(isProcess && { raw: answered.raw?.() ?? JSON.stringify(answered.data) ?? '' }),
  };
  const ran = await tryHook(call, after, name, postRequestContext(plan, hookFacts(call, values), answer));
  if (!ran.ok) return ran;
  const before = () => (unread === undefined ? answered.data : answerData(unread));
  const { status, messages, data } = readPostRequest(ran.result, before, { bare: isProcess });
  if (!status) return { ok: false, findings: handlerFindings(messages, call) };
  return { ok: true, ...hookAnswer(ran.result, data) };
}

/** What a hook answered, with the text it came as where a host answered with just this data. */
function hookAnswer({ answer }: HookOutcome, data: unknown): RawAnswer {
  return answer !== undefined && Object.is(answer.data, data) ? { data, isParsed: true, text: answer.json } : { data };
}

/** For progress reports. */
function answeredText({ status, byteLength }: Pick<HttpAnswer, 'status' | 'byteLength'>): string {
  return `The API answered with HTTP ${status} and ${sizeText(byteLength)}`;
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function scrubbed(finding: Finding, scrub: (text: string) => string): Finding {
  const { message, hint } = finding;
  return { ...finding, message: scrub(message), ...(hint !== undefined && { hint: scrub(hint) }) };
}
