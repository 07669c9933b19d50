import type { JsonValue } from '../schema/json.ts';
import { HandlerError } from './handler-error.ts';
import { defaultTimeoutMs, type HandlerJob, type ReadAnswer, runInHost } from './handler-hosts.ts';
import type { HandlerProgram } from './handler-program.ts';
import type { HookContext, HookName } from './hook-context.ts';
import type { HostTask } from './host-message.ts';

export type { FetchBroker } from './fetch-broker.ts';
export { type HookContext, type HookName, openContext, watchStruct } from './hook-context.ts';
export type { BrokerRequest, SecretUse } from './host-message.ts';

/** One run of one hook. Without `timeoutMs` its deadline is `SCHEMAKIT_HANDLER_TIMEOUT_MS`, or 30 seconds. */
export interface HandlerCall extends Omit<HandlerJob, 'task' | 'timeoutMs'> {
  program: HandlerProgram;
  /** Tool, or resource where `query` is given. */
  name: string;
  /** Query of the resource: the hook is `handlers[name][query][hook]`. */
  query?: string;
  hook: HookName;
  context: HookContext;
  timeoutMs?: number | undefined;
}

/** What a hook did, as plain data (see `host/plain-json.ts`). */
export interface HookOutcome {
  /** What it returned; absent where it returned nothing. */
  value?: unknown;
  /** What it changed in the `struct` of its argument. */
  changes: Record<string, unknown>;
  /** The data in it that it answers with, where that was read from a text of its own. */
  answer?: ReadAnswer;
}

/** Runs a hook of a schema as `runHandler` does, and gives only what it returned. */
export async function callHandler(call: HandlerCall): Promise<unknown> {
  return (await runHandler(call)).value;
}

/**
 * Runs a hook of a schema in a host process.
 *
 * Calls share a host, except those of programs with libraries. A call whose host ended or hangs runs once more, alone in a
 * host, unless it was alone there already or made a request that may have changed something: then it fails.
 *
 * @throws {HandlerError} for everything that can go wrong, with code and place.
 */
export async function runHandler({
  name,
  query,
  hook,
  context,
  timeoutMs = defaultTimeoutMs(),
  ...job
}: HandlerCall): Promise<HookOutcome> {
  const place = { schema: job.program.namespace, tool: query === undefined ? name : `${name}.${query}`, hook };
  const task: HostTask = { kind: 'call', name, ...(query !== undefined && { query }), hook, context };
  const { value, answer } = await runInHost({ ...job, task, timeoutMs }, place);
  const outcome = value as HookOutcome;
  return { value: outcome.value, changes: outcome.changes, ...(answer && { answer }) };
}

/**
 * Runs the factory of a program and lists what it gave: for a tool the names of its hooks, for a resource the names of its
 * queries that have hooks.
 *
 * @throws {HandlerError}
 */
export async function describeHandlers(
  program: HandlerProgram,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<Record<string, string[]>> {
  const place = { schema: program.namespace, tool: '', hook: '' };
  const { value } = await runInHost(
    { task: { kind: 'describe' }, program, timeoutMs: defaultTimeoutMs(), signal },
    place,
  );
  return value as Record<string, string[]>;
}

/**
 * Runs the statements of a file in the sandbox, without libraries and requests, and gives what they bind to `exportName`.
 *
 * @param source A script as in `HandlerProgram.source`.
 * @param timeoutMs Default 5 seconds.
 * @throws {HandlerError} `FACTORY_THREW` where the statements throw; `HANDLER_RESULT_INVALID` where nothing is bound.
 */
export async function evaluateExport(
  source: string,
  exportName: string,
  { timeoutMs = 5000, signal, namespace = '' }: { timeoutMs?: number; signal?: AbortSignal; namespace?: string } = {},
): Promise<JsonValue> {
  const place = { schema: namespace, tool: '', hook: '' };
  const { value } = await runInHost({ task: { kind: 'evaluate', source, exportName }, timeoutMs, signal }, place);
  if (value === undefined) {
    throw new HandlerError(
      { code: 'HANDLER_RESULT_INVALID', message: `The file binds no data to '${exportName}'` },
      place,
    );
  }
  return value as JsonValue;
}
