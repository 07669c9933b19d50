import type { ModuleAnalysis } from '../module/analyze-module.ts';
import { evaluateExport } from '../sandbox/handler-call.ts';
import { type Finding, type FindingDetail, messageOf } from '../schema/finding.ts';
import { ruleFinding } from '../schema/finding-codes.ts';

export type ExportedData =
  | { status: 'read'; value: unknown }
  | { status: 'absent' }
  | { status: 'function' }
  /** `findings` are those about the export, without those of the module. */
  | { status: 'invalid'; findings: readonly Finding[] }
  /** The scan rejected the module, so it may not run. */
  | { status: 'refused'; reason: string; line: number; column: number }
  /** Evaluating it failed: `why` is the error, `reason` says why it had to be evaluated. */
  | { status: 'failed'; reason: string; why: string; line: number; column: number };

export interface ExportedDataOptions {
  /** `report` also runs a module that the security scan rejected. Default `enforce`. */
  scan?: 'enforce' | 'report';
  /** Hides the time and random numbers, so that the value is the same each time. Default false. */
  deterministic?: boolean;
}

/** On one line with the script, so that its lines keep their numbers. */
const withoutChance =
  'const Date = undefined, crypto = undefined, performance = undefined, ' +
  'Math = Object.create(globalThis.Math, { random: { value: undefined } });';

/** Reads an export that is data: from the syntax tree, or by evaluating it in the sandbox. Never imports the module. */
export async function exportedData(
  reading: ModuleAnalysis,
  name: string,
  { scan = 'enforce', deterministic = false }: ExportedDataOptions = {},
): Promise<ExportedData> {
  const read = reading.read(name);
  if (read.status === 'invalid') {
    return { ...read, findings: read.findings.filter((finding) => !reading.findings.includes(finding)) };
  }
  if (read.status !== 'needs-evaluation') return read;
  const { reason, line, column } = read;
  if (scan === 'enforce' && reading.findings.some(({ severity }) => severity === 'error')) {
    return { status: 'refused', reason, line, column };
  }
  try {
    return {
      status: 'read',
      value: await evaluateExport(`${deterministic ? withoutChance : ''}${read.source()}`, name),
    };
  } catch (error) {
    const why = messageOf(error);
    return { status: 'failed', reason, why, line, column };
  }
}

/** An export that has to be data; `findings` say why it is not. */
export type DataResult =
  | { status: 'read'; value: unknown }
  | { status: 'absent' }
  | { status: 'failed'; findings: readonly Finding[] };

/** Reads an export that has to be data. `wrong` makes the finding for a function or for code that fails; default `VAL006`. */
export async function readData(
  reading: ModuleAnalysis,
  name: string,
  {
    wrong = (message, detail) => ruleFinding('VAL006', name, message, detail),
    ...options
  }: ExportedDataOptions & { wrong?: (message: string, detail: FindingDetail) => Finding } = {},
): Promise<DataResult> {
  const data = await exportedData(reading, name, options);
  const hint = 'Write it as literals, constants and templates.';
  switch (data.status) {
    case 'read':
    case 'absent':
      return data;
    case 'invalid':
      return { status: 'failed', findings: data.findings };
    case 'refused':
      return { status: 'failed', findings: [] };
    case 'function':
      return { status: 'failed', findings: [wrong(`${name} must be plain data, not a function`, { hint })] };
    case 'failed': {
      const { reason, why, line, column } = data;
      const message = `${name} cannot be read without running code (${reason}), and running it failed: ${why}`;
      return { status: 'failed', findings: [{ ...wrong(message, { hint }), line, column }] };
    }
  }
}
