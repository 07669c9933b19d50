import { relative } from 'node:path';
import type { Finding, LoadedSchema } from '@schemakit/core';
import { type CommandResult, failed, failedOver } from '../output/command-result.ts';
import { counted } from '../output/counted.ts';
import { failureOf } from '../output/exit-status.ts';
import { printable } from '../printable.ts';
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
  const shown = await textIn(format, checked, result);
  return { ...result, isServer: true, text: () => shown };
}

async function textIn(
  format: ValidationFormat,
  { findings }: CheckedSchemas,
  { document, text }: CommandResult,
): Promise<string> {
  if (format === 'json') return JSON.stringify(document, null, 4);
  if (format === 'text') return `${findingsText(findings)}${text?.() ?? ''}`;
  const { findingsSarif } = await import('./findings-sarif.ts');
  return JSON.stringify(findingsSarif(findings), null, 2);
}

/** Findings by file, a line each with its place, and what to do below it. */
function findingsText(findings: readonly Finding[]): string {
  const byFile = Map.groupBy(findings, ({ file }) => file);
  return [...byFile].map(([file, own]) => fileText(file, own)).join('');
}

function fileText(file: string | undefined, findings: readonly Finding[]): string {
  const rows = [...new Set(findings.map(findingText))];
  const title = file === undefined ? '' : `${printable(relative(process.cwd(), file) || file)}\n`;
  return `${title}${rows.join('')}\n`;
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
  const errors = errorsOf({ schemas, findings });
  if (errors.length === 0) return { document: { status: true, ...document }, text };
  // Only a schema that is not the one that was trusted is no fault of its text.
  const invalid = errors.filter(({ code }) => !code.startsWith('LCK'));
  const ofTheSet = passed === results.length ? { error: errors[0]?.message, fix: errors[0]?.hint } : {};
  return {
    document: { status: false, ...document, ...given(ofTheSet) },
    failure: failureOf(invalid.length > 0 ? invalid : errors),
    text,
  };
}

/** Those of the schemas, then those of the set: in a strict run, names that several tools would have. */
function errorsOf({ schemas, findings }: CheckedSchemas): Finding[] {
  const own = schemas.flatMap((schema) => schema.findings);
  const ofTheSet = findings.filter((finding) => !own.includes(finding));
  return [...own, ...ofTheSet].filter(({ severity }) => severity === 'error');
}

function given(fields: { error?: string | undefined; fix?: string | undefined }): { error?: string; fix?: string } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
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
