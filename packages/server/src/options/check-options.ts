import type { Finding } from '@schemakit/core';
import { defaultPaths, isObject, type OptionRules } from './option-rules.ts';

/** A server cannot be made of what it was given. `findings` has all that is wrong: code, place, what was expected, what to do. */
export class ServerOptionsError extends TypeError {
  readonly findings: readonly Finding[];

  /** @param method - Named in the message. */
  constructor(method: string, findings: readonly Finding[]) {
    const lines = findings.map(
      ({ code, message, hint }) => `${code} ${message}.${hint === undefined ? '' : ` ${hint}`}`,
    );
    super([`${method} cannot make a server of this.`, ...lines].join('\n'));
    this.name = 'ServerOptionsError';
    this.findings = findings;
  }
}

/**
 * What is wrong with the options of a server, which programs without types may give in any shape. A slip must not make a server
 * that is open to everyone, or that answers 500 to every request.
 *
 * @param method - Named in the findings.
 * @param needed - Names of the options that cannot be left out.
 */
export function checkOptions(
  method: string,
  options: unknown,
  rules: OptionRules,
  needed: readonly string[] = [],
): Finding[] {
  if (!isObject(options)) return [wrong('', `${method} takes an object of options, got ${shown(options)}`)];
  const missing = needed
    .filter((name) => options[name] === undefined)
    .map((name) => wrong(name, `${method} needs ${name}, ${rules[name]?.expected}`));
  const findings = [...missing, ...checkEach(method, options, rules)];
  return findings.length > 0 ? findings : checkPaths(method, options);
}

/** @throws {@link ServerOptionsError} with everything that {@link checkOptions} finds. */
export function requireOptions(...check: Parameters<typeof checkOptions>): void {
  const findings = checkOptions(...check);
  if (findings.length > 0) throw new ServerOptionsError(check[0], findings);
}

/** @param within - What stands before the names, where these are the parts of another option. */
function checkEach(method: string, options: Record<string, unknown>, rules: OptionRules, within = ''): Finding[] {
  return Object.entries(options).flatMap(([name, value]): Finding[] => {
    if (value === undefined) return [];
    const path = `${within}${name}`;
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      return [wrong(path, `${method} has no option ${path}`, `There are ${Object.keys(rules).join(', ')}.`)];
    }
    const { parts, expected, fits, hint } = rule;
    if (!fits(value)) return [wrong(path, `${method} takes as ${path} ${expected}, got ${shown(value)}`, hint)];
    return parts && isObject(value) ? checkEach(method, value, parts, `${path}.`) : [];
  });
}

/** Each path can have one meaning. */
function checkPaths(
  method: string,
  { paths = {} }: { paths?: Readonly<Record<string, string | undefined>> },
): Finding[] {
  const given = Object.entries(paths).filter(([, path]) => path !== undefined);
  const all: [string, string | undefined][] = Object.entries({ ...defaultPaths, ...Object.fromEntries(given) });
  return given.flatMap(([name, path]) => {
    const other = all.find(([otherName, otherPath]) => otherName !== name && otherPath === path)?.[0];
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
  if (isObject(value)) return `{ ${Object.keys(value).slice(0, 10).join(', ')} }`;
  return typeof value === 'function' ? 'a function' : String(value);
}
