/** What an option must be. */
export interface OptionRule {
  expected: string;
  fits: (value: unknown) => boolean;
  hint: string;
  /** The rules of its properties. */
  parts?: OptionRules;
}

/** The maximum delay of a timer in Node.js. */
const maxTimerMs = 2 ** 31 - 1;

export type OptionRules = Readonly<Record<string, OptionRule>>;

type Predicate = OptionRule['fits'];

const isBoolean: Predicate = (value) => typeof value === 'boolean';
const isFunction: Predicate = (value) => typeof value === 'function';
const isText: Predicate = (value) => typeof value === 'string' && value !== '';
const isTextArray: Predicate = (value) => Array.isArray(value) && value.every(isText);
const isAbove0: Predicate = (value) => typeof value === 'number' && value > 0;
const isBetween =
  (least: number, most = Number.POSITIVE_INFINITY): Predicate =>
  (value) =>
    typeof value === 'number' && value >= least && value <= most;
const isWhole =
  (least: number, most?: number): Predicate =>
  (value) =>
    Number.isSafeInteger(value) && isBetween(least, most)(value);
const hasOnly =
  (names: readonly string[], fits: Predicate): Predicate =>
  (value) =>
    isObject(value) &&
    Object.entries(value).every(([name, part]) => names.includes(name) && (part === undefined || fits(part)));

const rule = (expected: string, fits: Predicate, hint: string): OptionRule => ({ expected, fits, hint });
const flag = (standard: boolean) => rule('true or false', isBoolean, `Default: ${standard}.`);
const numberFrom = (least: number, standard: string) =>
  rule(`a number from ${least}`, isBetween(least), `Default: ${standard}.`);
const wholeFrom = (least: number, standard: string) =>
  rule(`a whole number from ${least}`, isWhole(least), `Default: ${standard}.`);

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
  description: text,
  instructions: text,
  discovery: rule('true, false or { pinned }, an array of MCP names of tools', isDiscovery, 'Default: false.'),
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
  confirmWrites: rule(
    "'ask' or 'required'",
    (value) => value === 'ask' || value === 'required',
    'Omit it to ask nobody.',
  ),
  upstream: { ...rule('an object of limits', isObject, 'Such as { concurrency: 4 }.'), parts: upstreamRules },
  timeoutMs: rule(`milliseconds from 1 to ${maxTimerMs}`, isBetween(1, maxTimerMs), 'Default: no limit.'),
  apps: rule(
    'true, false or an array of pages, each with uri, title and html',
    (value) => isBoolean(value) || (Array.isArray(value) && value.every(isApp)),
    'Default: true.',
  ),
  tasks: rule(
    'a TaskProvider',
    (value) => ['start', 'get', 'wait', 'cancel'].every((name) => isFunction(Object(value)[name])),
    'Such as storeTasks(new InMemoryTaskStore()).',
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

export const defaultPaths = {
  /** Streamable HTTP. */
  mcp: '/mcp',
  /** Begins a session of HTTP+SSE. */
  sse: '/sse',
  /** Receives the messages of such sessions. */
  messages: '/messages',
  health: '/healthz',
  ready: '/readyz',
  metrics: '/metrics',
};

/** The paths of a server over HTTP. */
export type Paths = { [Name in keyof typeof defaultPaths]: string };

/** Options of `middleware`. */
export const httpRules: OptionRules = {
  auth: rule(
    'a token, a function, or a result of oauthResource',
    isAuth,
    'Omit it to allow calls without authentication.',
  ),
  allowedHosts: rule(`${hosts.expected}, or 'any'`, (value) => value === 'any' || isTextArray(value), hosts.hint),
  allowedOrigins: hosts,
  groups: rule(
    'a Map of names and arrays of MCP names of tools',
    isGroups,
    "Such as new Map([['work', ['tides__getTides']]]).",
  ),
  defaults: rule(
    'an object of groups, namespaces, tags and tools, each an array of names',
    hasOnly(['groups', 'namespaces', 'tags', 'tools'], isTextArray),
    "Such as { tags: ['sea'] }.",
  ),
  paths: rule(
    `an object of ${Object.keys(defaultPaths).join(', ')}, each a path that begins with a slash`,
    hasOnly(Object.keys(defaultPaths), (path) => /^\/[^?#\s]*$/.test(String(path))),
    "Such as { mcp: '/tools/mcp' }.",
  ),
  maxBodyBytes: wholeFrom(1, '4 MiB'),
  sessions: flag(true),
  maxSessions: wholeFrom(0, '1,000'),
  sessionIdleMs: rule('milliseconds, more than 0', isAbove0, 'Default: 10 minutes.'),
  routes: rule('an object of functions by path', isObject, "Such as { '/status': () => Response.json({}) }."),
  metrics: listener,
  documents: rule('an object of functions by path', isObject, "Such as { '/card.json': () => ({ name: 'me' }) }."),
  onRefusal: listener,
  gate: listener,
};

/** Options of `http`. */
export const listenRules: OptionRules = {
  ...httpRules,
  host: text,
  port: rule('a whole number from 0 to 65535', isWhole(0, 65_535), 'Default: 0, any free port.'),
  tls: rule('an object of cert and key', isObject, 'Give the contents of PEM files.'),
  isOpen: flag(false),
};

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isDiscovery(value: unknown): boolean {
  return isBoolean(value) || hasOnly(['pinned'], isTextArray)(value);
}

function isApp(value: unknown): boolean {
  const { uri, title, html } = Object(value);
  return String(uri).startsWith('ui://') && isText(title) && isFunction(html);
}

function isAuth(value: unknown): boolean {
  const isOAuthResource = isObject(value) && isFunction(value.authenticate) && Array.isArray(value.metadataPaths);
  return isText(value) || isFunction(value) || isOAuthResource;
}

function isGroups(value: unknown): boolean {
  // Does not iterate the names: an iterator yields them only once.
  const isNames: Predicate = (tools) => typeof tools === 'object' && tools !== null && Symbol.iterator in tools;
  return value instanceof Map && [...value].every(([name, tools]) => isText(name) && isNames(tools));
}
