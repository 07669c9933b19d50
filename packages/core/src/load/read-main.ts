import { type Finding, hasNoErrors } from '../format/finding.ts';
import { schemaFinding } from '../format/finding-codes.ts';
import type { JsonValue } from '../format/json.ts';
import { type LegacyModule, readLegacyModule } from '../format/legacy/read-legacy-module.ts';
import { readSchema } from '../format/read-schema.ts';
import type { Schema } from '../format/schema.ts';
import { evaluateExport } from '../handlers/evaluate-export.ts';
import { contentCache } from './content-cache.ts';
import { type HandlersReading, type ModuleReading, readModule } from './read-module.ts';

/** All that the text of a schema module says by itself, without other files. It holds no syntax tree, so it is cheap to keep. */
export interface SchemaReading {
  /** What the syntax and the security scan have to say. */
  scanned: readonly Finding[];
  /** What the rules about `main` have to say, with lines. */
  findings: readonly Finding[];
  /** The value as the file gives it; undefined where it could not be had. Not to be handed out: callers get a copy. */
  main?: unknown;
  schema?: Schema;
  handlers?: HandlersReading;
}

export interface ReadMainOptions {
  file: string;
  /** `report` reads on where the scan refuses. */
  scan: 'enforce' | 'report';
  /** Libraries that handlers may import. */
  allowlist: readonly string[];
}

const cached = contentCache<Promise<SchemaReading>>(5000);

/**
 * Reads and checks `main`. It comes from the syntax tree; one that has to be computed is evaluated behind the wall. Files
 * with the same content are read once, so a finding may name another file of that content; callers set their own.
 */
export function readMain(bytes: Uint8Array, options: ReadMainOptions): Promise<SchemaReading> {
  const { scan, allowlist, file } = options;
  return cached(bytes, `${scan} ${allowlist.join()}`, async () => {
    const reading = readModule(bytes, { file, libraries: allowlist });
    const { findings: scanned, handlers } = reading;
    const mayRun = scan === 'report' || hasNoErrors(scanned);
    const legacy = await readLegacyModule(reading, mayRun ? { evaluate: evaluateExport } : {});
    if (legacy) return fromLegacy(legacy, scanned);
    const parts = { scanned, ...(handlers && { handlers }) };
    const value = await mainValue(reading, scan);
    if (!value.ok) return { ...parts, findings: value.findings };
    const findings: Finding[] = [];
    const schema = readSchema(value.main, (finding) => findings.push({ ...finding, ...reading.locate(finding.path) }));
    return { ...parts, findings, main: value.main, ...(schema && { schema }) };
  });
}

/** A file of format 1 is read as what it would be in format 3. */
function fromLegacy({ main, handlers, findings, locate }: LegacyModule, scanned: readonly Finding[]): SchemaReading {
  const found = [...findings];
  if (main === undefined) return { scanned, findings: found };
  const schema = readSchema(main, (finding) => found.push({ ...finding, ...locate(finding.path) }));
  return { scanned, findings: found, main, ...(schema && { schema }), ...(handlers && { handlers }) };
}

type MainValue = { ok: true; main: unknown } | { ok: false; findings: readonly Finding[] };

async function mainValue(reading: ModuleReading, scan: 'enforce' | 'report'): Promise<MainValue> {
  const isRefused = reading.findings.some(({ severity }) => severity === 'error');
  const read = reading.read('main');
  switch (read.status) {
    case 'read':
      return { ok: true, main: read.value };
    case 'invalid':
      // A module that could not be parsed says so in its own findings.
      return { ok: false, findings: read.findings.filter((finding) => !reading.findings.includes(finding)) };
    case 'function':
      return { ok: false, findings: [schemaFinding('VAL002', 'main', 'main must be a plain object, not a function')] };
    case 'absent':
      return { ok: false, findings: [noMain(reading.exports)] };
    case 'needs-evaluation':
      if (isRefused && scan === 'enforce') return { ok: false, findings: [] };
      return evaluateMain(reading.program('main') ?? '', read);
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
    const why = error instanceof Error ? error.message : String(error);
    const message = `main cannot be read without running code (${reason}), and running it failed: ${why}`;
    const finding = schemaFinding('VAL006', 'main', message, {
      hint: 'Write main as literals, constants and templates.',
    });
    return { ok: false, findings: [{ ...finding, line, column }] };
  }
}

function noMain(exports: readonly string[]): Finding {
  const found = exports.length === 0 ? 'it exports nothing' : `it exports ${exports.join(', ')}`;
  return schemaFinding('VAL001', 'main', `the file has no export named main; ${found}`, {
    hint: 'Write export const main = { … }.',
  });
}
