import type { Code } from '../findings/codes.ts';
import { type Finding, finding } from '../findings/finding.ts';
import { field, isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import { plainText } from '../findings/plain-text.ts';
import type { StartOptions, StartSettings } from './start-options.ts';

const DEFAULT_TIMEOUT = 10_000;

/** The longest delay a timer of Node.js keeps; a longer one would end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Checks what `start` was given. Settings are there if nothing is wrong. One finding for each option: the first that applies. */
export function checkStart(input: unknown): { findings: Finding[]; settings?: StartSettings } {
  try {
    return checkOptions(input);
  } catch (error) {
    // A getter that throws, a proxy: nobody but their author knows why.
    const text = `The options cannot be read: ${error instanceof Error ? error.message : 'no reason given'}`;
    return { findings: [finding('VAL-005', 'start', text)] };
  }
}

function checkOptions(input: unknown): { findings: Finding[]; settings?: StartSettings } {
  const options: PlainObject = isPlainObject(input) ? input : {};
  const endpoint = field(options, 'endpoint');
  const stdio = field(options, 'stdio');
  const problems = [
    stdio === undefined ? endpointProblem(endpoint) : stdioProblem(stdio),
    timeoutProblem(field(options, 'timeout')),
    ...optionProblems(options),
  ];
  const findings = problems
    .filter((problem) => problem !== undefined)
    .map(([code, name, text]) => finding(code, `start.${name}`, text));
  if (findings.length > 0) return { findings };
  const unknown = unknownOptions(options).map((name) =>
    finding('VAL-005', `start.${plainText(name, 80)}`, 'There is no option of this name', { severity: 'WARNING' }),
  );
  return { findings: unknown, settings: settle(options as StartOptions) };
}

function endpointProblem(endpoint: unknown): OptionProblem | undefined {
  if (endpoint === undefined) return ['VAL-001', 'endpoint', 'Missing'];
  if (typeof endpoint !== 'string') return ['VAL-002', 'endpoint', 'Must be a string'];
  if (endpoint.trim() === '') return ['VAL-003', 'endpoint', 'Must not be empty'];
  const url = URL.parse(endpoint.trim());
  if (url === null) return ['VAL-004', 'endpoint', 'Must be an absolute URL such as https://example.com/mcp'];
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    // `localhost:8080/mcp` reads as an address of the kind `localhost:`.
    const isHost = !/^[a-z][a-z0-9+.-]*:\/\//i.test(endpoint.trim()) && /^[^/]+:\d+(?:\/|$)/.test(endpoint.trim());
    const text = isHost
      ? `Must begin with http:// or https://, such as http://${endpoint.trim()}`
      : `Must be http or https, not ${url.protocol.slice(0, -1)}`;
    return ['VAL-004', 'endpoint', text];
  }
  if (url.username === '' && url.password === '') return undefined;
  return ['VAL-004', 'endpoint', 'Must not hold a user name or password; send them with `headers`'];
}

function stdioProblem(stdio: unknown): OptionProblem | undefined {
  if (!isPlainObject(stdio)) return ['VAL-005', 'stdio', 'Must be an object of command, args, cwd and env'];
  const command = field(stdio, 'command');
  if (command === undefined) return ['VAL-001', 'stdio.command', 'Missing'];
  if (typeof command !== 'string') return ['VAL-002', 'stdio.command', 'Must be a string'];
  return command.trim() === '' ? ['VAL-003', 'stdio.command', 'Must not be empty'] : undefined;
}

function timeoutProblem(timeout: unknown): OptionProblem | undefined {
  if (timeout === undefined) return undefined;
  if (typeof timeout !== 'number' || !Number.isFinite(timeout))
    return ['VAL-005', 'timeout', 'Must be a finite number'];
  return timeout > 0 ? undefined : ['VAL-006', 'timeout', 'Must be greater than 0'];
}

function settle({
  endpoint,
  stdio,
  timeout = DEFAULT_TIMEOUT,
  headers = {},
  probe = 'all',
  probeLimits: { maxCalls = 100, callTimeout = 5000, totalTime = MAX_TIMER_MS, concurrency = 4 } = {},
  privateOrigins = [],
  publicOnly = false,
  onProgress = () => {},
  ...others
}: StartOptions): StartSettings {
  return {
    ...others,
    endpoint: stdio === undefined && endpoint !== undefined ? endpointUrl(endpoint) : null,
    // Callers may change what they gave while `start` runs.
    stdio: stdio === undefined ? null : { ...stdio, args: [...(stdio.args ?? [])], env: { ...stdio.env } },
    timeout: Math.min(timeout, MAX_TIMER_MS),
    headers: headersOf(headers),
    probe,
    probeLimits: { maxCalls, callTimeout, totalTime, concurrency },
    privateOrigins: [...privateOrigins],
    publicOnly,
    onProgress,
  };
}

/** A fragment is never sent; it would only make two endpoints of one. */
function endpointUrl(endpoint: string): URL {
  const url = new URL(endpoint.trim());
  url.hash = '';
  return url;
}

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
function unknownOptions(options: PlainObject): string[] {
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
function optionProblems(options: PlainObject): OptionProblem[] {
  const wrongKind = Object.entries(kinds).flatMap(([name, [kind, isOfKind]]): OptionProblem[] => {
    const value = field(options, name);
    return value === undefined || isOfKind(value) ? [] : [['VAL-005', name, `Must be ${kind}`]];
  });
  const limits = field(options, 'probeLimits');
  return [...wrongKind, ...limitNames.flatMap((name) => limitProblem(name, field(limits, name)))];
}

function limitProblem(limit: (typeof limitNames)[number], value: unknown): OptionProblem[] {
  const name = `probeLimits.${limit}`;
  if (value === undefined) return [];
  if (typeof value !== 'number' || Number.isNaN(value)) return [['VAL-005', name, 'Must be a number']];
  if (value <= 0) return [['VAL-006', name, 'Must be greater than 0']];
  const isCount = limit === 'maxCalls' || limit === 'concurrency';
  const isWhole = !isCount || value === Number.POSITIVE_INFINITY || Number.isInteger(value);
  return isWhole ? [] : [['VAL-005', name, 'Must be a whole number']];
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
function headersOf(given: NonNullable<StartOptions['headers']>): Record<string, string> {
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
