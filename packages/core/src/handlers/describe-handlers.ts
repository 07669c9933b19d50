import { runInHost } from './handler-hosts.ts';
import type { HandlerProgram } from './handler-program.ts';
import { defaultTimeoutMs } from './pool-settings.ts';

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
