import { type CheckResult, checkResult } from './check-result.ts';
import type { Finding } from './finding.ts';
import { isObject } from './json.ts';

/**
 * Runs a public method on what its caller passed, which in plain JavaScript can be anything: null, or an object with getters
 * that throw. Then the result is what the method gives for no options at all, with the reason.
 */
export function guarded<Options extends object, Result extends object>(
  options: unknown,
  run: (options: Options) => Promise<Result>,
): Promise<Result>;
export function guarded<Options extends object, Result extends object>(
  options: unknown,
  run: (options: Options) => Result,
): Result;
export function guarded<Options extends object>(
  options: unknown,
  run: (options: Options) => object | Promise<object>,
): object | Promise<object> {
  try {
    const result = run(isObject(options) ? ({ ...options } as Options) : ({} as Options));
    return result instanceof Promise ? result.catch((error: unknown) => failed(run, error)) : result;
  } catch (error) {
    return failed(run, error);
  }
}

function failed<Options extends object>(
  run: (options: Options) => object | Promise<object>,
  error: unknown,
): object | Promise<object> {
  const outcome: CheckResult = checkResult([unreadable(error)]);
  const empty = run({} as Options);
  return empty instanceof Promise
    ? empty.then((result: object) => ({ ...result, ...outcome }))
    : { ...empty, ...outcome };
}

function unreadable(error: unknown): Finding {
  const reason = error instanceof Error ? error.message : String(error);
  return {
    code: 'ARG004',
    severity: 'error',
    path: '',
    message: `the options cannot be read: ${reason}`,
    hint: 'Pass plain objects, without getters or proxies that throw.',
  };
}
