import { type Finding, SchemaKit } from '@schemakit/core';
import { interceptRequests } from '@schemakit/http';
import { writeLog } from '../commands/call/call-result.ts';
import type { Tape } from './recordings/tape.ts';
import type { TestCase } from './test-case.ts';
import type { TestOutcome } from './test-outcome.ts';

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
