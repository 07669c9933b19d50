import { type CheckResult, checkResult, type Finding, messageOf } from './finding.ts';
import { isObject } from './json.ts';

/** The expected type of an argument of a public method. */
export type ArgumentKind = 'text' | 'array' | 'object' | 'text array' | 'true or false';

/** Findings for missing or invalid arguments of a public method; JavaScript callers can pass anything. */
export function checkArguments(
  method: string,
  options: Readonly<Record<string, unknown>> | undefined,
  expected: Readonly<Record<string, ArgumentKind>>,
): Finding[] {
  return Object.entries(expected).flatMap(([name, kind]): Finding[] => {
    const value = options?.[name];
    if (isKind(value, kind)) return [];
    const got = describe(value);
    return [
      { code: 'ARG001', severity: 'error', path: name, message: `${method} needs ${name} (${kind}), got ${got}` },
    ];
  });
}

function isKind(value: unknown, kind: ArgumentKind): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string' && value !== '';
    case 'array':
      return Array.isArray(value);
    case 'text array':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'true or false':
      return typeof value === 'boolean';
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
  }
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === '') return 'empty text';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}

/** Runs a public method with any options, even null or throwing getters: the result is then that of empty options, with an error. */
export function catchErrors<Options extends object, Result extends object>(
  options: Options | undefined,
  run: (options: Options) => Promise<Result>,
): Promise<Result>;
export function catchErrors<Options extends object, Result extends object>(
  options: Options | undefined,
  run: (options: Options) => Result,
): Result;
export function catchErrors<Options extends object>(
  options: Options | undefined,
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
  return {
    code: 'ARG004',
    severity: 'error',
    path: '',
    message: `the options cannot be read: ${messageOf(error)}`,
    hint: 'Pass plain objects, without getters or proxies that throw.',
  };
}
