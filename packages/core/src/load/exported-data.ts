import type { Finding } from '../format/finding.ts';
import { schemaFinding } from '../format/finding-codes.ts';
import { evaluateExport } from '../handlers/handler-call.ts';
import type { ModuleReading } from '../module/read-module.ts';

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
  /** Runs a script in the sandbox and gives what it binds to a name, as data. Default: in a host process. */
  evaluate?: (source: string, exportName: string) => Promise<unknown>;
}

/** Hides the built-ins that give another value each time. On one line with the script, so that its lines stay where they are. */
const withoutChance =
  'const Date = undefined, crypto = undefined, performance = undefined, ' +
  'Math = Object.create(globalThis.Math, { random: { value: undefined } });';

/** Reads an export that is data: from the syntax tree, or in the sandbox where it has to be computed. Never imports the module. */
export async function exportedData(
  reading: ModuleReading,
  name: string,
  { scan = 'enforce', deterministic = false, evaluate = evaluateExport }: ExportedDataOptions = {},
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
    return { status: 'read', value: await evaluate(`${deterministic ? withoutChance : ''}${read.source()}`, name) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { status: 'failed', reason, why, line, column };
  }
}

/** The same for an agent, whose file says what is wrong in the words of a schema. */
export async function agentData(
  reading: ModuleReading,
  name: string,
): Promise<Extract<ExportedData, { status: 'read' | 'absent' }> | { status: 'failed'; findings: readonly Finding[] }> {
  const data = await exportedData(reading, name);
  switch (data.status) {
    case 'read':
    case 'absent':
      return data;
    case 'invalid':
      return { status: 'failed', findings: data.findings };
    case 'refused':
      return { status: 'failed', findings: [] };
    case 'function':
      return failed(name, 'it is a function');
    case 'failed':
      return failed(
        name,
        `it cannot be read without running code (${data.reason}), and running it failed: ${data.why}`,
      );
  }
}

function failed(name: string, reason: string): { status: 'failed'; findings: readonly Finding[] } {
  const hint = 'Write it as literals, constants and templates.';
  const message = `${name} must be plain data: ${reason}`;
  return { status: 'failed', findings: [schemaFinding('VAL006', name, message, { hint })] };
}
