import type { TextPosition } from '../../module/module-text.ts';
import { parseModule } from '../../module/parse-module.ts';
import { readTarget } from '../../module/read-export.ts';
import { createLiteralReader, type JsonLike, type LiteralValue, NotData, setOwn } from '../../module/read-literal.ts';
import type { HandlersReading, ModuleReading } from '../../module/read-module.ts';
import { readSyntax } from '../../module/read-syntax.ts';
import { isFunction } from '../../module/syntax-children.ts';
import type { Finding, Report } from '../../schema/finding.ts';
import { ruleFinding } from '../../schema/finding-codes.ts';
import { findNotPlain, type JsonObject, type JsonValue } from '../../schema/json.ts';
import { adaptMain } from '../../schema/legacy/adapt-legacy.ts';
import { detectLegacy } from '../../schema/legacy/detect-legacy.ts';
import { dataScript, functionMark, handlerScript, plannedHookNames } from '../../schema/legacy/legacy-handlers.ts';

/** A file of format 1 in the words of format 3. */
export interface LegacyModule {
  /** Undefined where it could not be read. */
  main?: JsonObject;
  /** The handlers of the file as a factory in the sandbox, in the hook protocol of format 3. */
  handlers?: HandlersReading;
  /** With lines. Beside those of the security scan. */
  findings: Finding[];
  /** Place in the file of a path in `main`. */
  locate(path: string): TextPosition | undefined;
}

type LegacyReading = Pick<ModuleReading, 'exports' | 'findings' | 'locate' | 'program'>;

/** Runs a script in the sandbox and gives what it binds to a name, as data. */
export type EvaluateScript = (source: string, exportName: string) => Promise<JsonValue>;

/**
 * Reads a file of format 1, `export const schema = { …, routes, handlers }`. Its data come from the text, as `main` does in
 * format 3, and its handlers become a program for the sandbox; nothing of it runs in this process. Imports stay refused by the
 * security scan; a finding says how to do without them.
 *
 * @param evaluate - Asked where the text alone does not say what the schema is. Left out, such a file cannot be read.
 * @returns undefined where the file is of another format.
 */
export async function readLegacyModule(
  reading: LegacyReading,
  { evaluate }: { evaluate?: EvaluateScript } = {},
): Promise<LegacyModule | undefined> {
  if (reading.exports.includes('main') || !reading.exports.includes('schema')) return undefined;
  const program = reading.program('schema') ?? '';
  const read = await readData(program, evaluate);
  if (read.status === 'read') return isLegacy(read.data) ? convert(reading, program, read.data) : undefined;
  const { findings, report } = openFindings(reading);
  if (read.problem !== undefined) report(read.problem);
  return { findings, locate: reading.locate };
}

function convert(reading: LegacyReading, program: string, data: JsonObject): LegacyModule {
  const { findings, report } = openFindings(reading);
  const { main, plans, toolsKey } = adaptMain(data, report);
  const handlers = {
    source: () => handlerScript(program, plans),
    names: plannedHookNames(plans),
    kind: 'function',
  } as const;
  return {
    main,
    ...(plans.length > 0 && { handlers }),
    findings,
    locate: (path) => reading.locate(legacyPath(path, toolsKey)),
  };
}

type DataReading = { status: 'read'; data: unknown } | { status: 'unreadable'; problem?: Finding };

async function readData(program: string, evaluate: EvaluateScript | undefined): Promise<DataReading> {
  const read = readLegacyData(program);
  if (read.status === 'read') return { status: 'read', data: read.value };
  if (read.status === 'invalid') {
    const message = `schema must be plain data beside its handlers: ${read.reason}`;
    return { status: 'unreadable', problem: ruleFinding('LEG007', 'schema', message) };
  }
  if (evaluate === undefined) return { status: 'unreadable' };
  try {
    return { status: 'read', data: await evaluate(dataScript(program), 'legacyData') };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `schema cannot be read without running code (${read.reason}), and running it failed: ${why}`;
    const hint = 'Write it as literals, constants and templates.';
    return { status: 'unreadable', problem: ruleFinding('LEG007', 'schema', message, hint) };
  }
}

function isLegacy(schema: unknown): schema is JsonObject {
  return detectLegacy({ module: { schema } }).isLegacy;
}

/** Findings about the file, each with its place. */
function openFindings({ findings: scanned, locate }: LegacyReading): { findings: Finding[]; report: Report } {
  const findings = importFindings(scanned);
  return { findings, report: (finding) => void findings.push({ ...finding, ...locate(finding.path) }) };
}

/** Says once, where the file imports something first, what becomes of imports in format 3. */
function importFindings(scanned: readonly Finding[]): Finding[] {
  const first = scanned.find(({ code }) => code === 'SEC001');
  if (first === undefined) return [];
  const finding = ruleFinding(
    'LEG008',
    'schema',
    'a file of format 1 that imports cannot be converted by itself',
    'Move it to format 3: imported values become a shared list (main.sharedLists), imported libraries stand in ' +
      'main.requiredLibraries, and handlers are given both: ({ sharedLists, libraries }) => ({ … }).',
  );
  return [{ ...first, ...finding }];
}

/** Where the part of `main` at a path stands in the schema that it was made from. */
function legacyPath(path: string, toolsKey: string): string {
  return path
    .replace(/^main\b/, 'schema')
    .replace(/^schema\.tools\b/, `schema.${toolsKey}`)
    .replace(/^(schema\.\w+(?:\.[\w$]+|\["(?:[^"\\]|\\.)*"\]))\.(method|path)$/, (_, route: string, key: string) =>
      key === 'path' ? `${route}.route` : `${route}.requestMethod`,
    );
}

/** What the text of a format 1 schema says without being run. */
export type LegacyDataReading =
  | { status: 'read'; value: JsonLike }
  /** Only running it can tell. */
  | { status: 'needs-evaluation'; reason: string }
  | { status: 'invalid'; reason: string };

/**
 * Reads the data of a format 1 schema from the script that binds it, with `functionMark` where functions stand.
 *
 * @param script - Binds `schema` at its top level.
 */
export function readLegacyData(script: string): LegacyDataReading {
  const parsed = parseModule(script);
  if (parsed.status === 'failed') return { status: 'invalid', reason: parsed.message };
  const syntax = readSyntax(parsed.program, new Set());
  if (!syntax.moduleScope.bindings?.has('schema')) {
    return { status: 'needs-evaluation', reason: 'schema comes from another module' };
  }
  const target = { kind: 'name', local: 'schema', node: parsed.program } as const;
  const read = readTarget('schema', target, { syntax, reader: createLiteralReader(syntax) });
  if (!read.ok) return { status: 'needs-evaluation', reason: read.reason };
  const value = withMarks(read.value, new Map());
  const refused = findNotPlain(value);
  if (refused !== undefined) return { status: 'invalid', reason: `it holds ${refused.what}` };
  return { status: 'read', value: value as JsonLike };
}

/** Puts marks for functions, and leaves out what is neither a function nor data. Shared parts stay shared. */
function withMarks(value: LiteralValue, known: Map<object, LiteralValue>): LiteralValue {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof NotData) return isFunction(value.node) ? functionMark : undefined;
  const earlier = known.get(value);
  if (earlier !== undefined) return earlier;
  const marked: LiteralValue = Array.isArray(value) ? value.map((item) => withMarks(item, known)) : {};
  known.set(value, marked);
  if (!Array.isArray(value)) {
    for (const [key, part] of Object.entries(value)) {
      const data = withMarks(part, known);
      if (data !== undefined) setOwn(marked as Record<string, unknown>, key, data);
    }
  }
  return marked;
}
