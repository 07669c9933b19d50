import type { ModuleAnalysis } from '../../module/analyze-module.ts';
import type { TextPosition } from '../../module/module-text.ts';
import type { ParsedHandlers } from '../../module/parse-handlers.ts';
import { parseModule } from '../../module/parse-module.ts';
import { readTarget } from '../../module/read-export.ts';
import { createLiteralReader, type JsonLike, type LiteralValue, NotData, setOwn } from '../../module/read-literal.ts';
import { readSyntax } from '../../module/read-syntax.ts';
import { isFunction } from '../../module/syntax-children.ts';
import { type Finding, messageOf, type Report } from '../../schema/finding.ts';
import { ruleFinding } from '../../schema/finding-codes.ts';
import { findNotPlain, type JsonObject, type JsonValue } from '../../schema/json.ts';
import { adaptMain, detectLegacy } from '../../schema/legacy/adapt-legacy.ts';
import { dataScript, functionMark, handlerScript, plannedHookNames } from '../../schema/legacy/legacy-handlers.ts';

/** A file of format 1, converted to format 3. */
export interface LegacyModule {
  /** Undefined if it could not be read. */
  main?: JsonObject;
  /** The handlers as a factory for the sandbox, with the hooks of format 3. */
  handlers?: ParsedHandlers;
  /** With lines, without those of the security scan. */
  findings: Finding[];
  /** Position in the file of a path in `main`. */
  locate(path: string): TextPosition | undefined;
}

type LegacySource = Pick<ModuleAnalysis, 'exports' | 'findings' | 'locate' | 'program'>;

/** Runs a script in the sandbox and returns the data that it binds to a name. */
export type EvaluateScript = (source: string, exportName: string) => Promise<JsonValue>;

/**
 * Converts a file of format 1, `export const schema = { …, routes, handlers }` (docs/legacy.md). Nothing of it runs in this
 * process. Imports are rejected as in format 3; a finding says how to replace them.
 *
 * @param evaluate - Called if the schema is computed. Without it, such a file cannot be read.
 * @returns undefined for a file of another format.
 */
export async function readLegacyModule(
  reading: LegacySource,
  { evaluate }: { evaluate?: EvaluateScript } = {},
): Promise<LegacyModule | undefined> {
  if (reading.exports.includes('main') || !reading.exports.includes('schema')) return undefined;
  const program = reading.program('schema') ?? '';
  const read = await readData(program, evaluate);
  if (read.status === 'read') return isLegacy(read.data) ? convert(reading, program, read.data) : undefined;
  const { findings, report } = collectFindings(reading);
  if (read.problem !== undefined) report(read.problem);
  return { findings, locate: reading.locate };
}

function convert(reading: LegacySource, program: string, data: JsonObject): LegacyModule {
  const { findings, report } = collectFindings(reading);
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

type DataResult = { status: 'read'; data: unknown } | { status: 'unreadable'; problem?: Finding };

async function readData(program: string, evaluate: EvaluateScript | undefined): Promise<DataResult> {
  const read = readLegacyData(program);
  if (read.status === 'read') return { status: 'read', data: read.value };
  if (read.status === 'invalid') {
    const message = `schema must be plain data apart from its handlers: ${read.reason}`;
    return { status: 'unreadable', problem: ruleFinding('LEG007', 'schema', message) };
  }
  if (evaluate === undefined) return { status: 'unreadable' };
  try {
    return { status: 'read', data: await evaluate(dataScript(program), 'legacyData') };
  } catch (error) {
    const message = `schema cannot be read without running code (${read.reason}), and running it failed: ${messageOf(error)}`;
    const hint = 'Write it as literals, constants and templates.';
    return { status: 'unreadable', problem: ruleFinding('LEG007', 'schema', message, hint) };
  }
}

function isLegacy(schema: unknown): schema is JsonObject {
  return detectLegacy({ module: { schema } }).isLegacy;
}

/** A report that adds lines to findings about the file. */
function collectFindings({ findings: scanned, locate }: LegacySource): { findings: Finding[]; report: Report } {
  const findings = importFindings(scanned);
  return { findings, report: (finding) => void findings.push({ ...finding, ...locate(finding.path) }) };
}

/** Explains once, at the first import, how format 3 replaces imports. */
function importFindings(scanned: readonly Finding[]): Finding[] {
  const first = scanned.find(({ code }) => code === 'SEC001');
  if (first === undefined) return [];
  const finding = ruleFinding(
    'LEG008',
    'schema',
    'a file of format 1 with imports cannot be converted automatically',
    'Move it to format 3: imported values become a shared list (main.sharedLists), imported libraries stand in ' +
      'main.requiredLibraries, and handlers are given both: ({ sharedLists, libraries }) => ({ … }).',
  );
  return [{ ...first, ...finding }];
}

/** The path in the original schema of a path in `main`. */
function legacyPath(path: string, toolsKey: string): string {
  return path
    .replace(/^main\b/, 'schema')
    .replace(/^schema\.tools\b/, `schema.${toolsKey}`)
    .replace(/^(schema\.\w+(?:\.[\w$]+|\["(?:[^"\\]|\\.)*"\]))\.(method|path)$/, (_, route: string, key: string) =>
      key === 'path' ? `${route}.route` : `${route}.requestMethod`,
    );
}

export type LegacyDataResult =
  | { status: 'read'; value: JsonLike }
  | { status: 'needs-evaluation'; reason: string }
  | { status: 'invalid'; reason: string };

/** Reads the data of a format 1 schema from a script that binds `schema`. Functions become `functionMark`. */
export function readLegacyData(script: string): LegacyDataResult {
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
  if (refused !== undefined) return { status: 'invalid', reason: `it contains ${refused.what}` };
  return { status: 'read', value: value as JsonLike };
}

/** Replaces functions by marks and drops other values that are not data. Shared parts stay shared. */
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
