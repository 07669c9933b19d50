import type { ModuleReading } from '../module/read-module.ts';
import { evaluateExport } from '../sandbox/handler-call.ts';
import type { Finding, FindingDetail } from '../schema/finding.ts';
import { ruleFinding } from '../schema/finding-codes.ts';

/** The data that a module exports under a name. */
export type ExportedData =
  | { status: 'read'; value: unknown }
  | { status: 'absent' }
  | { status: 'function' }
  /** `findings` are those about the export; what is wrong with the module as a whole is in its own. */
  | { status: 'invalid'; findings: readonly Finding[] }
  /** The scan refused the module, so that nothing of it runs. */
  | { status: 'refused'; reason: string; line: number; column: number }
  /** Evaluating it failed: `why` is the error, `reason` says why the text alone does not tell. */
  | { status: 'failed'; reason: string; why: string; line: number; column: number };

export interface ExportedDataOptions {
  /** `report` also runs what the security scan refused. Default `enforce`. */
  scan?: 'enforce' | 'report';
  /** Whether the value must be the same each time: then it may use neither the time nor random numbers. Default false. */
  deterministic?: boolean;
}

/** Hides the built-ins that give another value each time. On one line with the script, so that its lines stay where they are. */
const withoutChance =
  'const Date = undefined, crypto = undefined, performance = undefined, ' +
  'Math = Object.create(globalThis.Math, { random: { value: undefined } });';

/** Reads an export that is data: from the syntax tree, or in the sandbox where it has to be computed. Never imports the module. */
export async function exportedData(
  reading: ModuleReading,
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
    const why = error instanceof Error ? error.message : String(error);
    return { status: 'failed', reason, why, line, column };
  }
}

/** An export that has to be data; `findings` say why it is none. */
export type DataReading =
  | { status: 'read'; value: unknown }
  | { status: 'absent' }
  | { status: 'failed'; findings: readonly Finding[] };

/**
 * Reads an export that has to be data.
 *
 * @param options.wrong - Makes the finding for a function, and for a value that cannot be computed. Default: `VAL006`.
 */
export async function readData(
  reading: ModuleReading,
  name: string,
  {
    wrong = (message, detail) => ruleFinding('VAL006', name, message, detail),
    ...options
  }: ExportedDataOptions & { wrong?: (message: string, detail: FindingDetail) => Finding } = {},
): Promise<DataReading> {
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
