import type { JsonValue } from '../format/json.ts';
import { HandlerError } from './handler-error.ts';
import { runInHost } from './handler-hosts.ts';

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
