import { defaultPaths } from '../http/paths.ts';
import type { OptionRule, OptionRules } from './check-options.ts';

/** The longest that a timer of Node.js can wait. */
const longestMs = 2 ** 31 - 1;

const text: OptionRule = { expected: 'text', fits: isText, hint: 'Give text that is not empty.' };
const listener: OptionRule = {
  expected: 'a function',
  fits: (value) => typeof value === 'function',
  hint: 'Leave it out where nobody is to be told.',
};
const hosts: OptionRule = {
  expected: 'an array of host names without ports',
  fits: isTextArray,
  hint: "Such as ['tools.example.com'].",
};

const flag = (standard = 'false'): OptionRule => ({
  expected: 'true or false',
  fits: (value) => typeof value === 'boolean',
  hint: `Leave it out for ${standard}.`,
});

const arrayOf = (what: string): OptionRule => ({
  expected: `an array of ${what}`,
  fits: Array.isArray,
  hint: 'Leave it out for none.',
});

const numberFrom = (least: number, standard: string): OptionRule => ({
  expected: `a number from ${least}`,
  fits: (value) => typeof value === 'number' && value >= least,
  hint: `Leave it out for ${standard}.`,
});

const wholeFrom = (least: number, standard: string): OptionRule => ({
  ...numberFrom(least, standard),
  expected: `a whole number from ${least}`,
  fits: (value) => Number.isSafeInteger(value) && Number(value) >= least,
});

const above0 = (what: string, hint: string): OptionRule => ({
  expected: what,
  fits: (value) => typeof value === 'number' && value > 0,
  hint,
});

const upstreamRules: OptionRules = {
  concurrency: numberFrom(1, '16'),
  requestsPerSecond: above0('a number above 0', 'Leave it out for any number of requests.'),
  burst: numberFrom(1, 'the requests of a second'),
  maxQueue: numberFrom(0, '1,000'),
  maxWaitMs: numberFrom(0, '10,000 milliseconds'),
  breaker: {
    expected: 'an object of limits, or false',
    fits: (value) => value === false || isObject(value),
    hint: 'Such as { failures: 3 }.',
    parts: {
      failures: numberFrom(1, '5'),
      pauseMs: numberFrom(1, '10,000 milliseconds'),
      maxPauseMs: numberFrom(1, '300,000 milliseconds'),
    },
  },
  singleFlight: flag('true'),
  cache: {
    expected: 'an object with the functions salt, read and write, or false',
    fits: (value) =>
      value === false || ['salt', 'read', 'write'].every((name) => typeof Object(value)[name] === 'function'),
    hint: 'Leave it out to keep answers in memory.',
  },
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
  offer: {
    expected: 'an offer of createLiveOffer',
    fits: (value) => isObject(value) && 'current' in value,
    hint: 'Give tools, prompts and resources in its place, where they do not change.',
  },
  discovery: {
    expected: 'true, false or { pinned }, an array of MCP names of tools',
    fits: (value) => typeof value === 'boolean' || hasOnly(value, ['pinned'], isTextArray),
    hint: 'Use true to put a search in place of the list.',
  },
  maxAnswerLength: numberFrom(1, '100,000'),
  structured: {
    expected: "'both' or 'only'",
    fits: (value) => value === 'both' || value === 'only',
    hint: "Leave it out for 'both'.",
  },
  select: {
    expected: 'an object of JMESPath expressions by the MCP names of tools',
    fits: (value) => isObject(value) && Object.values(value).every(isText),
    hint: "Such as { tides__getTides: 'tides[].time' }.",
  },
  selectArgument: flag(),
  pageSize: wholeFrom(1, '1,000'),
  listTtlMs: wholeFrom(0, '60,000 milliseconds'),
  upstream: {
    expected: 'an object of limits',
    fits: isObject,
    hint: 'Such as { concurrency: 4 }.',
    parts: upstreamRules,
  },
  timeoutMs: {
    expected: `milliseconds from 1 to ${longestMs}`,
    fits: (value) => typeof value === 'number' && value >= 1 && value <= longestMs,
    hint: 'Leave it out for no limit of its own.',
  },
  onCall: listener,
  onError: listener,
};

/** The options of servers over HTTP. */
export const httpRules: OptionRules = {
  ...servingRules,
  auth: {
    expected: 'a token that is not empty, a function, or what oauthResource gives',
    fits: (value) => isText(value) || typeof value === 'function' || isOAuthResource(value),
    hint: 'Leave it out where everyone may call.',
  },
  allowedHosts: {
    ...hosts,
    expected: `${hosts.expected}, or 'any'`,
    fits: (value) => value === 'any' || isTextArray(value),
  },
  allowedOrigins: hosts,
  groups: {
    expected: 'a Map of names and arrays of MCP names of tools',
    fits: (value) => value instanceof Map && [...value].every(([name, tools]) => isText(name) && isIterable(tools)),
    hint: "Such as new Map([['work', ['tides__getTides']]]).",
  },
  defaults: {
    expected: 'an object of groups, namespaces, tags and tools, each an array of names',
    fits: (value) => hasOnly(value, ['groups', 'namespaces', 'tags', 'tools'], isTextArray),
    hint: "Such as { tags: ['sea'] }.",
  },
  paths: {
    expected: `an object of ${Object.keys(defaultPaths).join(', ')}, each a path that begins with a slash`,
    fits: (value) => hasOnly(value, Object.keys(defaultPaths), (path) => /^\/[^?#\s]*$/.test(String(path))),
    hint: "Such as { mcp: '/tools/mcp' }.",
  },
  maxBodyBytes: wholeFrom(1, '4 MiB'),
  maxSessions: wholeFrom(0, '1,000'),
  sessionIdleMs: above0('milliseconds, more than 0', 'Leave it out for 10 minutes.'),
  onRefusal: listener,
};

/** The options of `createServer`, which makes tools of schemas by itself. */
export const schemaServerRules: OptionRules = {
  ...httpRules,
  serverParams: {
    expected: 'an object of text by name',
    fits: (value) =>
      isObject(value) && Object.values(value).every((part) => part === undefined || typeof part === 'string'),
    hint: 'Such as process.env.',
  },
};

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
  return isObject(value) && typeof value.authenticate === 'function' && Array.isArray(value.metadataPaths);
}

function hasOnly(value: unknown, names: readonly string[], fits: (part: unknown) => boolean): boolean {
  if (!isObject(value)) return false;
  return Object.entries(value).every(([name, part]) => names.includes(name) && (part === undefined || fits(part)));
}
