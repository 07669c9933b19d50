import { setTimeout as sleep } from 'node:timers/promises';
import { type Finding, SchemaKit } from '@schemakit/core';
import { interceptRequests } from '@schemakit/http';
import { writeLog } from '../commands/call/call-result.ts';
import { inParallel } from '../sources/in-parallel.ts';
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
  const byHost = Map.groupBy(tests, ({ host }) => host);
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

export async function runTest(
  test: TestCase,
  options: { serverParams: Readonly<Record<string, string>>; session?: RecordingSession | undefined },
): Promise<TestOutcome> {
  const { serverParams, session } = options;
  const begunAt = performance.now();
  const { schema, routeName, userParams } = test;
  const call = () => SchemaKit.fetch({ schema, routeName, userParams, serverParams, onLog: writeLog });
  const result = await (session === undefined ? call() : interceptRequests(session.intercept, call));
  const recordingFindings = (await session?.finish(result.status)) ?? [];
  const durationMs = Math.round(performance.now() - begunAt);
  const ok = result.status && recordingFindings.length === 0;
  return {
    test,
    status: ok ? 'passed' : 'failed',
    findings: [
      ...recordingFindings,
      ...(recordingFindings.length > 0 ? result.findings.filter(isOwn) : result.findings),
    ],
    data: ok ? result.data : null,
    mimeType: result.mimeType,
    durationMs,
  };
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
