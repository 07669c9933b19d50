import { relative } from 'node:path';
import type { Finding, LoadedSchema } from '@schemakit/core';
import { type CommandResult, failed, failedOver, failureOf } from '../output/command-result.ts';
import { counted, printable } from '../output/terminal-text.ts';
import { isRecord } from '../settings/read-json.ts';

/** Schemas that were checked. */
export interface CheckedSchemas {
  schemas: readonly LoadedSchema[];
  /** Of the schemas, then of the set. */
  findings: readonly Finding[];
}

export type ValidationFormat = 'text' | 'json' | 'sarif';

/** The result of a validation, in the format that was asked for; without one, as any command shows its result. */
export async function validationResult(
  checked: CheckedSchemas,
  format: ValidationFormat | undefined,
): Promise<CommandResult> {
  const result = resultOf(checked);
  if (format === undefined) return result;
  const { document, text } = result;
  let shown = `${findingsText(checked.findings)}${text?.() ?? ''}`;
  if (format === 'json') shown = JSON.stringify(document, null, 4);
  if (format === 'sarif') {
    const { findingsSarif } = await import('./findings-sarif.ts');
    shown = JSON.stringify(findingsSarif(checked.findings), null, 2);
  }
  return { ...result, isServer: true, text: () => shown };
}

/** Findings by file, a line each with its place, and what to do below it. */
function findingsText(findings: readonly Finding[]): string {
  const texts = [...Map.groupBy(findings, ({ file }) => file)].map(([file, own]) => {
    const title = file === undefined ? '' : `${printable(relative(process.cwd(), file) || file)}\n`;
    return `${title}${[...new Set(own.map(findingText))].join('')}\n`;
  });
  return texts.join('');
}

function findingText({ severity, code, message, hint, line, column }: Finding): string {
  const place = line === undefined ? '' : `${line}:${column ?? 1}`;
  const lead = `  ${place.padEnd(8)}${severity.padEnd(9)}${code.padEnd(8)}`;
  const advice = hint === undefined ? '' : `${' '.repeat(lead.length)}${printable(hint)}\n`;
  return `${lead}${printable(message)}\n${advice}`;
}

function resultOf({ schemas, findings }: CheckedSchemas): CommandResult {
  const results = schemas.map(rowOf);
  const passed = results.filter(({ status }) => status).length;
  const document = { total: results.length, passed, failed: results.length - passed, results };
  const text = () => `${passed} of ${counted(results.length, 'schema')} valid.`;
  const lost = findings.filter(({ code }) => code === 'SET009');
  if (results.length === 0 || lost.length > 0) {
    const [reason] = results.length === 0 ? findings : lost;
    const { failure = 'other' } = failedOver(reason === undefined ? [] : [reason]);
    return failed(failure, { error: reason?.message ?? 'There is no schema.', ...document });
  }
  // Those of the set are, in a strict run, names that several tools would have.
  const own = schemas.flatMap((schema) => schema.findings);
  const ofTheSet = findings.filter((finding) => !own.includes(finding));
  const errors = [...own, ...ofTheSet].filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first === undefined) return { document: { status: true, ...document }, text };
  // Only a schema that is not the one that was trusted is no fault of its text.
  const invalid = errors.filter(({ code }) => !code.startsWith('LCK'));
  const { message: error, hint } = first;
  const reason = passed === results.length && { error, ...(hint !== undefined && { fix: hint }) };
  return {
    document: { status: false, ...document, ...reason },
    failure: failureOf(invalid.length > 0 ? invalid : errors),
    text,
  };
}

function rowOf({ file, main, status, messages, findings, prompts }: LoadedSchema): Record<string, unknown> & {
  status: boolean;
} {
  const count = (value: unknown) => (isRecord(value) ? Object.keys(value).length : 0);
  return {
    file,
    namespace: main?.namespace ?? null,
    status,
    messages,
    findings,
    tools: count(main?.tools ?? main?.routes),
    resources: count(main?.resources),
    skills: prompts.filter(({ kind }) => kind === 'skill').length,
  };
}
