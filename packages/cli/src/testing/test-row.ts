import type { Finding, LoadedSchema } from '@schemakit/core';
import type { CommandResult } from '../output/command-result.ts';
import { commandHint } from '../settings/command-hint.ts';
import type { TestOutcome } from './run-tests.ts';
import { shownFile } from './test-case.ts';

/** One row of the results: a test, or a whole schema as the route `*`. */
export interface TestRow {
  namespace: string | null;
  routeName: string;
  description: string;
  status: boolean;
  messages: string[];
  code?: string;
  fix?: string;
  /** The beginning of the data as JSON; null unless the test passed. */
  dataPreview: string | null;
  file: string;
  source?: string;
  skipped?: true;
  skipReason?: string;
  durationMs: number;
}

/** The data of reports, with masked secrets. */
export interface ReportedRun {
  /** The command, in reports for programs. */
  name: string;
  document: CommandResult['document'];
  rows: readonly TestRow[];
  durationMs: number;
}

const previewLength = 200;

export function rowOf({ test, status, reason = '', findings, data, durationMs }: TestOutcome): TestRow {
  const { namespace, routeName, description, schema, source } = test;
  return {
    ...{ namespace, routeName, description, status: status !== 'failed' },
    ...reasonsOf(findings),
    dataPreview: status === 'passed' ? previewOf(data) : null,
    file: shownFile(schema.file),
    ...(source !== undefined && { source }),
    ...(status === 'skipped' && { skipped: true, skipReason: reason }),
    durationMs,
  };
}

/** The row of a schema that did not load, or that has no runnable tests. */
export function schemaRow(
  { main, file, findings }: LoadedSchema,
  { source, skipReason, code }: { source?: string | undefined; skipReason?: string; code?: string },
): TestRow {
  const isSkipped = skipReason !== undefined;
  const errors = findings.filter(({ severity }) => severity === 'error');
  return {
    namespace: typeof main?.namespace === 'string' ? main.namespace : null,
    routeName: '*',
    description: isSkipped ? 'The schema is tested' : 'The schema loads',
    status: isSkipped,
    ...reasonsOf(isSkipped ? [] : errors),
    ...(code !== undefined && { code }),
    dataPreview: null,
    file: shownFile(file),
    ...(source !== undefined && { source }),
    ...(isSkipped && { skipped: true, skipReason }),
    durationMs: 0,
  };
}

function reasonsOf(findings: readonly Finding[]): Pick<TestRow, 'messages' | 'code' | 'fix'> {
  const isError = ({ severity }: Finding) => severity === 'error';
  const error = findings.find(isError);
  const sorted = [...findings.filter(isError), ...findings.filter((finding) => !isError(finding))];
  return {
    messages: sorted.map(({ message }) => message),
    ...(error && { code: error.code, ...(error.hint !== undefined && { fix: commandHint(error.hint) }) }),
  };
}

/** Does not cut surrogate pairs. */
function previewOf(data: unknown): string | null {
  const text = JSON.stringify(data);
  if (text === undefined) return null;
  const characters = [...text.slice(0, 2 * previewLength)];
  return characters.length <= previewLength ? text : `${characters.slice(0, previewLength - 1).join('')}…`;
}

export function outcomeOf({ status, skipped }: TestRow): 'passed' | 'failed' | 'skipped' {
  if (skipped) return 'skipped';
  return status ? 'passed' : 'failed';
}
