import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from '../in-parallel.ts';
import type { TestCase } from './test-case.ts';
import type { TestOutcome } from './test-outcome.ts';

export interface RunTestsOptions {
  run(test: TestCase): Promise<TestOutcome>;
  /** Tests of one host at a time. */
  concurrency: number;
  /** Between the beginnings of two tests of one host, in milliseconds. */
  delayMs: number;
  /** How often a test is repeated that failed for a reason which may pass. */
  retries: number;
  /** Told after each test. */
  onDone?: ((outcome: TestOutcome) => void) | undefined;
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
      options.onDone?.(outcome);
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
