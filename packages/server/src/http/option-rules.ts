import { defaultPaths } from './paths.ts';

/** What an option of a server has to be, and what to do about one that is something else. */
export interface OptionRule {
  expected: string;
  fits(value: unknown): boolean;
  hint: string;
}

/** The longest that a timer of Node.js can wait. */
const longestMs = 2 ** 31 - 1;

const text: OptionRule = { expected: 'text', fits: isText, hint: 'Write it in quotes, or leave it out.' };
const flag: OptionRule = {
  expected: 'true or false',
  fits: (value) => typeof value === 'boolean',
  hint: 'Leave it out for false.',
};
const listener: OptionRule = {
  expected: 'a function',
  fits: (value) => typeof value === 'function',
  hint: 'Leave it out where nobody is to be told.',
};
const list = (of: string): OptionRule => ({
  expected: `an array of ${of}`,
  fits: (value) => Array.isArray(value),
  hint: 'Leave it out for none.',
});
const hosts: OptionRule = {
  expected: 'an array of host names without ports',
  fits: isTextArray,
  hint: "Such as ['tools.example.com'].",
};
const wholeFrom = (least: number, standard: string): OptionRule => ({
  expected: `a whole number from ${least}`,
  fits: (value) => Number.isSafeInteger(value) && (value as number) >= least,
  hint: `Leave it out for ${standard}.`,
});

/** The rules of the options of all HTTP servers, by name. */
export const optionRules: Readonly<Record<string, OptionRule>> = {
  name: text,
  version: text,
  instructions: text,
  tools: list('tools'),
  prompts: list('prompts'),
  resources: list('resources'),
  offer: {
    expected: 'an offer of createLiveOffer',
    fits: (value) => isObject(value) && 'current' in value,
    hint: 'Give tools, prompts and resources in its place, where they do not change.',
  },
  auth: {
    expected: 'a token that is not empty, a function, or what oauthResource gives',
    fits: (value) => isText(value) || typeof value === 'function' || isOAuth(value),
    hint: 'Leave it out where everyone may call.',
  },
  allowedHosts: {
    expected: `${hosts.expected}, or 'any'`,
    fits: (value) => value === 'any' || hosts.fits(value),
    hint: hosts.hint,
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
  discovery: {
    expected: 'true, false or { pinned }, an array of MCP names of tools',
    fits: (value) => typeof value === 'boolean' || hasOnly(value, ['pinned'], isTextArray),
    hint: 'Use true to put a search in place of the list.',
  },
  maxAnswerLength: {
    expected: 'a number from 1',
    fits: (value) => typeof value === 'number' && value >= 1,
    hint: 'Leave it out for 100,000.',
  },
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
  selectArgument: flag,
  paths: {
    expected: `an object of ${Object.keys(defaultPaths).join(', ')}, each a path that begins with a slash`,
    fits: (value) => hasOnly(value, Object.keys(defaultPaths), (path) => /^\/[^?#\s]*$/.test(String(path))),
    hint: "Such as { mcp: '/tools/mcp' }.",
  },
  pageSize: wholeFrom(1, '1,000'),
  listTtlMs: wholeFrom(0, '60,000 milliseconds'),
  maxBodyBytes: wholeFrom(1, '4 MiB'),
  maxSessions: wholeFrom(0, '1,000'),
  sessionIdleMs: {
    expected: 'milliseconds, more than 0',
    fits: (value) => typeof value === 'number' && value > 0,
    hint: 'Leave it out for 10 minutes.',
  },
  upstream: { expected: 'an object of limits', fits: isObject, hint: 'Such as { concurrency: 4 }.' },
  timeoutMs: {
    expected: `milliseconds from 1 to ${longestMs}`,
    fits: (value) => typeof value === 'number' && value >= 1 && value <= longestMs,
    hint: 'Leave it out for no limit of its own.',
  },
  onCall: listener,
  onError: listener,
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

/** What is iterable is not read: it may give its items only once. */
function isIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

function isOAuth(value: unknown): boolean {
  return isObject(value) && typeof value.authenticate === 'function' && Array.isArray(value.metadataPaths);
}

function hasOnly(value: unknown, names: readonly string[], fits: (part: unknown) => boolean): boolean {
  if (!isObject(value)) return false;
  return Object.entries(value).every(([name, part]) => names.includes(name) && (part === undefined || fits(part)));
}
