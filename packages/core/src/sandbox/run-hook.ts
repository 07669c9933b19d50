import { AsyncLocalStorage } from 'node:async_hooks';
import type { FetchBroker } from './fetch-broker.ts';
import { type HandlerCall, type HookOutcome, runHandler } from './handler-call.ts';
import { defaultTimeoutMs, type HandlerJob } from './handler-pool.ts';
import { buildContext, type HookContext, type HookName, trackStruct } from './hook-context.ts';
import { plainNodeRequest } from './plain-request.ts';

/** A hook as users of the library call it. It returns the new value or a promise of it. */
export type HookFunction = (context: Record<string, unknown>) => unknown;

/** The hooks of one tool; null for those that it does not have. */
export type ToolHooks = Record<HookName, HookFunction | null>;

export interface HookEnvironment extends Pick<HandlerJob, 'signal' | 'onLog' | 'onSecret'> {
  fetch: FetchBroker;
  /** Shared by the hooks of one call. */
  timeBudget: TimeBudget;
}

/** Time for all hooks of one call, in milliseconds. */
export interface TimeBudget {
  limitMs: number;
  leftMs: number;
}

export function createTimeBudget(timeoutMs: number = defaultTimeoutMs()): TimeBudget {
  return { limitMs: timeoutMs, leftMs: timeoutMs };
}

type SandboxedHook = Pick<HandlerCall, 'program' | 'name' | 'hook' | 'query'>;

const sandboxedHooks = new WeakMap<HookFunction, SandboxedHook>();

const noNetwork: FetchBroker = async ({ url }) => {
  throw new Error(`fetch is not available here: this hook was called outside of a tool call (${url})`);
};

/** A function that runs a hook of a schema in the sandbox. Called directly, outside of a tool call, it has no network. */
export function sandboxedHook(target: SandboxedHook): HookFunction {
  const run: HookFunction = (context) =>
    runHandler({ ...target, context: { visible: context, hidden: [] }, fetch: noNetwork }).then(({ value }) => value);
  sandboxedHooks.set(run, target);
  return run;
}

/** Whether a hook runs in the sandbox, where it sees tokens instead of secrets. */
export function isSandboxed(hook: HookFunction): boolean {
  return sandboxedHooks.has(hook);
}

/** Runs a hook of a schema in the sandbox, and a function passed by the user of the library in this process. */
export async function runHook(
  run: HookFunction,
  context: HookContext,
  environment: HookEnvironment,
): Promise<HookOutcome> {
  const target = sandboxedHooks.get(run);
  if (target === undefined) {
    const argument = buildContext(context);
    Object.defineProperty(argument, 'signal', { value: environment.signal, writable: true, configurable: true });
    const changes = trackStruct(argument);
    const value = await run(argument);
    const outcome = { value, changes: changes() };
    return context.visible.phaseType === 'pre' ? plainNodeRequest(outcome) : outcome;
  }
  const { fetch, timeBudget, ...others } = environment;
  const startedAt = performance.now();
  try {
    return await runHandler({
      ...target,
      ...others,
      context,
      // It is called from a message handler, but belongs to the async context of this call.
      fetch: AsyncLocalStorage.bind(fetch),
      // Timers take whole milliseconds, at least one.
      timeoutMs: Math.max(1, Math.ceil(timeBudget.leftMs)),
      limitMs: timeBudget.limitMs,
    });
  } finally {
    timeBudget.leftMs -= performance.now() - startedAt;
  }
}
