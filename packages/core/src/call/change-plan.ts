import type { Finding } from '../format/finding.ts';
import type { HookFunction } from '../handlers/run-hook.ts';
import type { StructProblem } from './apply-struct.ts';
import { preRequestContext, readPreRequest } from './hooks.ts';
import { type InputValues, planRequest, type RequestPlan } from './plan-request.ts';
import { type CallOutcome, failed, handlerFindings, hookFacts, type RunningCall, tryHook } from './running-call.ts';

/** A request, and the caller's values for what follows. */
export interface Planned {
  plan: RequestPlan;
  values: InputValues;
}

export type ChangedPlan = ({ ok: true } & Planned) | { ok: false; outcome: CallOutcome };

/** The hook that a tool has before its request. */
export function hookBefore({ callable }: RunningCall): HookFunction | null {
  return callable.hooks.preRequest ?? callable.hooks.preProcess;
}

/** Lets the hook before the request change what is sent. */
export async function changePlan(
  call: RunningCall,
  before: HookFunction,
  { plan, values }: Planned,
): Promise<ChangedPlan> {
  const { callable, vault, secrets } = call;
  const { tool, hooks } = callable;
  const name = hooks.preRequest ? 'preRequest' : 'preProcess';
  const ran = await tryHook(call, before, name, preRequestContext(plan, hookFacts(call, values)));
  if (!ran.ok) return ran;
  const change = readPreRequest(ran.result, plan, { bare: !hooks.preRequest });
  if (!change.status) return { ok: false, outcome: failed(handlerFindings(change.messages, call)) };
  if (change.problems.length > 0) {
    return { ok: false, outcome: failed(change.problems.map((problem) => requestProblem(problem, name, call))) };
  }
  const changed = change.values ?? values;
  const again = change.replan ? planRequest(tool, changed, vault.visible) : undefined;
  if (again && !again.ok) return { ok: false, outcome: failed(again.findings) };
  const next = again?.plan ?? change.plan;
  const computed = secrets.check(next);
  return computed.length > 0 ? { ok: false, outcome: failed(computed) } : { ok: true, plan: next, values: changed };
}

function requestProblem({ field, problem, hint }: StructProblem, name: string, { callable }: RunningCall): Finding {
  return {
    code: 'HANDLER_RESULT_INVALID',
    severity: 'error',
    path: callable.tool.name,
    message: `${name} error: ${field} ${problem}`,
    hint,
    ...(callable.file !== undefined && { file: callable.file }),
  };
}
