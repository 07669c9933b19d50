import type { ResultText } from '../answer-apart.ts';
import { isBefore, openContext, watchStruct } from '../hook-context.ts';
import type { HostTask } from '../host-message.ts';
import { requestParts } from '../request-parts.ts';
import { findHook } from './find-hooks.ts';
import { toOutcomeText, toPlainJson } from './plain-json.ts';
import { HostFailure } from './thrown.ts';
import type { HandlerAbortSignal } from './web/abort-signal.ts';
import { encodeBody } from './web/request.ts';

/** Runs a hook and writes what it did as JSON text. @param onRead Told the names of secrets that the hook reads. */
export async function runHook(
  handlers: object,
  work: Extract<HostTask, { kind: 'call' }>,
  { signal, onRead }: { signal: HandlerAbortSignal; onRead: (secret: string) => void },
): Promise<ResultText> {
  const { owner, run } = findHook(handlers, work);
  const argument = openContext(work.context, onRead);
  Object.defineProperty(argument, 'signal', { value: signal, writable: true, configurable: true });
  const changes = watchStruct(argument);
  const value: unknown = await Reflect.apply(run, owner, [argument]);
  // A struct that is returned need not be told twice; it may hold the whole response. Its messages may be hidden.
  const isReturned = typeof value === 'object' && value !== null && Reflect.get(value, 'struct') === argument.struct;
  const changed = changes();
  const { messages } = changed;
  const outcome = { value, changes: isReturned ? { ...(messages !== undefined && { messages }) } : changed };
  return isBefore(work.hook) ? { json: toPlainJson(await requestParts(outcome, encodeBody)) } : toOutcomeText(outcome);
}

/** Writes what a file declares as JSON text. */
export function declaredJson(value: unknown, exportName: string): string {
  if (hasCircle(value)) {
    throw new HostFailure({ code: 'HANDLER_RESULT_INVALID', message: `${exportName} contains itself` });
  }
  return toPlainJson(value);
}

/** Data that contains itself has a form in answers, but what a file declares has to be what it says. */
function hasCircle(value: unknown, above: readonly object[] = []): boolean {
  if (typeof value !== 'object' || value === null || above.length > 500) return false;
  if (above.includes(value)) return true;
  const path = [...above, value];
  return Object.values(Object.getOwnPropertyDescriptors(value)).some((property) => hasCircle(property.value, path));
}
