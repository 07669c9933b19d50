import type { Code } from '../findings/codes.ts';
import { field, isPlainObject, type PlainObject } from '../findings/plain-object.ts';

import type { StartOptions } from './start-options.ts';

/** What is wrong with an option: code, name, text. */
export type OptionProblem = readonly [code: Code, name: string, text: string];

/** For each option beside `endpoint` and `timeout`: what it must be, and the check for it. */
const kinds: Readonly<Record<string, readonly [kind: string, isOfKind: (value: unknown) => boolean]>> = {
  headers: [
    'an object or `Headers` of valid HTTP headers, none of them of the connection itself, such as Host',
    areHeaders,
  ],
  probe: ['`all`, `safe` or `none`', (value) => value === 'all' || value === 'safe' || value === 'none'],
  probeLimits: ['an object', isPlainObject],
  privateOrigins: ['an array of origins such as https://host:port', (value) => isArrayOf(value, isOrigin)],
  publicOnly: ['a boolean', (value) => typeof value === 'boolean'],
  ca: ['a string or an array of strings', (value) => isText(value) || isArrayOf(value, isText)],
  lookup: ['a function', isFunction],
  signal: ['an AbortSignal', (value) => value instanceof AbortSignal],
  onProgress: ['a function', isFunction],
  stdio: ['an object of command, args, cwd and env', isStdio],
};

const limitNames = ['maxCalls', 'callTimeout', 'totalTime', 'concurrency'] as const;

/** Options that there are not: likely typing errors, told because they do nothing. */
export function unknownOptions(options: PlainObject): string[] {
  const known: ReadonlySet<string> = new Set(['endpoint', 'timeout', ...Object.keys(kinds)]);
  const limits = field(options, 'probeLimits');
  const given = (value: unknown): string[] =>
    Object.entries(isPlainObject(value) ? value : {}).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return [
    ...given(options).filter((name) => !known.has(name)),
    ...given(limits)
      .filter((name) => !limitNames.some((limit) => limit === name))
      .map((name) => `probeLimits.${name}`),
  ];
}

/** What is wrong with the options beside `endpoint` and `timeout`. */
export function optionProblems(options: PlainObject): OptionProblem[] {
  const wrongKind = Object.entries(kinds).flatMap(([name, [kind, isOfKind]]): OptionProblem[] => {
    const value = field(options, name);
    return value === undefined || isOfKind(value) ? [] : [['VAL-005', name, `Must be ${kind}`]];
  });
  const limits = field(options, 'probeLimits');
  const wrongLimits = limitNames.flatMap((name): OptionProblem[] => {
    const value = field(limits, name);
    if (value === undefined) return [];
    if (typeof value !== 'number' || Number.isNaN(value)) {
      return [['VAL-005', `probeLimits.${name}`, 'Must be a number']];
    }
    if (value <= 0) return [['VAL-006', `probeLimits.${name}`, 'Must be greater than 0']];
    const isCount = name === 'maxCalls' || name === 'concurrency';
    if (isCount && value !== Number.POSITIVE_INFINITY && !Number.isInteger(value)) {
      return [['VAL-005', `probeLimits.${name}`, 'Must be a whole number']];
    }
    return [];
  });
  return [...wrongKind, ...wrongLimits];
}

/** What the client says itself; another word would break the request. */
const OF_CONNECTION = /^(?:host|content-length|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer)$/i;

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function isArrayOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function isOrigin(value: unknown): boolean {
  const url = isText(value) ? URL.parse(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
}

function areHeaders(value: unknown): boolean {
  if (!isPlainObject(value) || !Object.values(value).every(isText)) return false;
  try {
    return !Object.keys(headersOf(value as Record<string, string>)).some((name) => OF_CONNECTION.test(name));
  } catch {
    return false;
  }
}

/** Of an object, or of names with values such as `Headers` and maps are. */
export function headersOf(given: NonNullable<StartOptions['headers']>): Record<string, string> {
  const isListed = Symbol.iterator in given;
  const headers = new Headers(given as ConstructorParameters<typeof Headers>[0]);
  return isListed ? Object.fromEntries(headers) : { ...(given as Record<string, string>) };
}

/** The command itself has codes of its own. */
function isStdio(value: unknown): boolean {
  if (!isPlainObject(value)) return true;
  const { args = [], cwd = '', env = {} } = value;
  return (
    isArrayOf(args, isText) &&
    isText(cwd) &&
    isPlainObject(env) &&
    !(Symbol.iterator in env) &&
    Object.values(env).every(isText)
  );
}
