import type { Finding } from '@schemakit/core';
import { type OptionRule, optionRules } from './option-rules.ts';
import { defaultPaths } from './paths.ts';

/**
 * What is wrong with the options of a server, which programs without types may give in any shape. A slip must not make a server
 * that is open to everyone, or that answers 500 to every request.
 *
 * @param method - Named in what is found.
 * @param more - Options that this method has beside those of all servers.
 */
export function checkOptions(
  method: string,
  options: unknown,
  more: Readonly<Record<string, OptionRule>> = {},
): Finding[] {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    return [wrong('', `${method} takes an object of options, got ${shown(options)}`)];
  }
  const rules = { ...optionRules, ...more };
  const findings = Object.entries(options).flatMap(([name, value]): Finding[] => {
    if (value === undefined) return [];
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      return [wrong(name, `${method} has no option ${name}`, `There are ${Object.keys(rules).join(', ')}.`)];
    }
    if (rule.fits(value)) return [];
    return [wrong(name, `${method} takes as ${name} ${rule.expected}, got ${shown(value)}`, rule.hint)];
  });
  return findings.length > 0 ? findings : checkPaths(method, options);
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
