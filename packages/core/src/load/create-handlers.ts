import { hookNames } from '../sandbox/hook-context.ts';
import type { HookFunction } from '../sandbox/run-hook.ts';
import { type Finding, hasNoErrors } from '../schema/finding.ts';
import { ruleFinding } from '../schema/finding-codes.ts';
import { describeGiven } from '../schema/input/describe-input.ts';
import { isObject } from '../schema/json.ts';
import { nearestWord } from '../schema/nearest-word.ts';
import type { HandlerMap } from './schema-record.ts';

export interface CreateHandlersOptions {
  /** The factory. It is the caller's own code and runs in this process. */
  handlersFn: unknown;
  sharedLists?: unknown;
  libraries?: unknown;
  /** Names of the tools that handlers may be for. */
  routeNames: readonly string[];
}

export interface CreateHandlersResult {
  status: boolean;
  messages: string[];
  findings: Finding[];
  handlerMap: HandlerMap;
}

/** Invokes a handlers factory and checks what it returns (specification 2.5). */
export function createHandlers({
  handlersFn,
  sharedLists = {},
  libraries = {},
  routeNames,
}: CreateHandlersOptions): CreateHandlersResult {
  const findings: Finding[] = [];
  const made =
    handlersFn === null || handlersFn === undefined ? {} : invoke(handlersFn, { sharedLists, libraries }, findings);
  const names = Array.isArray(routeNames) ? routeNames : [];
  const entries: [string, Record<string, HookFunction | null>][] = [];
  for (const [key, hooks] of Object.entries(made)) {
    if (names.includes(key)) entries.push([key, hooksIn(hooks)]);
    else findings.push(unknownKey(key, names));
  }
  const status = hasNoErrors(findings);
  const handlerMap = status ? Object.fromEntries(entries) : {};
  return { status, messages: findings.map(({ message }) => message), findings, handlerMap };
}

function invoke(handlersFn: unknown, injected: object, findings: Finding[]): Record<string, unknown> {
  if (typeof handlersFn !== 'function') {
    findings.push(
      ruleFinding('VAL004', 'handlers', 'handlers export must be a function', {
        hint: 'Write export const handlers = ({ sharedLists, libraries }) => ({ … }).',
      }),
    );
    return {};
  }
  try {
    const made: unknown = handlersFn(injected);
    if (isObject(made) && typeof made.then !== 'function') return made;
    const hint = `It returned ${describeGiven(made)}.`;
    findings.push(ruleFinding('VAL004', 'handlers', 'the handlers factory must return a plain object', { hint }));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    findings.push(ruleFinding('VAL004', 'handlers', `the handlers factory threw: ${message}`));
  }
  return {};
}

function hooksIn(value: unknown): Record<string, HookFunction | null> {
  const hooks = isObject(value) ? value : {};
  const entries = hookNames.map((name) => {
    const hook = hooks[name];
    return [name, typeof hook === 'function' ? (hook as HookFunction) : null] as const;
  });
  return Object.fromEntries(entries);
}

/** A handler key that names no tool, in the words of specification 7.1. */
export function unknownKey(key: string, routeNames: readonly string[]): Finding {
  const meant = nearestWord(key, routeNames);
  return ruleFinding('VAL005', `handlers.${key}`, `Handler key '${key}' does not match any route name`, {
    hint: meant === undefined ? toolsHint(routeNames) : `Did you mean ${meant}?`,
  });
}

function toolsHint(names: readonly string[]): string {
  return names.length === 0 ? 'There are no tools.' : `The tools are: ${names.join(', ')}.`;
}
