import type { Finding } from '../format/finding.ts';
import { schemaFinding } from '../format/finding-codes.ts';
import { evaluateExport } from '../handlers/handler-call.ts';
import type { ModuleReading } from './read-module.ts';

/** The data that a module exports under a name. */
export type DataExport =
  | { status: 'read'; value: unknown }
  | { status: 'absent' }
  | { status: 'failed'; findings: readonly Finding[] };

/** Reads an export that is data: from the syntax tree, or behind the wall where it has to be computed. Never imports the module. */
export async function readDataExport(reading: ModuleReading, name: string): Promise<DataExport> {
  const read = reading.read(name);
  switch (read.status) {
    case 'read':
      return { status: 'read', value: read.value };
    case 'absent':
      return { status: 'absent' };
    case 'function':
      return failed(name, 'it is a function');
    case 'invalid':
      // A module that could not be parsed says so in its own findings.
      return { status: 'failed', findings: read.findings.filter((finding) => !reading.findings.includes(finding)) };
    case 'needs-evaluation': {
      // What the scan refuses is not run; its findings say why.
      if (reading.findings.some(({ severity }) => severity === 'error')) return { status: 'failed', findings: [] };
      try {
        return { status: 'read', value: await evaluateExport(reading.program(name) ?? '', name) };
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return failed(name, `it cannot be read without running code (${read.reason}), and running it failed: ${why}`);
      }
    }
  }
}

function failed(name: string, reason: string): DataExport {
  const hint = 'Write it as literals, constants and templates.';
  return {
    status: 'failed',
    findings: [schemaFinding('VAL006', name, `${name} must be plain data: ${reason}`, { hint })],
  };
}
