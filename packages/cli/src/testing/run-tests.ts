import { setTimeout as sleep } from 'node:timers/promises';
import { type Finding, SchemaKit } from '@schemakit/core';
import { type Interceptor, interceptRequests } from '@schemakit/http';
import { writeLog } from '../commands/call/call-result.ts';
import { inParallel } from '../sources/in-parallel.ts';
import { type CallEnd, checkExpectation, type Expectation, mayFail, readExpectation } from './check-expectation.ts';
import type { RecordingSession } from './recordings/record-replay.ts';
import type { TestCase } from './test-case.ts';

export interface RunTestsOptions {
  run(test: TestCase): Promise<TestOutcome>;
  concurrency: number;
  /** Minimum time between the starts of two tests of one host, in milliseconds. */
  delayMs: number;
  retries: number;
  onDone(outcome: TestOutcome): void;
}

const hostsAtOnce = 8;

/** Runs tests, with limits per host. The outcomes are in the order of the tests. */
export async function runTests(tests: readonly TestCase[], options: RunTestsOptions): Promise<TestOutcome[]> {
  const outcomes = new Map<TestCase, TestOutcome>();
  const byHost = Map.groupBy(tests, ({ origin }) => origin);
  await inParallel(byHost.values(), { atOnce: hostsAtOnce }, async (ofHost) => {
    const waitForTurn = createPacer(options.delayMs);
    await inParallel(ofHost, { atOnce: options.concurrency }, async (test) => {
      const outcome = await runWithRetries(test, options, waitForTurn);
      outcomes.set(test, outcome);
      options.onDone(outcome);
    });
  });
  return tests.flatMap((test) => outcomes.get(test) ?? []);
}

async function runWithRetries(
  test: TestCase,
  { run, retries }: RunTestsOptions,
  waitForTurn: () => Promise<void>,
): Promise<TestOutcome> {
  for (let tries = 0; ; tries += 1) {
    await waitForTurn();
    const outcome = await run(test);
    if (outcome.status !== 'failed' || tries >= retries || !isTransient(outcome)) return outcome;
    await sleep(firstRetryDelayMs * 2 ** tries);
  }
}

const firstRetryDelayMs = 500;

/** Whether the network or the API failed, not the schema. */
function isTransient({ findings }: TestOutcome): boolean {
  return findings.some(({ code }) =>
    /^(ETIMEDOUT|ECONNRESET|ECONNREFUSED|NETWORK|HTTP_(408|425|429|5\d\d))$/.test(code),
  );
}

/** Returns a function that waits until the next test of a host may start. */
function createPacer(delayMs: number): () => Promise<void> {
  let next = 0;
  return async () => {
    const now = performance.now();
    const startAt = Math.max(now, next);
    next = startAt + delayMs;
    if (startAt > now) await sleep(startAt - now);
  };
}

interface RunTestOptions {
  serverParams: Readonly<Record<string, string>>;
  /** Whether an answer that differs from the output schema fails the test. */
  strict: boolean;
  session?: RecordingSession | undefined;
}

export async function runTest(test: TestCase, { serverParams, strict, session }: RunTestOptions): Promise<TestOutcome> {
  const { schema, routeName, userParams } = test;
  const read = readExpectation(test.expect);
  if (!read.ok) return { test, status: 'failed', findings: read.findings, data: null, durationMs: 0 };
  const { expectation } = read;
  const begunAt = performance.now();
  let httpStatus: number | undefined;
  const intercept: Interceptor = async (request, send, options) => {
    httpStatus = undefined;
    const answer = await (session === undefined ? send() : session.intercept(request, send, options));
    httpStatus = answer.status;
    return answer;
  };
  const call = () => SchemaKit.fetch({ schema, routeName, userParams, serverParams, onLog: writeLog });
  const isWatched = session !== undefined || expectation.status !== undefined;
  const result = await (isWatched ? interceptRequests(intercept, call) : call());
  const own = await judge({ ...result, httpStatus }, { expectation, strict });
  const hasFailed = own.some(({ severity }) => severity === 'error');
  const recordingFindings = (await session?.finish(!hasFailed)) ?? [];
  const ok = !hasFailed && recordingFindings.length === 0;
  return {
    test,
    status: ok ? 'passed' : 'failed',
    findings: [...recordingFindings, ...(recordingFindings.length > 0 ? own.filter(isOwn) : own)],
    // An expected failure has none.
    data: ok && result.status ? result.data : undefined,
    mimeType: result.mimeType,
    durationMs: Math.round(performance.now() - begunAt),
  };
}

/** The findings of a call as those of its test: errors fail it. */
async function judge(
  end: CallEnd,
  { expectation, strict }: { expectation: Expectation; strict: boolean },
): Promise<Finding[]> {
  const { status, findings } = end;
  if (!status && !mayFail(expectation)) return [...findings];
  const unmet = await checkExpectation(expectation, end);
  // A failure that was expected is not reported.
  if (!status) return unmet.length === 0 ? [] : [...findings, ...unmet];
  const isDifference = ({ code }: Finding) => strict && code === 'OUT004';
  const own = findings.map((found): Finding => (isDifference(found) ? { ...found, severity: 'error' } : found));
  return [...own, ...unmet];
}

/** A refused request causes these errors; its own finding explains it. */
function isOwn({ code, severity }: Finding): boolean {
  return severity === 'error' && code !== 'REQUEST_FAILED' && code !== 'HANDLER_THREW';
}

export interface TestOutcome {
  test: TestCase;
  status: 'passed' | 'failed' | 'skipped';
  reason?: string;
  /** Errors of a failed test, or differences from the output schema. */
  findings: readonly Finding[];
  data: unknown;
  /** Media type of the response, unless a handler changed it. */
  mimeType?: string | undefined;
  durationMs: number;
}

/** Whether a test returned data; see docs/testing.md, "Run tests". */
export function hasData({ status, data }: Pick<TestOutcome, 'status' | 'data'>): boolean {
  if (status !== 'passed' || data === null || data === undefined || data === '') return false;
  return typeof data !== 'object' || Object.keys(data).length > 0;
}
