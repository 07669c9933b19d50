import { createInputCheck } from '../check-input.ts';
import { childPath, type Report } from '../finding.ts';
import { readInputValue } from '../input-value.ts';
import { isObject } from '../json.ts';
import { resourceFinding } from '../resource-codes.ts';
import type { Input } from '../tool.ts';

interface TestsContext {
  /** What callers may pass. Absent where the parameters could not be read, so that nothing is known about values. */
  inputs?: readonly Input[];
  /** Path of the query. */
  path: string;
  report: Report;
}

/** Checks `tests` of a query: `[{ _description, <parameter>: <value> }]`. What is wrong with them stops no call. */
export function reportQueryTests(tests: unknown, { inputs, path, report }: TestsContext): void {
  if (!Array.isArray(tests) || tests.length === 0) {
    report(
      resourceFinding('RES012', `${path}.tests`, 'the query has no tests', {
        hint: "Add tests: [{ _description: '…', <parameter>: <value> }], so that the query can be tested.",
      }),
    );
    return;
  }
  const check = inputs && createInputCheck(inputs);
  for (const [index, test] of tests.entries()) {
    const place = `${path}.tests[${index}]`;
    if (!isPlainObject(test)) {
      report(resourceFinding('RES023', place, 'a test must be an object that JSON can carry'));
      continue;
    }
    // What begins so is about the test, and no argument.
    const result = check?.(Object.fromEntries(Object.entries(test).filter(([key]) => !key.startsWith('_'))));
    if (result === undefined || result.ok) continue;
    for (const { path: argument, message } of result.findings) {
      report(
        resourceFinding('RES022', argument === '' ? place : childPath(place, argument), message.replace(/\.$/, '')),
      );
    }
  }
}

function isPlainObject(test: unknown): test is Record<string, unknown> {
  return isObject(test) && readInputValue({ primitive: 'object', optional: false }, test) !== undefined;
}
