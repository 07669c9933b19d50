import type { Finding } from '@schemakit/core';
import type { TestCase } from './test-case.ts';

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
