import { maxTimerMs } from './tool-calls.ts';

/** What an option must be. */
export interface OptionRule {
  expected: string;
  fits: (value: unknown) => boolean;
  hint: string;
  /** The rules of its properties. */
  parts?: OptionRules;
}

/** Rules by option name. */
export type OptionRules = Readonly<Record<string, OptionRule>>;

const rule = (expected: string, fits: OptionRule['fits'], hint: string): OptionRule => ({ expected, fits, hint });
const flag = (standard: boolean) => rule('true or false', isBoolean, `Default: ${standard}.`);
const numberFrom = (least: number, standard: string) =>
  rule(`a number from ${least}`, (value) => isNumber(value) && value >= least, `Default: ${standard}.`);
const wholeFrom = (least: number, standard: string) =>
  rule(
    `a whole number from ${least}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= least,
    `Default: ${standard}.`,
  );

const text = rule('a string', isText, 'It must not be empty.');
const listener = rule('a function', isFunction, 'Omit it for none.');
const hosts = rule('an array of host names without ports', isTextArray, "Such as ['tools.example.com'].");

const breakerRules: OptionRules = {
  failures: numberFrom(1, '5'),
  pauseMs: numberFrom(1, '10,000 milliseconds'),
  maxPauseMs: numberFrom(1, '300,000 milliseconds'),
};

const upstreamRules: OptionRules = {
  concurrency: numberFrom(1, '16'),
  requestsPerSecond: rule('a number above 0', isAbove0, 'Default: no limit.'),
  burst: numberFrom(1, 'the requests of a second'),
  maxQueue: numberFrom(0, '1,000'),
  maxWaitMs: numberFrom(0, '10,000 milliseconds'),
  breaker: {
    ...rule('an object of limits, or false', (value) => value === false || isObject(value), 'Such as { failures: 3 }.'),
    parts: breakerRules,
  },
  singleFlight: flag(true),
  cache: rule(
    'an object with the functions salt, read and write, or false',
    (value) => value === false || ['salt', 'read', 'write'].every((name) => isFunction(Object(value)[name])),
    'Default: a cache in memory.',
  ),
  onUpstream: listener,
  onBreaker: listener,
  watch: listener,
};

/** Options of `createCatalogServer`, and of `createServer` without schemas. */
export const serverRules: OptionRules = {
  name: text,
  version: text,
  instructions: text,
  discovery: rule(
    'true, false or { pinned }, an array of MCP names of tools',
    (value) => isBoolean(value) || hasOnly(value, ['pinned'], isTextArray),
    'Default: false.',
  ),
  maxAnswerLength: numberFrom(1, '100,000'),
  structured: rule("'both' or 'only'", (value) => value === 'both' || value === 'only', "Default: 'both'."),
  select: rule(
    'an object of JMESPath expressions by the MCP names of tools',
    (value) => isObject(value) && Object.values(value).every(isText),
    "Such as { tides__getTides: 'tides[].time' }.",
  ),
  selectArgument: flag(false),
  pageSize: wholeFrom(1, '1,000'),
  listTtlMs: wholeFrom(0, '60,000 milliseconds'),
  upstream: { ...rule('an object of limits', isObject, 'Such as { concurrency: 4 }.'), parts: upstreamRules },
  timeoutMs: rule(
    `milliseconds from 1 to ${maxTimerMs}`,
    (value) => isNumber(value) && value >= 1 && value <= maxTimerMs,
    'Default: no limit for the whole call.',
  ),
  onCall: listener,
  onError: listener,
};

/** Options of `createServer` with schemas. */
export const schemaServerRules: OptionRules = {
  ...serverRules,
  serverParams: rule(
    'an object of strings by name',
    (value) => isObject(value) && Object.values(value).every((part) => part === undefined || typeof part === 'string'),
    'Such as process.env.',
  ),
};

/** The paths of a server over HTTP. */
export interface Paths {
  /** Streamable HTTP. Default `/mcp`. */
  mcp: string;
  /** Begins a session of HTTP+SSE. Default `/sse`. */
  sse: string;
  /** Receives the messages of such sessions. Default `/messages`. */
  messages: string;
  /** Whether the process works. Default `/healthz`. */
  health: string;
  /** Whether it accepts requests. Default `/readyz`. */
  ready: string;
  /** Metrics for Prometheus. Default `/metrics`. */
  metrics: string;
}

export const defaultPaths: Paths = {
  mcp: '/mcp',
  sse: '/sse',
  messages: '/messages',
  health: '/healthz',
  ready: '/readyz',
  metrics: '/metrics',
};

/** Options of `middleware`. */
export const httpRules: OptionRules = {
  auth: rule(
    'a token that is not empty, a function, or a result of oauthResource',
    (value) => isText(value) || isFunction(value) || isOAuthResource(value),
    'Omit it to let everyone call.',
  ),
  allowedHosts: rule(`${hosts.expected}, or 'any'`, (value) => value === 'any' || isTextArray(value), hosts.hint),
  allowedOrigins: hosts,
  groups: rule(
    'a Map of names and arrays of MCP names of tools',
    (value) => value instanceof Map && [...value].every(([name, tools]) => isText(name) && isIterable(tools)),
    "Such as new Map([['work', ['tides__getTides']]]).",
  ),
  defaults: rule(
    'an object of groups, namespaces, tags and tools, each an array of names',
    (value) => hasOnly(value, ['groups', 'namespaces', 'tags', 'tools'], isTextArray),
    "Such as { tags: ['sea'] }.",
  ),
  paths: rule(
    `an object of ${Object.keys(defaultPaths).join(', ')}, each a path that begins with a slash`,
    (value) => hasOnly(value, Object.keys(defaultPaths), (path) => /^\/[^?#\s]*$/.test(String(path))),
    "Such as { mcp: '/tools/mcp' }.",
  ),
  maxBodyBytes: wholeFrom(1, '4 MiB'),
  maxSessions: wholeFrom(0, '1,000'),
  sessionIdleMs: rule('milliseconds, more than 0', isAbove0, 'Default: 10 minutes.'),
  onRefusal: listener,
};

/** Options of `http`. */
export const listenRules: OptionRules = {
  ...httpRules,
  host: text,
  port: rule(
    'a whole number from 0 to 65535',
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535,
    'Default: 0, any free port.',
  ),
  tls: rule('an object of cert and key', isObject, 'Give the contents of PEM files.'),
  isOpen: flag(false),
};

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function isAbove0(value: unknown): boolean {
  return isNumber(value) && value > 0;
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isTextArray(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

/** Does not iterate: an iterator yields its items only once. */
function isIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

function isOAuthResource(value: unknown): boolean {
  return isObject(value) && isFunction(value.authenticate) && Array.isArray(value.metadataPaths);
}

function hasOnly(value: unknown, names: readonly string[], fits: (part: unknown) => boolean): boolean {
  if (!isObject(value)) return false;
  return Object.entries(value).every(([name, part]) => names.includes(name) && (part === undefined || fits(part)));
}
