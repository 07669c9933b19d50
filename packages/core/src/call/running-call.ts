import type { FetchBroker } from '../sandbox/fetch-broker.ts';
import type { HookOutcome } from '../sandbox/handler-call.ts';
import type { HookContext } from '../sandbox/hook-context.ts';
import { createTimeBudget, type HookFunction, runHook, type TimeBudget } from '../sandbox/run-hook.ts';
import type { Finding } from '../schema/finding.ts';
import type { CallContext, UpstreamUse } from './call-context.ts';
import { callFinding } from './call-finding.ts';
import type { CallableTool } from './callable-tool.ts';
import { type HookCallFacts, ignoredResult, preRequestContext, readPreRequest } from './hooks.ts';
import { allParameterValues, type InputValues, planRequest, type RequestPlan } from './plan-request.ts';
import type { SecretVault } from './secret-vault.ts';
import { type SecretWatch, watchSecrets } from './secret-watch.ts';

/** What came of a call. `data` is null unless it succeeded. */
export interface CallOutcome {
  status: boolean;
  findings: Finding[];
  data: unknown;
  /** `data` as JSON text; present where the call succeeded. */
  text?: string;
  /** Media type of the upstream's answer, where there was one and no handler changed it. */
  mimeType?: string;
  /** What it took, where that was more than one request at once. */
  upstream?: UpstreamUse;
}

/** A call, or the preview of one, while its hooks run. */
export interface RunningCall {
  callable: CallableTool;
  vault: SecretVault;
  context: CallContext;
  /** Makes the `fetch` of a hook. `onRefused` learns of requests that it may not make. */
  openBroker(onRefused: (finding: Finding) => void): FetchBroker;
  /** What the hooks have together, and what they do with secrets, where there are any; opened by the first. */
  timeBudget?: TimeBudget;
  secrets?: SecretWatch;
  /** Warnings for hook results that were ignored. */
  warnings?: Finding[];
}

export type HookRun = { ok: true; result: HookOutcome } | { ok: false; findings: Finding[] };

/** Runs a hook of a call. What it throws, and what it did with secrets that it may not read, are findings. */
export async function tryHook(
  call: RunningCall,
  hook: HookFunction,
  name: string,
  argument: HookContext,
): Promise<HookRun> {
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
      ...(onLog && { onLog: (level, text) => onLog(level, call.vault.scrub(text)) }),
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

function hookFinding(call: RunningCall, name: string, error: unknown, refused: Finding | undefined): Finding {
  const { code = 'HANDLER_THREW', hint = refused?.hint, line } = Object(error) as Partial<Finding>;
  const where = code === 'FACTORY_THREW' || code === 'FACTORY_INVALID' ? 'handlers' : name;
  const message = `${where} error: ${error instanceof Error ? error.message : String(error)}`;
  return { ...fileFinding(call, code, message, hint), ...(line !== undefined && { line }) };
}

function fileFinding({ callable }: RunningCall, code: string, message: string, hint: string | undefined): Finding {
  const { file, tool } = callable;
  return { ...callFinding(code, message, { path: tool.name, hint }), ...(file !== undefined && { file }) };
}

/** What every hook is told. */
export function hookFacts({ callable, vault }: RunningCall, values: InputValues): HookCallFacts {
  const { tool } = callable;
  const serverParams = vault.visible;
  return { tool: tool.name, values, allParams: allParameterValues(tool, values, serverParams), serverParams };
}

/** The findings for a hook that said that it failed. */
export function handlerFindings(messages: readonly string[], { callable }: RunningCall): Finding[] {
  const texts = messages.length > 0 ? messages : ['the handler reported a failure without a message'];
  return texts.map((message) => callFinding('HANDLER_FAILED', message, { path: callable.tool.name }));
}

/** A request, and the caller's values for what follows. */
export interface Planned {
  plan: RequestPlan;
  values: InputValues;
}

export type ChangedPlan = ({ ok: true } & Planned) | { ok: false; findings: Finding[] };

/** Lets the hook before the request change what is sent. */
export async function changePlan(
  call: RunningCall,
  before: HookFunction,
  { plan, values }: Planned,
): Promise<ChangedPlan> {
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
  const again = change.replan ? planRequest(tool, changed, call.vault.visible) : undefined;
  if (again && !again.ok) return again;
  const next = again?.plan ?? change.plan;
  const computed = call.secrets?.check(next) ?? [];
  return computed.length > 0 ? { ok: false, findings: computed } : { ok: true, plan: next, values: changed };
}
