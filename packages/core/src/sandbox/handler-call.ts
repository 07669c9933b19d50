import type { JsonValue } from '../schema/json.ts';
import { HandlerError } from './handler-error.ts';
import { defaultTimeoutMs, type HandlerJob, type HostResult, runInSandbox } from './handler-pool.ts';
import type { HandlerProgram } from './handler-program.ts';
import type { HookContext, HookName } from './hook-context.ts';
import type { HostTask } from './host-message.ts';

/** One run of one hook. `timeoutMs` defaults to `SCHEMAKIT_HANDLER_TIMEOUT_MS`, or 30 seconds. */
export interface HandlerCall extends Omit<HandlerJob, 'task' | 'timeoutMs'> {
  program: HandlerProgram;
  /** Tool; with `query`, the resource. */
  name: string;
  /** Query of a resource, whose hook is `handlers[name][query][hook]`. */
  query?: string;
  hook: HookName;
  context: HookContext;
  timeoutMs?: number | undefined;
}

export interface HookOutcome extends Pick<HostResult, 'answer'> {
  /** Return value; absent if there was none. */
  value?: unknown;
  /** Changes to the `struct` of its argument. */
  changes: Record<string, unknown>;
}

/**
 * Runs a hook of a schema in a host process.
 *
 * Calls share hosts, except those of programs with libraries. A call whose host ended or hangs is retried once, alone in a host,
 * unless it was alone already or sent a request that may have had side effects: then it fails.
 *
 * @throws {HandlerError} for all failures, with code and location.
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
  const { value, answer } = await runInSandbox({ ...job, task, timeoutMs }, place);
  const outcome = value as HookOutcome;
  return { value: outcome.value, changes: outcome.changes, ...(answer && { answer }) };
}

/** Runs the factory and lists the hooks of each tool, and the queries with hooks of each resource. @throws {HandlerError} */
export async function describeHandlers(
  program: HandlerProgram,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<Record<string, string[]>> {
  const place = { schema: program.namespace, tool: '', hook: '' };
  const { value } = await runInSandbox(
    { task: { kind: 'describe' }, program, timeoutMs: defaultTimeoutMs(), signal },
    place,
  );
  return value as Record<string, string[]>;
}

/**
 * Runs the statements of a file in the sandbox, without libraries and network, and returns the value bound to `exportName`.
 *
 * @param source A script as in `HandlerProgram.source`.
 * @param timeoutMs Default 5 seconds.
 * @throws {HandlerError} `FACTORY_THREW` if the statements throw, `HANDLER_RESULT_INVALID` if nothing is bound.
 */
export async function evaluateExport(
  source: string,
  exportName: string,
  { timeoutMs = 5000, signal, namespace = '' }: { timeoutMs?: number; signal?: AbortSignal; namespace?: string } = {},
): Promise<JsonValue> {
  const place = { schema: namespace, tool: '', hook: '' };
  const { value } = await runInSandbox({ task: { kind: 'evaluate', source, exportName }, timeoutMs, signal }, place);
  if (value === undefined) {
    const message = `The file binds no data to '${exportName}'`;
    throw new HandlerError({ code: 'HANDLER_RESULT_INVALID', message }, place);
  }
  return value as JsonValue;
}
