import type { FetchBroker } from './answer-fetch.ts';
import type { HandlerProgram } from './handler-program.ts';
import type { HookContext, HookName } from './hook-context.ts';
import { defaultTimeoutMs, runInHost } from './run-in-host.ts';

export type { FetchBroker } from './answer-fetch.ts';
export { type HookContext, type HookName, openContext, watchStruct } from './hook-context.ts';

/** One run of one hook. */
export interface HandlerCall {
  program: HandlerProgram;
  /** Tool, or resource where `query` is given. */
  name: string;
  /** Query of the resource: the hook is `handlers[name][query][hook]`. */
  query?: string;
  hook: HookName;
  context: HookContext;
  fetch: FetchBroker;
  /** Default: `SCHEMAKIT_HANDLER_TIMEOUT_MS`, or 30 seconds. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Takes what the handler writes to its console. */
  onLog?: (level: string, text: string) => void;
}

/** What a hook did, as plain data (see `host/plain-json.ts`). */
export interface HookOutcome {
  /** What it returned; absent where it returned nothing. */
  value?: unknown;
  /** What it changed in the `struct` of its argument. */
  changes: Record<string, unknown>;
  /** Names of the watched properties that it read. */
  reads: readonly string[];
}

/** Runs a hook of a schema as `runHandler` does, and gives only what it returned. */
export async function callHandler(call: HandlerCall): Promise<unknown> {
  return (await runHandler(call)).value;
}

/**
 * Runs a hook of a schema in a host process.
 *
 * Calls share a host, except those of programs with libraries. A call that is not begun when its host ends is given to another
 * host; one that is begun fails, since it may have had effects.
 *
 * @throws {HandlerError} for everything that can go wrong, with code and place.
 */
export async function runHandler(call: HandlerCall): Promise<HookOutcome> {
  const { program, name, query, hook, context, fetch, timeoutMs = defaultTimeoutMs(), signal, onLog } = call;
  const place = { schema: program.namespace, tool: query === undefined ? name : `${name}.${query}`, hook };
  const outcome = await runInHost(
    {
      task: { kind: 'call', name, ...(query !== undefined && { query }), hook, context },
      program,
      fetch,
      timeoutMs,
      signal,
      onLog,
    },
    place,
  );
  return outcome as HookOutcome;
}
