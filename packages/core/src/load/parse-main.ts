import { analyzeModule, type ModuleAnalysis } from '../module/analyze-module.ts';
import type { ModuleText } from '../module/module-text.ts';
import type { ParsedHandlers } from '../module/parse-handlers.ts';
import { evaluateExport } from '../sandbox/handler-call.ts';
import { type Finding, hasNoErrors } from '../schema/finding.ts';
import { ruleFinding } from '../schema/finding-codes.ts';
import { collectFindings, createFindingList, type FindingList } from '../schema/finding-list.ts';
import { describeExports } from '../schema/main-of.ts';
import { parseSchema, type RequestHook } from '../schema/parse-schema.ts';
import type { Schema } from '../schema/schema.ts';
import { readData } from './exported-data.ts';
import { type LegacyModule, readLegacyModule } from './legacy/read-legacy-module.ts';
import { contentCache } from './read-file.ts';

/** A schema module without other files. It references no syntax tree, so it is cheap to cache. */
export interface ParsedMain {
  exports: readonly string[];
  /** Syntax errors and the findings of the security scan. */
  scanned: readonly Finding[];
  /** The findings of the rules for `main`, with lines. */
  findings: readonly Finding[];
  /** The value in the file; undefined if it could not be read. Callers must get a copy. */
  main?: unknown;
  schema?: Schema;
  handlers?: ParsedHandlers;
}

export interface ParseMainOptions {
  file: string;
  /** `report` continues if the scan rejects the file. */
  scan: 'enforce' | 'report';
  /** Libraries that handlers may import. */
  allowlist: readonly string[];
}

/** What is parsed takes about as much memory as its file, and several times that for many small values. */
const cached = contentCache<Promise<ParsedMain>>({ maxEntries: 5000, maxBytes: 32 * 1024 * 1024 });

/** Parses and checks `main`. Cached by content: a finding may name another file with the same content, so callers set their own. */
export function parseMain(source: ModuleText, options: ParseMainOptions): Promise<ParsedMain> {
  const { scan, allowlist, file } = options;
  return cached(source, `${scan} ${allowlist.join()}`, async () => {
    const reading = analyzeModule(source, { file, libraries: allowlist });
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
    reading.repeatedKeys('main').forEach(list.add);
    const requestHook = requestHooks(handlers);
    const schema = collectFindings(located(list, reading), (report) =>
      parseSchema(main, report, { isData: true, requestHook }),
    );
    return { ...parts, findings: list.toArray(), main, ...(schema && { schema }) };
  });
}

/** Tells what hooks do about requests. Where they are computed, any tool may make its own. */
function requestHooks(handlers: ParsedHandlers | undefined): (toolName: string) => RequestHook | undefined {
  if (handlers === undefined || handlers.kind === 'other' || handlers.fault !== undefined) return () => undefined;
  const { names } = handlers;
  return (name) => {
    if (names === undefined) return 'makes';
    const hooks = Object.hasOwn(names, name) ? names[name] : undefined;
    if (hooks?.includes('executeRequest')) return 'makes';
    return hooks?.includes('preRequest') ? 'changes' : undefined;
  };
}

/** A file of format 1, converted to format 3. */
function fromLegacy(
  { main, handlers, findings, locate }: LegacyModule,
  scanned: readonly Finding[],
): Omit<ParsedMain, 'exports'> {
  const list = createFindingList();
  findings.forEach(list.add);
  if (main === undefined) return { scanned, findings: list.toArray() };
  const schema = collectFindings(located(list, { locate }), (report) => parseSchema(main, report, { isData: true }));
  return { scanned, findings: list.toArray(), main, ...(schema && { schema }), ...(handlers && { handlers }) };
}

/** Adds findings to a list with their lines, which are computed only for findings within the limit. */
function located(list: FindingList, { locate }: Pick<ModuleAnalysis, 'locate'>): Pick<FindingList, 'add'> {
  return { add: (finding) => list.addOf(finding.severity, () => ({ ...finding, ...locate(finding.path) })) };
}

const mainIsFunction: Finding = ruleFinding('VAL002', 'main', 'main must be a plain object, not a function');

function noMain(exports: readonly string[]): Finding {
  const message = `the file has no export named main; ${describeExports(exports)}`;
  const hint = 'Write export const main = { … }.';
  return { ...ruleFinding('VAL001', 'main', message, hint), line: 1, column: 1 };
}
