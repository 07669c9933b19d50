import type { Finding } from '@schemakit/core';
import { defaultPaths } from '../http/paths.ts';
import { isObject, type OptionRules } from './option-rules.ts';

/**
 * What is wrong with the options of a server, which programs without types may give in any shape. A slip must not make a server
 * that is open to everyone, or that answers 500 to every request.
 *
 * @param method - Named in what is found.
 * @param rules - Of the options that it has.
 * @param needed - Names of those that it cannot do without.
 */
export function checkOptions(
  method: string,
  options: unknown,
  { rules, needed = [] }: { rules: OptionRules; needed?: readonly string[] },
): Finding[] {
  if (!isObject(options)) return [wrong('', `${method} takes an object of options, got ${shown(options)}`)];
  const missing = needed
    .filter((name) => options[name] === undefined)
    .map((name) => wrong(name, `${method} needs ${name}, ${rules[name]?.expected}`));
  const findings = [...missing, ...checkEach(method, options, { rules })];
  return findings.length > 0 ? findings : checkPaths(method, options);
}

/** @param within What is before the names of the options, where they are a part of another one. */
function checkEach(
  method: string,
  options: Record<string, unknown>,
  { rules, within = '' }: { rules: OptionRules; within?: string },
): Finding[] {
  return Object.entries(options).flatMap(([name, value]): Finding[] => {
    if (value === undefined) return [];
    const path = `${within}${name}`;
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      return [wrong(path, `${method} has no option ${path}`, `There are ${Object.keys(rules).join(', ')}.`)];
    }
    const { parts, expected, fits, hint } = rule;
    if (!fits(value)) return [wrong(path, `${method} takes as ${path} ${expected}, got ${shown(value)}`, hint)];
    return parts && isObject(value) ? checkEach(method, value, { rules: parts, within: `${path}.` }) : [];
  });
}

/** Each path can have one meaning. */
function checkPaths(method: string, { paths }: { paths?: Readonly<Record<string, string | undefined>> }): Finding[] {
  const given = Object.entries(paths ?? {}).filter(([, path]) => path !== undefined);
  const at: [string, string | undefined][] = Object.entries({ ...defaultPaths, ...Object.fromEntries(given) });
  return given.flatMap(([name, path]) => {
    const other = at.find(([otherName, otherPath]) => otherName !== name && otherPath === path)?.[0];
    if (other === undefined) return [];
    const message = `${method} takes as paths.${name} a path of its own, got '${path}', which is that of ${other}`;
    return [wrong(`paths.${name}`, message, `Choose another path for ${name} or ${other}.`)];
  });
}

function wrong(path: string, message: string, hint?: string): Finding {
  return { code: 'ARG001', severity: 'error', path, message, ...(hint !== undefined && { hint }) };
}

function shown(value: unknown): string {
  if (value === '') return 'empty text';
  if (typeof value === 'string') return `'${value.slice(0, 60)}'`;
  if (Array.isArray(value)) return 'an array of something else';
  if (value instanceof Map) return 'a Map of something else';
  // Names alone: values may be secret.
  if (typeof value === 'object' && value !== null) return `{ ${Object.keys(value).slice(0, 10).join(', ')} }`;
  return typeof value === 'function' ? 'a function' : String(value);
}
