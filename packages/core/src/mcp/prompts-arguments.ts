import type { Finding } from '../schema/finding.ts';
import { createInputCheck, type InputCheck } from '../schema/input/check-input.ts';
import { listWords, quote } from '../schema/input/describe-input.ts';
import { isObject } from '../schema/json.ts';
import { nearestWord } from '../schema/nearest-word.ts';
import type { PromptArgument } from '../schema/prompts/prompt.ts';
import { completions } from './completions.ts';

/** The values that were given, as text, by argument. */
export type PromptValues = { ok: true; values: ReadonlyMap<string, string> } | { ok: false; findings: Finding[] };

/**
 * Makes the check of a prompt's arguments. An empty text stands for an optional argument that is not given: clients send what
 * their user left blank. Findings have the codes of inputs; their path is the argument.
 */
export function createPromptArgumentsCheck(declared: readonly PromptArgument[]): (args: unknown) => PromptValues {
  const check = createInputCheck(
    declared.map(({ name, required, type, values = [] }) => ({
      name,
      aliases: [],
      z: { primitive: type, optional: !required, ...(type === 'enum' && { members: values }) },
    })),
  );
  return (args) => (isObject(args) ? checkArguments(args, declared, check) : checkNothing(args, check));
}

/** What a value may go on with, where the argument has known values: those that begin so, in any case, at most 100. */
export function completePromptArgument(declared: readonly PromptArgument[], name: string, value: string): string[] {
  const argument = declared.find((candidate) => candidate.name === name);
  const values = argument?.values ?? (argument?.type === 'boolean' ? ['true', 'false'] : []);
  return completions(values, value);
}

function checkNothing(args: unknown, check: InputCheck): PromptValues {
  const result = check(args);
  return result.ok ? { ok: true, values: new Map() } : result;
}

function checkArguments(
  args: Record<string, unknown>,
  declared: readonly PromptArgument[],
  check: InputCheck,
): PromptValues {
  const given = declared.flatMap(({ name, required }) => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    return value === undefined || value === null || (value === '' && !required) ? [] : [[name, value] as const];
  });
  const names = declared.map(({ name }) => name);
  const findings = Object.keys(args).flatMap((name) => (names.includes(name) ? [] : unknownArgument(name, names)));
  const result = check(Object.fromEntries(given));
  if (!result.ok) findings.unshift(...result.findings);
  if (findings.length > 0) return { ok: false, findings };
  // As the caller wrote it: a number keeps its zeros.
  return { ok: true, values: new Map(given.map(([name, value]) => [name, String(value)])) };
}

function unknownArgument(name: string, known: readonly string[]): Finding {
  const nearest = nearestWord(name, known);
  const takes = known.length === 0 ? 'It takes none.' : `It takes ${listWords(known)}.`;
  const hint = nearest === undefined ? takes : `Did you mean ${quote(nearest)}?`;
  return {
    code: 'INP006',
    severity: 'error',
    path: name,
    message: `${quote(name)}: unknown to this prompt. ${hint}`,
  };
}
