import type { ModuleText } from '../module/module-text.ts';
import { type HandlersReading, type ModuleReading, readModule } from '../module/read-module.ts';
import { evaluateExport } from '../sandbox/handler-call.ts';
import { type Finding, hasNoErrors } from '../schema/finding.ts';
import { ruleFinding } from '../schema/finding-codes.ts';
import { collectFindings, createFindingList, type FindingList } from '../schema/finding-list.ts';
import { describeExports } from '../schema/main-of.ts';
import { parseSchema } from '../schema/parse-schema.ts';
import type { Schema } from '../schema/schema.ts';
import { readData } from './exported-data.ts';
import { type LegacyModule, readLegacyModule } from './legacy/read-legacy-module.ts';
import { contentCache } from './read-file.ts';

/** All that the text of a schema module says by itself, without other files. It holds no syntax tree, so it is cheap to keep. */
export interface SchemaReading {
  exports: readonly string[];
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
 * Reads and checks `main`. It comes from the syntax tree; one that has to be computed is evaluated in the sandbox. Files
 * with the same content are read once, so a finding may name another file of that content; callers set their own.
 */
export function readMain(source: ModuleText, options: ReadMainOptions): Promise<SchemaReading> {
  const { scan, allowlist, file } = options;
  return cached(source.hash, `${scan} ${allowlist.join()}`, async () => {
    const reading = readModule(source, { file, libraries: allowlist });
    const { findings: scanned, handlers } = reading;
    const mayRun = scan === 'report' || hasNoErrors(scanned);
    const legacy = await readLegacyModule(reading, mayRun ? { evaluate: evaluateExport } : {});
    const { exports } = reading;
    if (legacy) return { ...fromLegacy(legacy, scanned), exports };
    const parts = { exports, scanned, ...(handlers && { handlers }) };
    if (reading.read('main').status === 'function') return { ...parts, findings: [mainIsFunction] };
    const data = await readData(reading, 'main', { scan });
    if (data.status === 'absent') return { ...parts, findings: [noMain(exports)] };
    if (data.status === 'failed') return { ...parts, findings: data.findings };
    const main = data.value;
    const list = createFindingList();
    reading.doubles('main').forEach(list.add);
    const makesOwnRequest = ownRequests(handlers);
    const schema = collectFindings(located(list, reading), (report) =>
      parseSchema(main, report, { isData: true, makesOwnRequest }),
    );
    return { ...parts, findings: list.toArray(), main, ...(schema && { schema }) };
  });
}

/** Tells which tools need no root. Where only calling the factory shows its hooks, any may. */
function ownRequests(handlers: HandlersReading | undefined): (toolName: string) => boolean {
  if (handlers === undefined || handlers.kind === 'other' || handlers.fault !== undefined) return () => false;
  const { names } = handlers;
  return (name) =>
    names === undefined || (Object.hasOwn(names, name) && names[name]?.includes('executeRequest') === true);
}

/** A file of format 1 is read as what it would be in format 3. */
function fromLegacy(
  { main, handlers, findings, locate }: LegacyModule,
  scanned: readonly Finding[],
): Omit<SchemaReading, 'exports'> {
  const list = createFindingList();
  findings.forEach(list.add);
  if (main === undefined) return { scanned, findings: list.toArray() };
  const schema = collectFindings(located(list, { locate }), (report) => parseSchema(main, report, { isData: true }));
  return { scanned, findings: list.toArray(), main, ...(schema && { schema }), ...(handlers && { handlers }) };
}

/** Puts findings on a list with their lines, which are looked up only for those that are kept. */
function located(list: FindingList, { locate }: Pick<ModuleReading, 'locate'>): Pick<FindingList, 'add'> {
  return { add: (finding) => list.addOf(finding.severity, () => ({ ...finding, ...locate(finding.path) })) };
}

const mainIsFunction: Finding = ruleFinding('VAL002', 'main', 'main must be a plain object, not a function');

function noMain(exports: readonly string[]): Finding {
  const message = `the file has no export named main; ${describeExports(exports)}`;
  const hint = 'Write export const main = { … }.';
  return { ...ruleFinding('VAL001', 'main', message, { hint }), line: 1, column: 1 };
}
