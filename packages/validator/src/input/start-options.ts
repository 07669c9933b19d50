import type { Lookup } from '@schemakit/http';
import type { Code } from '../findings/codes.ts';
import { type Finding, finding } from '../findings/finding.ts';
import { field, isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import { plainText, reasonOf } from '../findings/plain-text.ts';

/** Which tools to call to see whether they require payment; `safe`: those with `readOnlyHint`. */
export type ProbeMode = 'all' | 'safe' | 'none';

export interface ProbeLimits {
  /** Total calls. Default 100. */
  maxCalls: number;
  /** Per call, in milliseconds. Default 5,000. */
  callTimeout: number;
  /** For all calls, in milliseconds. Default: the rest of `timeout`. */
  totalTime: number;
  /** Concurrent calls. Default 4. */
  concurrency: number;
}

/** The command of a server that communicates over stdio. */
export interface StdioServer {
  command: string;
  args?: readonly string[];
  cwd?: string;
  env?: Readonly<Record<string, string>>;
}

export interface StartOptions {
  /** URL of the MCP server; required without `stdio`. May be loopback or private. */
  endpoint?: string;
  /** For the whole run, in milliseconds. Default 10,000. */
  timeout?: number;
  /** Starts a server by its command instead of using an endpoint. */
  stdio?: StdioServer;
  /** Sent only to the endpoint's origin. Masked if the server repeats their values. */
  headers?: Readonly<Record<string, string>> | Headers | ReadonlyMap<string, string>;
  /** Default `all`: every tool without `destructiveHint`. Really calls the tools, and those may write. */
  probe?: ProbeMode;
  probeLimits?: Partial<ProbeLimits>;
  /** Further origins that may be private and that the endpoint may redirect to, such as an internal authorization server. */
  privateOrigins?: readonly string[];
  /** Requires a public endpoint, for services with untrusted users. Default false. */
  publicOnly?: boolean;
  /** CA certificates (PEM) that replace the default ones. */
  ca?: string | readonly string[];
  lookup?: Lookup;
  /** Aborts the run; results until then are returned. */
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

export interface StartSettings
  extends Required<Pick<StartOptions, 'timeout' | 'probe' | 'privateOrigins' | 'publicOnly' | 'onProgress'>>,
    Pick<StartOptions, 'ca' | 'lookup' | 'signal'> {
  /** Null for stdio. */
  endpoint: URL | null;
  stdio: StdioServer | null;
  headers: Record<string, string>;
  probeLimits: ProbeLimits;
}

export type Step = 'connect' | 'discover' | 'probe' | 'validate' | 'classify' | 'snapshot';

/** The steps of `start`, in order. Classifying follows the probe, because five of the twelve categories are about payment. */
export const steps: readonly Step[] = ['connect', 'discover', 'probe', 'validate', 'classify', 'snapshot'];

export interface Progress {
  step: Step;
  state: 'begin' | 'end';
}

/** Runs a step and reports it. Errors of the listener are ignored. */
export async function inStep<T>(
  step: Step,
  onProgress: (progress: Progress) => void,
  run: () => Promise<T> | T,
): Promise<T> {
  const report = (state: Progress['state']): void => {
    // A bug of the listener must not end the run, nor the process.
    const tell = async (): Promise<void> => onProgress({ step, state });
    tell().catch(() => {});
  };
  report('begin');
  try {
    return await run();
  } finally {
    report('end');
  }
}

const DEFAULT_TIMEOUT = 10_000;

/** The maximum delay of a Node.js timer; longer ones fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Checks the options of `start`. Returns settings if they are valid, else the first finding of each option. */
export function checkStart(input: unknown): { findings: Finding[]; settings?: StartSettings } {
  try {
    return checkOptions(input);
  } catch (error) {
    // A getter or a proxy that throws.
    const text = `Cannot read the options: ${reasonOf(error)}`;
    return { findings: [finding('VAL-005', 'start', text)] };
  }
}

/** Checks what another function, `place`, has of the options of `start`. It lacks `unfit`, and has a `url` in place of the endpoint. */
export function checkAsStart(
  given: PlainObject,
  { place, url, unfit }: { place: string; url: unknown; unfit: readonly string[] },
): { findings: Finding[]; settings?: StartSettings } {
  const misplaced = unfit.filter((name) => given[name] !== undefined);
  const fit = Object.entries(given).filter(([name]) => !unfit.includes(name));
  const { findings, settings } = checkStart({ ...Object.fromEntries(fit), endpoint: url });
  return {
    findings: [
      ...findings.map(({ code, severity, location, text }) => {
        const name = location.replace(/^start\.?/, '').replace(/^endpoint$/, 'url');
        // The codes of the URL and the timeout have the numbers of those of `start`.
        const own = name === 'url' || name === 'timeout' ? (code.replace('VAL', 'ASM') as Code) : 'ASM-007';
        return finding(own, name === '' ? place : `${place}.${name}`, text, { severity });
      }),
      ...misplaced.map((name) => finding('ASM-007', `${place}.${name}`, 'Unknown option', { severity: 'WARNING' })),
    ],
    ...(settings !== undefined && { settings }),
  };
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
    finding('VAL-005', `start.${plainText(name, 80)}`, 'Unknown option', { severity: 'WARNING' }),
  );
  return { findings: unknown, settings: withDefaults(options as StartOptions) };
}

function endpointProblem(endpoint: unknown): OptionProblem | undefined {
  if (endpoint === undefined) return ['VAL-001', 'endpoint', 'Missing'];
  if (typeof endpoint !== 'string') return ['VAL-002', 'endpoint', 'Must be a string'];
  if (endpoint.trim() === '') return ['VAL-003', 'endpoint', 'Must not be empty'];
  const url = URL.parse(endpoint.trim());
  if (url === null) return ['VAL-004', 'endpoint', 'Must be an absolute URL such as https://example.com/mcp'];
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    // `localhost:8080/mcp` parses as the protocol `localhost:`.
    const isHost = !/^[a-z][a-z0-9+.-]*:\/\//i.test(endpoint.trim()) && /^[^/]+:\d+(?:\/|$)/.test(endpoint.trim());
    const text = isHost
      ? `Must begin with http:// or https://, such as http://${endpoint.trim()}`
      : `Must be http or https, not ${url.protocol.slice(0, -1)}`;
    return ['VAL-004', 'endpoint', text];
  }
  if (url.username === '' && url.password === '') return undefined;
  return ['VAL-004', 'endpoint', 'Must not contain a user name or password; send them with `headers`'];
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

function withDefaults({
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
    // Copied, because callers may change their objects during the run.
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

/** Removes the fragment, which is never sent. */
function endpointUrl(endpoint: string): URL {
  const url = new URL(endpoint.trim());
  url.hash = '';
  return url;
}

type OptionProblem = readonly [code: Code, name: string, text: string];

/** The type and the check of each option except `endpoint` and `timeout`. */
const kinds: Readonly<Record<string, readonly [kind: string, isOfKind: (value: unknown) => boolean]>> = {
  headers: ['an object or `Headers` of valid HTTP headers, without those of the connection such as Host', areHeaders],
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

/** Unknown options are probably typos. */
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

/** Set by the client itself; other values would break the request. */
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

/** Accepts objects and iterables such as `Headers` and `Map`. */
function headersOf(given: NonNullable<StartOptions['headers']>): Record<string, string> {
  const isListed = Symbol.iterator in given;
  const headers = new Headers(given as ConstructorParameters<typeof Headers>[0]);
  return isListed ? Object.fromEntries(headers) : { ...(given as Record<string, string>) };
}

/** The command is checked separately, with its own codes. */
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
