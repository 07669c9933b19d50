import { hookNames } from '../sandbox/hook-context.ts';
import type { HookFunction } from '../sandbox/run-hook.ts';
import { checkArguments } from '../schema/arguments.ts';
import { type CheckResult, checkResult, type Finding, messageOf } from '../schema/finding.ts';
import { ruleFinding } from '../schema/finding-codes.ts';
import { describeGiven } from '../schema/input/describe-input.ts';
import { isObject } from '../schema/json.ts';
import { nearestWord } from '../schema/nearest-word.ts';
import type { HandlerMap } from './schema-record.ts';

export interface CreateHandlersOptions {
  /** The factory, which runs in this process. */
  handlersFn: unknown;
  sharedLists?: unknown;
  libraries?: unknown;
  /** Names of the tools that handlers may be for. */
  routeNames: readonly string[];
}

export interface CreateHandlersResult extends CheckResult {
  handlerMap: HandlerMap;
}

export const writeFactory = 'Write export const handlers = ({ sharedLists, libraries }) => ({ … }).';
export const notFunction: Finding = ruleFinding(
  'VAL004',
  'handlers',
  'handlers export must be a function',
  writeFactory,
);

export function notPlainObject(hint: string): Finding {
  return ruleFinding('VAL004', 'handlers', 'the handlers factory must return a plain object', hint);
}

/** Calls a handlers factory and checks its result (docs/handlers.md). */
export function createHandlers({
  handlersFn,
  sharedLists = {},
  libraries = {},
  routeNames,
}: CreateHandlersOptions): CreateHandlersResult {
  const findings = checkArguments('createHandlers', { routeNames }, { routeNames: 'array' });
  const made =
    handlersFn === null || handlersFn === undefined ? {} : invoke(handlersFn, { sharedLists, libraries }, findings);
  const names = Array.isArray(routeNames) ? routeNames : [];
  const entries: [string, Record<string, HookFunction | null>][] = [];
  for (const [key, hooks] of Object.entries(made)) {
    if (names.includes(key)) entries.push([key, hooksIn(hooks, `handlers.${key}`, findings)]);
    else findings.push(unknownKey(key, names));
  }
  const result = checkResult(findings);
  return { ...result, handlerMap: result.status ? Object.fromEntries(entries) : {} };
}

function invoke(handlersFn: unknown, injected: object, findings: Finding[]): Record<string, unknown> {
  if (typeof handlersFn !== 'function') {
    findings.push(notFunction);
    return {};
  }
  try {
    const made: unknown = handlersFn(injected);
    if (isObject(made) && typeof made.then !== 'function') return made;
    findings.push(notPlainObject(`It returned ${describeGiven(made)}.`));
  } catch (error) {
    findings.push(ruleFinding('VAL004', 'handlers', `the handlers factory threw: ${messageOf(error)}`));
  }
  return {};
}

function hooksIn(value: unknown, path: string, findings: Finding[]): Record<string, HookFunction | null> {
  const hooks = isObject(value) ? value : {};
  if (hooks !== value) findings.push(invalidHook({ path, what: describeGiven(value) }));
  for (const [name, hook] of Object.entries(hooks)) {
    if (!(hookNames as readonly string[]).includes(name)) findings.push(unknownHook(name, path));
    else if (typeof hook !== 'function' && hook !== null && hook !== undefined)
      findings.push(invalidHook({ path: `${path}.${name}`, what: describeGiven(hook) }));
  }
  return Object.fromEntries(
    hookNames.map((name) => [name, typeof hooks[name] === 'function' ? (hooks[name] as HookFunction) : null]),
  );
}

export function invalidHook({ path, what }: { path: string; what: string }): Finding {
  const message = `${path} is ${what}, which is not a hook, so it never runs`;
  const hint = 'Write { getThing: { postRequest: async ({ response }) => ({ response }) } }.';
  return ruleFinding('VAL055', path, message, hint);
}

/** A misspelt hook would silently never run. */
export function unknownHook(hook: string, path: string): Finding {
  const meant = nearestWord(hook, hookNames);
  const hint = meant === undefined ? `The hooks are: ${hookNames.join(', ')}.` : `Did you mean ${meant}?`;
  return ruleFinding('VAL055', path, `${hook} is not a hook, so it never runs (${path})`, hint);
}

export function unknownKey(key: string, routeNames: readonly string[]): Finding {
  const meant = nearestWord(key, routeNames);
  const hint = meant === undefined ? toolsHint(routeNames) : `Did you mean ${meant}?`;
  return ruleFinding('VAL005', `handlers.${key}`, `Handler key '${key}' does not match any route name`, hint);
}

function toolsHint(names: readonly string[]): string {
  return names.length === 0 ? 'There are no tools.' : `The tools are: ${names.join(', ')}.`;
}
