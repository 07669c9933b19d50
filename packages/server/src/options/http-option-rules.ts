import { defaultPaths } from '../http/paths.ts';
import {
  hasOnly,
  isObject,
  isText,
  isTextArray,
  listener,
  type OptionRule,
  type OptionRules,
  servingRules,
  wholeFrom,
} from './option-rules.ts';

const hosts: OptionRule = {
  expected: 'an array of host names without ports',
  fits: isTextArray,
  hint: "Such as ['tools.example.com'].",
};

/** The rules of the options of all HTTP servers. */
export const httpRules: OptionRules = {
  ...servingRules,
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
  paths: {
    expected: `an object of ${Object.keys(defaultPaths).join(', ')}, each a path that begins with a slash`,
    fits: (value) => hasOnly(value, Object.keys(defaultPaths), (path) => /^\/[^?#\s]*$/.test(String(path))),
    hint: "Such as { mcp: '/tools/mcp' }.",
  },
  maxBodyBytes: wholeFrom(1, '4 MiB'),
  maxSessions: wholeFrom(0, '1,000'),
  sessionIdleMs: {
    expected: 'milliseconds, more than 0',
    fits: (value) => typeof value === 'number' && value > 0,
    hint: 'Leave it out for 10 minutes.',
  },
  onRefusal: listener,
};

/** What is iterable is not read: it may give its items only once. */
function isIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

function isOAuth(value: unknown): boolean {
  return isObject(value) && typeof value.authenticate === 'function' && Array.isArray(value.metadataPaths);
}
