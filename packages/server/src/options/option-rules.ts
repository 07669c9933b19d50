/** What an option has to be, and what to do about one that is something else. */
export interface OptionRule {
  expected: string;
  fits: (value: unknown) => boolean;
  hint: string;
  /** The rules of its own options, where it is an object. */
  parts?: OptionRules;
}

/** Rules by the names of options. */
export type OptionRules = Readonly<Record<string, OptionRule>>;

/** The longest that a timer of Node.js can wait. */
const longestMs = 2 ** 31 - 1;

const rule = (expected: string, fits: OptionRule['fits'], hint: string): OptionRule => ({ expected, fits, hint });
const arrayOf = (what: string) => rule(`an array of ${what}`, Array.isArray, 'Leave it out for none.');
const flag = (standard: boolean) => rule('true or false', isBoolean, `Leave it out for ${standard}.`);
const numberFrom = (least: number, standard: string) =>
  rule(`a number from ${least}`, (value) => isNumber(value) && value >= least, `Leave it out for ${standard}.`);
const wholeFrom = (least: number, standard: string) =>
  rule(
    `a whole number from ${least}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= least,
    `Leave it out for ${standard}.`,
  );

const text = rule('text', isText, 'Give text that is not empty.');
const listener = rule('a function', isFunction, 'Leave it out where nobody is to be told.');
const hosts = rule('an array of host names without ports', isTextArray, "Such as ['tools.example.com'].");

const breakerRules: OptionRules = {
  failures: numberFrom(1, '5'),
  pauseMs: numberFrom(1, '10,000 milliseconds'),
  maxPauseMs: numberFrom(1, '300,000 milliseconds'),
};

const upstreamRules: OptionRules = {
  concurrency: numberFrom(1, '16'),
  requestsPerSecond: rule('a number above 0', isAbove0, 'Leave it out for any number of requests.'),
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
    'Leave it out to keep answers in memory.',
  ),
  onUpstream: listener,
  onBreaker: listener,
  watch: listener,
};

/** The options of servers of every transport. */
export const servingRules: OptionRules = {
  name: text,
  version: text,
  instructions: text,
  tools: arrayOf('tools'),
  prompts: arrayOf('prompts'),
  resources: arrayOf('resources'),
  offer: rule(
    'an offer of createLiveOffer',
    (value) => isObject(value) && 'current' in value,
    'Give tools, prompts and resources in its place, where they do not change.',
  ),
  discovery: rule(
    'true, false or { pinned }, an array of MCP names of tools',
    (value) => isBoolean(value) || hasOnly(value, ['pinned'], isTextArray),
    'Use true to put a search in place of the list.',
  ),
  maxAnswerLength: numberFrom(1, '100,000'),
  structured: rule("'both' or 'only'", (value) => value === 'both' || value === 'only', "Leave it out for 'both'."),
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
    `milliseconds from 1 to ${longestMs}`,
    (value) => isNumber(value) && value >= 1 && value <= longestMs,
    'Leave it out for no limit of its own.',
  ),
  onCall: listener,
  onError: listener,
};

/** What a server answers at which path. */
export interface Paths {
  /** Streamable HTTP. Default `/mcp`. */
  mcp: string;
  /** Opens a session of the older transport. Default `/sse`. */
  sse: string;
  /** Takes the messages of such sessions. Default `/messages`. */
  messages: string;
  /** Whether the process works. Default `/healthz`. */
  health: string;
  /** Whether it takes requests. Default `/readyz`. */
  ready: string;
  /** Counts and durations as Prometheus reads them. Default `/metrics`. */
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

/** The options of servers over HTTP. */
export const httpRules: OptionRules = {
  ...servingRules,
  auth: rule(
    'a token that is not empty, a function, or what oauthResource gives',
    (value) => isText(value) || isFunction(value) || isOAuthResource(value),
    'Leave it out where everyone may call.',
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
  sessionIdleMs: rule('milliseconds, more than 0', isAbove0, 'Leave it out for 10 minutes.'),
  onRefusal: listener,
};

/** The options of `createServer`, which makes tools of schemas by itself. */
export const schemaServerRules: OptionRules = {
  ...httpRules,
  serverParams: rule(
    'an object of text by name',
    (value) => isObject(value) && Object.values(value).every((part) => part === undefined || typeof part === 'string'),
    'Such as process.env.',
  ),
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

/** An iterable is not read: it may give its items only once. */
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
