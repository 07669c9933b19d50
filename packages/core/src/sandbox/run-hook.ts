import { AsyncLocalStorage } from 'node:async_hooks';
import {
  callHandler,
  type FetchBroker,
  type HookContext,
  type HookName,
  type HookOutcome,
  openContext,
  runHandler,
  watchStruct,
} from './handler-call.ts';
import { defaultTimeoutMs, type HandlerJob } from './handler-hosts.ts';
import type { HandlerProgram } from './handler-program.ts';
import { ownRequestParts } from './request-parts.ts';

/** A hook as callers of the library see it: one argument, the new value or a promise of it. */
export type HookFunction = (context: Record<string, unknown>) => unknown;

export { hookNames } from './hook-context.ts';

/** The hooks of one tool, or null where it has none. */
export type ToolHooks = Record<HookName, HookFunction | null>;

/** What a hook may use while it runs. */
export interface HookEnvironment extends Pick<HandlerJob, 'signal' | 'onLog' | 'onSecret'> {
  fetch: FetchBroker;
  /** Shared by the hooks of one call. */
  allowance: HookAllowance;
}

/** The time that the hooks of one call have together, in milliseconds. */
export interface HookAllowance {
  /** At the beginning of the call. */
  limitMs: number;
  leftMs: number;
}

/** @param timeoutMs Default: `SCHEMAKIT_HANDLER_TIMEOUT_MS`, or 30 seconds. */
export function openAllowance(timeoutMs: number = defaultTimeoutMs()): HookAllowance {
  return { limitMs: timeoutMs, leftMs: timeoutMs };
}

interface HostedHook {
  program: HandlerProgram;
  name: string;
  hook: HookName;
  query?: string;
}

const hostedHooks = new WeakMap<HookFunction, HostedHook>();

const noNetwork: FetchBroker = async ({ url }) => {
  throw new Error(`fetch is not available here: this hook was called outside of a tool call (${url})`);
};

/** A function that runs a hook of a schema in a host process; called by hand, it has no network. */
export function hostedHook(hosted: HostedHook): HookFunction {
  const run: HookFunction = (context) =>
    callHandler({ ...hosted, context: { visible: context, hidden: [] }, fetch: noNetwork });
  hostedHooks.set(run, hosted);
  return run;
}

/** Tells whether a hook runs in a host process, where it sees tokens in place of secrets. */
export function isHosted(hook: HookFunction): boolean {
  return hostedHooks.has(hook);
}

/** Runs a hook: one of a schema in the sandbox, one that the caller of the library passed in itself right here. */
export async function runHook(
  run: HookFunction,
  context: HookContext,
  environment: HookEnvironment,
): Promise<HookOutcome> {
  const hosted = hostedHooks.get(run);
  if (hosted === undefined) {
    const argument = openContext(context);
    Object.defineProperty(argument, 'signal', { value: environment.signal, writable: true, configurable: true });
    const changes = watchStruct(argument);
    const value = await run(argument);
    const outcome = { value, changes: changes() };
    return context.visible.phaseType === 'pre' ? ownRequestParts(outcome) : outcome;
  }
  const { fetch, allowance, ...others } = environment;
  const begunAt = performance.now();
  try {
    return await runHandler({
      ...hosted,
      ...others,
      context,
      // It is called when a message of the host comes in; a request belongs to the call that runs the hook.
      fetch: AsyncLocalStorage.bind(fetch),
      // A timer takes whole milliseconds, and a hook without any would wait for ever.
      timeoutMs: Math.max(1, Math.ceil(allowance.leftMs)),
      limitMs: allowance.limitMs,
    });
  } finally {
    allowance.leftMs -= performance.now() - begunAt;
  }
}
