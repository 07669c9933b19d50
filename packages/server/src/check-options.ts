import type { Finding } from '@schemakit/core';
import { defaultPaths, isObject, type OptionRules } from './option-rules.ts';

/** Invalid options or schemas. `findings` has every error with its code, path, message and hint. */
export class ServerOptionsError extends TypeError {
  readonly findings: readonly Finding[];

  /** @param method The function or method that got them. */
  constructor(method: string, findings: readonly Finding[]) {
    const lines = findings.map(
      ({ code, message, hint }) => `${code} ${message}.${hint === undefined ? '' : ` ${hint}`}`,
    );
    super([`Invalid ${method} options:`, ...lines].join('\n'));
    this.name = 'ServerOptionsError';
    this.findings = findings;
  }
}

/** The errors in options, which may come from JavaScript. A typo must not open a server to everyone. */
export function checkOptions(options: unknown, rules: OptionRules): Finding[] {
  if (!isObject(options)) return [wrong('', `options must be an object, got ${describe(options)}`)];
  const findings = checkEach(options, rules);
  return findings.length > 0 ? findings : checkPaths(options);
}

/** @throws {@link ServerOptionsError} with all errors of {@link checkOptions}. */
export function requireOptions(method: string, options: unknown, rules: OptionRules): void {
  const findings = checkOptions(options, rules);
  if (findings.length > 0) throw new ServerOptionsError(method, findings);
}

/** @param parent The prefix of the names: empty, or the path of the object with a dot. */
function checkEach(options: Record<string, unknown>, rules: OptionRules, parent = ''): Finding[] {
  return Object.entries(options).flatMap(([name, value]): Finding[] => {
    if (value === undefined) return [];
    const path = `${parent}${name}`;
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      return [wrong(path, `there is no option ${path}`, `Options are ${Object.keys(rules).join(', ')}.`)];
    }
    const { parts, expected, fits, hint } = rule;
    if (!fits(value)) return [wrong(path, `${path} must be ${expected}, got ${describe(value)}`, hint)];
    return parts && isObject(value) ? checkEach(value, parts, `${path}.`) : [];
  });
}

/** No two paths may be equal. */
function checkPaths({ paths = {} }: { paths?: Readonly<Record<string, string | undefined>> }): Finding[] {
  const given = Object.entries(paths).filter(([, path]) => path !== undefined);
  const all: [string, string | undefined][] = Object.entries({ ...defaultPaths, ...Object.fromEntries(given) });
  return given.flatMap(([name, path]) => {
    const other = all.find(([otherName, otherPath]) => otherName !== name && otherPath === path)?.[0];
    if (other === undefined) return [];
    const message = `paths.${name} must differ from the other paths, got '${path}', which is also the path of ${other}`;
    return [wrong(`paths.${name}`, message, `Choose another path for ${name} or ${other}.`)];
  });
}

function wrong(path: string, message: string, hint?: string): Finding {
  return { code: 'ARG001', severity: 'error', path, message, ...(hint !== undefined && { hint }) };
}

function describe(value: unknown): string {
  if (value === '') return 'an empty string';
  if (typeof value === 'string') return `'${value.slice(0, 60)}'`;
  if (Array.isArray(value)) return 'an array of something else';
  if (value instanceof Map) return 'a Map of something else';
  // Only names: values may be secrets.
  if (isObject(value)) return `{ ${Object.keys(value).slice(0, 10).join(', ')} }`;
  return typeof value === 'function' ? 'a function' : String(value);
}
