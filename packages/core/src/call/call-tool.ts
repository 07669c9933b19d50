import type { HttpClient } from '@schemakit/http';
import type { InputCheck } from '../format/check-input.ts';
import type { Finding } from '../format/finding.ts';
import type { Tool } from '../format/tool.ts';
import type { HookOutcome } from '../handlers/handler-call.ts';
import { type HookFunction, runHook, type ToolHooks } from '../handlers/run-hook.ts';
import {
  executeRequestContext,
  type HookCallFacts,
  postRequestContext,
  preRequestContext,
  readExecuteRequest,
  readPostRequest,
  readPreRequest,
} from './hooks.ts';
import type { NetworkGrant } from './network-grant.ts';
import {
  allParameterValues,
  type InputValues,
  planRequest,
  type RequestPlan,
  type SecretValues,
} from './plan-request.ts';
import { readAnswer } from './read-answer.ts';
import type { SecretVault } from './secret-vault.ts';
import { createFetchBroker, sendRequest, type Upstream } from './send-request.ts';
import { notJsonFinding, upstreamStatusFinding } from './upstream-error.ts';

/** A tool with everything that a call of it needs. */
export interface CallableTool {
  tool: Tool;
  /** File of the schema, for messages. */
  file?: string | undefined;
  /** Names that must be set before anything is sent. */
  requiredServerParams: readonly string[];
  hooks: ToolHooks;
  network: NetworkGrant;
  checkInput: InputCheck;
  openVault(serverParams: SecretValues): SecretVault;
}

/** What a call works with. */
export interface CallOptions {
  serverParams: SecretValues;
  http: HttpClient;
  /** Ends the call and its upstream request. */
  signal?: AbortSignal | undefined;
  /** Of the upstream exchange, in milliseconds. */
  timeoutMs?: number | undefined;
  onLog?: ((level: string, text: string) => void) | undefined;
}

/** What came of a call. `data` is null unless it succeeded. */
export interface CallOutcome {
  status: boolean;
  findings: Finding[];
  data: unknown;
  /** Media type of the upstream's answer, where there was one and no handler changed it. */
  mimeType?: string;
}

/** Calls a tool: checks the input, plans the request, runs its hooks, sends it and reads the answer (specification 1). */
export async function callTool(callable: CallableTool, params: unknown, options: CallOptions): Promise<CallOutcome> {
  const missing = missingSecrets(callable, options.serverParams);
  const checked = callable.checkInput(params);
  if (missing.length > 0 || !checked.ok) return failed([...missing, ...(checked.ok ? [] : checked.findings)]);
  const vault = callable.openVault(options.serverParams);
  const outcome = await runCall({ callable, options, vault }, checked.values);
  return vault.values.length === 0 ? outcome : scrubOutcome(outcome, vault);
}

interface RunningCall {
  callable: CallableTool;
  options: CallOptions;
  vault: SecretVault;
}

async function runCall(call: RunningCall, input: InputValues): Promise<CallOutcome> {
  const { callable, vault } = call;
  const { tool, hooks } = callable;
  const planned = planRequest(tool, input, vault.visible);
  if (!planned.ok) return failed(planned.findings);
  let { plan } = planned;
  let values = input;
  const before = hooks.preRequest ?? hooks.preProcess;
  if (before) {
    const ran = await tryHook(
      call,
      before,
      hooks.preRequest ? 'preRequest' : 'preProcess',
      preRequestContext(plan, facts(call, values)),
    );
    if (!ran.ok) return ran.outcome;
    const change = readPreRequest(ran.result, plan, { bare: !hooks.preRequest });
    values = change.values ?? values;
    const again = change.replan ? planRequest(tool, values, vault.visible) : undefined;
    if (again && !again.ok) return failed(again.findings);
    plan = again?.plan ?? change.plan;
    const computed = secretsComputedFrom(plan, ran.result.reads, call);
    if (computed.length > 0) return failed(computed);
  }
  const answered = hooks.executeRequest
    ? await execute(call, hooks.executeRequest, plan, values)
    : await request(call, plan);
  if (!answered.status) return answered;
  return finish(call, answered, plan, values);
}

/** What an answer is before the hooks after it: the data, and the text that it was read from. */
interface Answered extends CallOutcome {
  raw?: string;
}

async function execute(
  call: RunningCall,
  hook: HookFunction,
  plan: RequestPlan,
  values: InputValues,
): Promise<Answered> {
  const ran = await tryHook(call, hook, 'executeRequest', executeRequestContext(plan, facts(call, values)));
  if (!ran.ok) return ran.outcome;
  const { status, messages, data } = readExecuteRequest(ran.result);
  return status ? { status, findings: [], data } : failed(handlerFindings(messages, call));
}

async function request(call: RunningCall, plan: RequestPlan): Promise<Answered> {
  const { callable, vault } = call;
  const { tool, hooks } = callable;
  const sent = await sendRequest(plan, upstreamOf(call));
  if (!sent.ok) return failed([sent.finding]);
  const { answer } = sent;
  const hasHandler = Boolean(hooks.postRequest ?? hooks.postProcess);
  const reading = readAnswer(answer, { output: tool.output, hasHandler });
  if (answer.status >= 400) {
    const text = reading.kind === 'binary' ? '' : reading.text;
    return failed([upstreamStatusFinding({ ...answer, text: vault.scrub(text) })]);
  }
  if (reading.kind === 'not-json') return failed([notJsonFinding({ ...reading, text: vault.scrub(reading.text) })]);
  const { data, text: raw, mimeType } = reading;
  // An upstream may repeat a secret; a handler could spell it in a way that no scrubber knows.
  if (hasHandler && vault.values.length > 0) {
    return { status: true, findings: [], data: vault.scrubData(data), raw: vault.scrub(raw), mimeType };
  }
  return { status: true, findings: [], data, raw, mimeType };
}

async function finish(
  call: RunningCall,
  answered: Answered,
  plan: RequestPlan,
  values: InputValues,
): Promise<CallOutcome> {
  const { hooks } = call.callable;
  const { raw, ...outcome } = answered;
  const after = hooks.postRequest ?? hooks.postProcess;
  if (!after) return outcome;
  const name = hooks.postRequest ? 'postRequest' : 'postProcess';
  const isProcess = name === 'postProcess';
  const answer = { data: outcome.data, ...(isProcess && { raw: raw ?? JSON.stringify(outcome.data) ?? '' }) };
  const ran = await tryHook(call, after, name, postRequestContext(plan, facts(call, values), answer));
  if (!ran.ok) return ran.outcome;
  const { status, messages, data } = readPostRequest(ran.result, outcome.data, { bare: isProcess });
  return status ? { status, findings: [], data } : failed(handlerFindings(messages, call));
}

function facts({ callable, vault }: RunningCall, values: InputValues): HookCallFacts {
  const { tool } = callable;
  const serverParams = vault.visible;
  return { tool: tool.name, values, allParams: allParameterValues(tool, values, serverParams), serverParams };
}

/**
 * A hook that reads a secret and sends no token of it has computed something from the token, such as a signature, which
 * could only be wrong. It needs the value, and for that a grant.
 */
function secretsComputedFrom(plan: RequestPlan, reads: readonly string[], { callable, vault }: RunningCall): Finding[] {
  const request = reads.length > 0 ? JSON.stringify(plan) : '';
  const computed = reads.filter((name) => vault.isToken(name) && !request.includes(vault.visible[name] ?? ''));
  return computed.map((name) => ({
    code: 'SECRET_NOT_GRANTED',
    severity: 'error',
    path: callable.tool.name,
    message: `A handler of ${callable.tool.name} computes with the secret ${name}, and sees only a token of it`,
    hint: `If you trust the schema with the value, grant it: loadSchema({ filePath, grants: { secrets: [${JSON.stringify(name)}] } }).`,
  }));
}

type HookRun = { ok: true; result: HookOutcome } | { ok: false; outcome: CallOutcome };

async function tryHook(
  call: RunningCall,
  hook: HookFunction,
  name: string,
  context: Parameters<typeof runHook>[1],
): Promise<HookRun> {
  const { signal, onLog } = call.options;
  let refused: Finding | undefined;
  try {
    const result = await runHook(hook, context, {
      fetch: createFetchBroker(upstreamOf(call), (finding) => {
        refused = finding;
      }),
      signal,
      ...(onLog && { onLog: (level, text) => onLog(level, call.vault.scrub(text)) }),
    });
    return { ok: true, result };
  } catch (error) {
    return { ok: false, outcome: failed([hookFinding(call, name, error, refused)]) };
  }
}

function hookFinding({ callable }: RunningCall, name: string, error: unknown, refused: Finding | undefined): Finding {
  const { code = 'HANDLER_THREW', hint = refused?.hint, line } = Object(error) as Partial<Finding>;
  const message = error instanceof Error ? error.message : String(error);
  return {
    code,
    severity: 'error',
    path: callable.tool.name,
    message: `${code === 'FACTORY_THREW' || code === 'FACTORY_INVALID' ? 'handlers' : name} error: ${message}`,
    ...(hint !== undefined && { hint }),
    ...(line !== undefined && { line }),
    ...(callable.file !== undefined && { file: callable.file }),
  };
}

function upstreamOf({ callable, options, vault }: RunningCall): Upstream {
  const { http, signal, timeoutMs } = options;
  return { http, network: callable.network, vault, signal, timeoutMs };
}

function missingSecrets({ requiredServerParams, tool }: CallableTool, serverParams: SecretValues): Finding[] {
  const broken = requiredServerParams.filter((name) => /[\r\n\0]/.test(serverParams[name] ?? ''));
  const missing = requiredServerParams.filter((name) => (serverParams[name] ?? '') === '');
  return [
    ...broken.map((name) => brokenSecret(name, tool.name)),
    ...missing.map((name) => missingSecret(name, tool.name)),
  ];
}

function missingSecret(name: string, path: string): Finding {
  return {
    code: 'SECRET_MISSING',
    severity: 'error',
    path,
    message: `Required server parameter ${name} is not set`,
    hint: `Pass it in serverParams, or set ${name} in the environment of the server.`,
  };
}

/** A line break at the end of a key comes from careless copying; no header or URL can carry it. */
function brokenSecret(name: string, path: string): Finding {
  return {
    code: 'SECRET_INVALID',
    severity: 'error',
    path,
    message: `Server parameter ${name} has a line break in it`,
    hint: 'Remove the line break, which often stands at the end of a copied value.',
  };
}

function handlerFindings(messages: readonly string[], { callable }: RunningCall): Finding[] {
  const texts = messages.length > 0 ? messages : ['the handler reported a failure without a message'];
  return texts.map((message) => ({ code: 'HANDLER_FAILED', severity: 'error', path: callable.tool.name, message }));
}

function failed(findings: Finding[]): CallOutcome {
  return { status: false, findings, data: null };
}

function scrubOutcome(outcome: CallOutcome, vault: SecretVault): CallOutcome {
  const findings = outcome.findings.map((finding) => ({
    ...finding,
    message: vault.scrub(finding.message),
    ...(finding.hint !== undefined && { hint: vault.scrub(finding.hint) }),
  }));
  return { ...outcome, findings, data: vault.scrubData(outcome.data) };
}
