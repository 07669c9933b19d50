import { setTimeout as sleep } from 'node:timers/promises';
import { type Finding, SchemaKit } from '@schemakit/core';
import { interceptRequests } from '@schemakit/http';
import { writeLog } from '../commands/call/call-result.ts';
import { inParallel } from '../sources/in-parallel.ts';
import type { Tape } from './recordings/tapes.ts';
import type { TestCase } from './test-case.ts';

export interface RunTestsOptions {
  run(test: TestCase): Promise<TestOutcome>;
  /** Tests of one host at a time. */
  concurrency: number;
  /** Between the beginnings of two tests of one host, in milliseconds. */
  delayMs: number;
  /** How often a test is repeated that failed for a reason which may pass. */
  retries: number;
  /** Told after each test. */
  onDone(outcome: TestOutcome): void;
}

/** Hosts that are asked at the same time. */
const hostsAtOnce = 8;

/** Runs tests, hosts side by side and each of them with care. The outcomes are in the order of the tests. */
export async function runTests(tests: readonly TestCase[], options: RunTestsOptions): Promise<TestOutcome[]> {
  const outcomes = new Map<TestCase, TestOutcome>();
  const byHost = Map.groupBy(tests, ({ host }) => host);
  await inParallel(byHost.values(), { atOnce: hostsAtOnce }, async (ofHost) => {
    const pace = openPace(options.delayMs);
    await inParallel(ofHost, { atOnce: options.concurrency }, async (test) => {
      const outcome = await runWithRetries(test, options, pace);
      outcomes.set(test, outcome);
      options.onDone(outcome);
    });
  });
  return tests.flatMap((test) => outcomes.get(test) ?? []);
}

async function runWithRetries(
  test: TestCase,
  { run, retries }: RunTestsOptions,
  pace: () => Promise<void>,
): Promise<TestOutcome> {
  for (let tries = 0; ; tries += 1) {
    await pace();
    const outcome = await run(test);
    if (outcome.status !== 'failed' || tries >= retries || !mayPass(outcome)) return outcome;
    await sleep(firstPauseMs * 2 ** tries);
  }
}

const firstPauseMs = 500;

/** Whether it was the network or the API that failed, not the schema. */
function mayPass({ findings }: TestOutcome): boolean {
  return findings.some(({ code }) =>
    /^(ETIMEDOUT|ECONNRESET|ECONNREFUSED|NETWORK|HTTP_(408|425|429|5\d\d))$/.test(code),
  );
}

/** Waits until the next test of a host may begin. */
function openPace(delayMs: number): () => Promise<void> {
  let next = 0;
  return async () => {
    const now = performance.now();
    const startAt = Math.max(now, next);
    next = startAt + delayMs;
    if (startAt > now) await sleep(startAt - now);
  };
}

export interface RunTestOptions {
  serverParams: Readonly<Record<string, string>>;
  /** Records the requests of the test, or answers them. Absent where they go to the network and leave no trace. */
  tape?: Tape | undefined;
}

/** Calls a route with the arguments of a test. */
export async function runTest(test: TestCase, { serverParams, tape }: RunTestOptions): Promise<TestOutcome> {
  const begunAt = performance.now();
  const { schema, routeName, userParams } = test;
  const call = () => SchemaKit.fetch({ schema, routeName, userParams, serverParams, onLog: writeLog });
  const result = await (tape === undefined ? call() : interceptRequests(tape.intercept, call));
  const complaints = (await tape?.finish(result.status)) ?? [];
  const durationMs = Math.round(performance.now() - begunAt);
  const ok = result.status && complaints.length === 0;
  return {
    test,
    status: ok ? 'passed' : 'failed',
    findings: [...complaints, ...(complaints.length > 0 ? result.findings.filter(isOwn) : result.findings)],
    data: ok ? result.data : null,
    mimeType: result.mimeType,
    durationMs,
  };
}

/** What a refused request leads to is said by the complaint about it. */
function isOwn({ code, severity }: Finding): boolean {
  return severity === 'error' && code !== 'REQUEST_FAILED' && code !== 'HANDLER_THREW';
}

/** What came of one test. */
export interface TestOutcome {
  test: TestCase;
  status: 'passed' | 'failed' | 'skipped';
  /** Why it was skipped. */
  reason?: string;
  /** Errors of a test that failed; what differs from the output schema where it passed. */
  findings: readonly Finding[];
  /** The answer; null unless the test passed. */
  data: unknown;
  /** Media type of the answer, where no handler changed it. */
  mimeType?: string | undefined;
  durationMs: number;
}

/** Whether a test brought data: what a route must do at least once (specification 4.5). */
export function hasData({ status, data }: Pick<TestOutcome, 'status' | 'data'>): boolean {
  if (status !== 'passed' || data === null || data === undefined || data === '') return false;
  return typeof data !== 'object' || Object.keys(data).length > 0;
}
