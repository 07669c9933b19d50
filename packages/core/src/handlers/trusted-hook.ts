import { HandlerError, type HandlerPlace, lateFailure } from './handler-error.ts';
import { isBefore } from './hook-context.ts';
import { toPlainJson } from './host/plain-json.ts';
import { HostFailure } from './host/thrown.ts';
import { ownRequestParts } from './own-request-parts.ts';
import { defaultTimeoutMs } from './pool-settings.ts';

/** A hook that runs in this process: one argument, the new value or a promise of it. */
export type TrustedHook = (context: Record<string, unknown>) => Promise<unknown>;

/**
 * Makes a function of this process behave as a hook behind the wall does: it has a deadline, it is given up when the
 * `signal` of its argument is aborted, and what it returns becomes plain data.
 *
 * @throws {HandlerError} from the function that it gives; what the hook itself throws is thrown on.
 */
export function trustedHook(run: (context: Record<string, unknown>) => unknown, place: HandlerPlace): TrustedHook {
  return async (context) => {
    const value = await inTime(async () => run(context), context.signal, place);
    return toPlain(isBefore(place.hook) ? (await ownRequestParts({ value, changes: {} })).value : value, place);
  };
}

function inTime(work: () => Promise<unknown>, signal: unknown, place: HandlerPlace): Promise<unknown> {
  const timeoutMs = defaultTimeoutMs();
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const onAbort = (): void =>
    reject(new HandlerError({ code: 'HANDLER_ABORTED', message: 'The call was aborted' }, place));
  const onLate = (): void => reject(new HandlerError(lateFailure(timeoutMs), place));
  const timer = setTimeout(onLate, timeoutMs);
  const given = signal instanceof AbortSignal ? signal : undefined;
  given?.addEventListener('abort', onAbort);
  if (given?.aborted) onAbort();
  else work().then(resolve, reject);
  return promise.finally(() => {
    clearTimeout(timer);
    given?.removeEventListener('abort', onAbort);
  });
}

function toPlain(value: unknown, place: HandlerPlace): unknown {
  try {
    const json = toPlainJson(value);
    return json === '' ? undefined : JSON.parse(json);
  } catch (thrown) {
    const failure = HostFailure.read(thrown);
    throw failure === undefined ? thrown : new HandlerError(failure, place);
  }
}
