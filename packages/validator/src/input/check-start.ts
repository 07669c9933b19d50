import { type Finding, finding } from '../findings/finding.ts';
import { field, isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import { plainText } from '../findings/plain-text.ts';
import { headersOf, type OptionProblem, optionProblems, unknownOptions } from './option-kinds.ts';
import type { ProbeLimits, StartOptions, StartSettings, StdioServer } from './start-options.ts';

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

function settle(options: StartOptions): StartSettings {
  const { endpoint, stdio = null, headers = {}, probe = 'all', probeLimits = {}, privateOrigins = [] } = options;
  return {
    endpoint: stdio === null && endpoint !== undefined ? endpointUrl(endpoint) : null,
    stdio: stdio && copyOf(stdio),
    timeout: Math.min(options.timeout ?? DEFAULT_TIMEOUT, MAX_TIMER_MS),
    headers: headersOf(headers),
    probe,
    probeLimits: limits(probeLimits),
    privateOrigins: [...privateOrigins],
    publicOnly: options.publicOnly ?? false,
    ca: options.ca,
    lookup: options.lookup,
    signal: options.signal,
    onProgress: options.onProgress ?? (() => {}),
  };
}

/** A fragment is never sent; it would only make two endpoints of one. */
function endpointUrl(endpoint: string): URL {
  const url = new URL(endpoint.trim());
  url.hash = '';
  return url;
}

/** Callers may change what they gave while `start` runs. */
function copyOf({ command, args = [], cwd, env }: StdioServer): StdioServer {
  return { command, args: [...args], ...(cwd !== undefined && { cwd }), ...(env !== undefined && { env: { ...env } }) };
}

function limits({
  maxCalls = 100,
  callTimeout = 5000,
  totalTime = MAX_TIMER_MS,
  concurrency = 4,
}: Partial<ProbeLimits>): ProbeLimits {
  return { maxCalls, callTimeout, totalTime, concurrency };
}
