import type { Finding } from '../format/finding.ts';
import { schemaFinding } from '../format/finding-codes.ts';
import type { JsonValue } from '../format/json.ts';
import { readSchema } from '../format/read-schema.ts';
import type { Schema } from '../format/schema.ts';
import { evaluateExport } from '../handlers/evaluate-export.ts';
import type { ModuleReading } from './read-module.ts';

/** `main` of a module, with everything that can be said of it without looking at other files. */
export interface MainReading {
  /** The value as the file gives it; undefined where it could not be had. Not to be handed out: callers get a copy. */
  main?: unknown;
  schema?: Schema;
  findings: readonly Finding[];
}

const readings = new WeakMap<ModuleReading, MainReading>();

/**
 * Reads and checks `main`. It comes from the syntax tree; one that has to be computed is evaluated behind the wall.
 * `scan: 'report'` evaluates even what the security scan refuses.
 */
export async function readMain(
  reading: ModuleReading,
  { source, scan }: { source: string; scan: 'enforce' | 'report' },
): Promise<MainReading> {
  const known = readings.get(reading);
  if (known) return known;
  const value = await mainValue(reading, { source, scan });
  if (!value.ok) return { findings: value.findings };
  const findings: Finding[] = [];
  const schema = readSchema(value.main, (finding) => findings.push({ ...finding, ...reading.locate(finding.path) }));
  const result: MainReading = { main: value.main, findings, ...(schema && { schema }) };
  readings.set(reading, result);
  return result;
}

type MainValue = { ok: true; main: unknown } | { ok: false; findings: readonly Finding[] };

async function mainValue(
  reading: ModuleReading,
  { source, scan }: { source: string; scan: 'enforce' | 'report' },
): Promise<MainValue> {
  const isRefused = reading.findings.some(({ severity }) => severity === 'error');
  const read = reading.read('main');
  switch (read.status) {
    case 'read':
      return { ok: true, main: read.value };
    case 'invalid':
      return { ok: false, findings: read.findings };
    case 'function':
      return { ok: false, findings: [schemaFinding('VAL002', 'main', 'main must be a plain object, not a function')] };
    case 'absent':
      // A file that does not parse exports nothing; its own finding says enough.
      return { ok: false, findings: isRefused && reading.exports.length === 0 ? [] : [noMain(reading.exports)] };
    case 'needs-evaluation':
      if (isRefused && scan === 'enforce') return { ok: false, findings: [] };
      return evaluateMain(source, read);
  }
}

async function evaluateMain(
  source: string,
  { reason, line, column }: { reason: string; line: number; column: number },
): Promise<MainValue> {
  try {
    const main: JsonValue = await evaluateExport(source, 'main');
    return { ok: true, main };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const finding = schemaFinding(
      'VAL006',
      'main',
      `main cannot be read without running code (${reason}), and running it failed: ${message}`,
      {
        hint: 'Write main as literals, constants and templates.',
      },
    );
    return { ok: false, findings: [{ ...finding, line, column }] };
  }
}

function noMain(exports: readonly string[]): Finding {
  const found = exports.length === 0 ? 'it exports nothing' : `it exports ${exports.join(', ')}`;
  return schemaFinding('VAL001', 'main', `the file has no export named main; ${found}`, {
    hint: 'Write export const main = { … }.',
  });
}
