import type { Finding } from '../format/finding.ts';
import type { FetchOptions } from './fetch-tool.ts';

/** The longest that a timer of Node.js can wait, in milliseconds; it takes more for 1. */
const longestTimeoutMs = 2 ** 31 - 1;

const rules: Readonly<Record<string, { expected: string; fits(value: unknown): boolean }>> = {
  timeoutMs: {
    expected: `milliseconds from 1 to ${longestTimeoutMs}`,
    fits: (value) => typeof value === 'number' && value >= 1 && value <= longestTimeoutMs,
  },
  signal: { expected: 'an AbortSignal', fits: (value) => value instanceof AbortSignal },
  onProgress: { expected: 'a function', fits: (value) => typeof value === 'function' },
  upstream: { expected: 'an object of limits', fits: isRecord },
  onLog: { expected: 'a function', fits: (value) => typeof value === 'function' },
  serverParams: { expected: 'an object of text by name', fits: isRecord },
  handlerMap: { expected: 'an object of hooks by tool', fits: isRecord },
  cache: { expected: 'a cache, such as that of createMemoryCache()', fits: isCache },
  refresh: { expected: 'true or false', fits: (value) => typeof value === 'boolean' },
};

/** Findings for options of a call that are there and of another kind; programs in plain JavaScript can pass anything. */
export function checkFetchOptions(options: FetchOptions): Finding[] {
  const findings: Finding[] = [];
  for (const name in rules) {
    const value: unknown = options[name as keyof FetchOptions];
    const rule = rules[name];
    if (value === undefined || value === null || rule === undefined || rule.fits(value)) continue;
    const message = `fetch takes as ${name} ${rule.expected}, got ${describe(value)}`;
    findings.push({ code: 'ARG001', severity: 'error', path: name, message });
  }
  return findings;
}

function isCache(value: unknown): boolean {
  const { salt, read, write } = Object(value) as Record<string, unknown>;
  return [salt, read, write].every((method) => typeof method === 'function');
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && !Array.isArray(value);
}

function describe(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}
