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
import type { HandlerProgram } from './handler-program.ts';

/** A hook as callers of the library see it: one argument, the new value or a promise of it. */
export type HookFunction = (context: Record<string, unknown>) => unknown;

/** Every name under which a hook may stand, in both protocols. */
export const hookNames: readonly HookName[] = [
  'preRequest',
  'executeRequest',
  'postRequest',
  'preProcess',
  'postProcess',
];

/** The hooks of one tool, or null where it has none. */
export type ToolHooks = Record<HookName, HookFunction | null>;

/** What a hook may use while it runs. */
export interface HookEnvironment {
  fetch: FetchBroker;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  onLog?: ((level: string, text: string) => void) | undefined;
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

/** Runs a hook: one of a schema behind the wall, one that the caller of the library passed in itself right here. */
export async function runHook(
  run: HookFunction,
  context: HookContext,
  environment: HookEnvironment,
): Promise<HookOutcome> {
  const hosted = hostedHooks.get(run);
  if (hosted === undefined) {
    const argument = openContext(context);
    const changes = watchStruct(argument);
    const value = await run(argument);
    return { value, changes: changes(), reads: [] };
  }
  const { fetch, signal, timeoutMs, onLog } = environment;
  return runHandler({
    ...hosted,
    context,
    fetch,
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(onLog && { onLog }),
  });
}
