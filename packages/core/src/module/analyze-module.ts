import type { Finding } from '../schema/finding.ts';
import { createFindingList } from '../schema/finding-list.ts';
import { findRepeatedKeys, locateKeys, splitPath } from './locate.ts';
import { extractProgram } from './module-program.ts';
import { type ExportTarget, type ModuleSyntax, readExports } from './module-syntax.ts';
import { type ModuleText, offsetLocator, readModuleText, type TextPosition } from './module-text.ts';
import { definitionOf, type ParsedHandlers, parseHandlers } from './parse-handlers.ts';
import { parseModule, type TextRange } from './parse-module.ts';
import { type ExportResult, readExport } from './read-export.ts';
import { createLiteralReader } from './read-literal.ts';
import { readSyntax, TreeTooDeep } from './read-syntax.ts';
import { forbiddenMembers, scan } from './scan.ts';
import { scanFinding, scanSeverity } from './scan-rules.ts';

/** What the text of a module says. Nothing of the module was run. */
export interface ModuleAnalysis {
  /** Exported names in the order of the text: `main`, `handlers`, `schema`, `list`, `skill`, … */
  exports: readonly string[];
  /** Reads an exported value from the syntax tree. Results are cached. */
  read(exportName: string): ExportResult;
  /** Warnings for keys that an exported value has twice, so that the first one is lost. */
  repeatedKeys(exportName: string): readonly Finding[];
  /** Syntax errors and the findings of the security scan. */
  findings: readonly Finding[];
  /** The `handlers` export, or else a function that is exported as default. */
  handlers?: ParsedHandlers;
  /** An export as a script that binds it, with only the code that it reaches. Undefined without such an export. */
  program(exportName: string): string | undefined;
  /** Position of a document path such as `main.tools.getX.parameters[0].z`, or of its nearest parent in the text. */
  locate(path: string): TextPosition | undefined;
}

export interface AnalyzeModuleOptions {
  /** Named in findings. */
  file: string;
  /** Larger files get a finding and are not parsed. Default 2 MiB. */
  maxBytes?: number;
  /** Names that handlers may pass to `import()`, besides harmless built-in modules. Default none. */
  libraries?: readonly string[];
}

/** Parses and scans a module without running it. Never throws, whatever the bytes are. */
export function analyzeModule(
  source: ModuleText | Uint8Array | string,
  { file, maxBytes = 2 * 1024 * 1024, libraries = [] }: AnalyzeModuleOptions,
): ModuleAnalysis {
  const isDecoded = typeof source === 'object' && 'text' in source;
  const { text, byteLength, wellFormed } = isDecoded ? source : readModuleText(source);
  if (byteLength > maxBytes) {
    const message = `the file has ${byteLength} bytes; at most ${maxBytes} are read`;
    return unreadable(scanFinding('MOD002', message, { file, line: 1, column: 1 }));
  }
  const position = offsetLocator(text);
  const parsed = parseSyntax(text);
  if (!parsed.ok) return unreadable(scanFinding('MOD001', parsed.message, { file, ...position(parsed.offset) }));
  const { syntax, comments } = parsed;
  const { hits, libraryImports } = scan(syntax, new Set(libraries));
  const parts = { text, syntax, comments, libraryImports, reader: createLiteralReader(syntax) };
  const targets = readExports(syntax.program);
  const { handlers, hits: handlerHits } = parseHandlers(parts, targets, position);
  const list = createFindingList();
  if (!wellFormed) list.add(scanFinding('MOD003', 'the file is not valid UTF-8', { file, line: 1, column: 1 }));
  for (const { code, message, offset } of [...hits, ...handlerHits]) {
    list.addOf(scanSeverity(code), () => {
      const path = exportAt(offset, targets, syntax);
      return scanFinding(code, message, { file, path, ...position(offset) });
    });
  }
  const findings = list.toArray();
  const context = { ...parts, file, position };
  const results = new Map<string, ExportResult>();
  function read(exportName: string): ExportResult {
    const target = targets.get(exportName);
    if (target === undefined) return { status: 'absent' };
    const result = results.get(exportName) ?? readExport(exportName, target, context);
    results.set(exportName, result);
    return result;
  }
  return {
    exports: [...targets.keys()],
    findings,
    ...(handlers && { handlers }),
    read,
    repeatedKeys(exportName) {
      const target = targets.get(exportName);
      // The literal reader has seen every key of a value that it could read.
      const hasNone = read(exportName).status === 'read' && !parts.reader.hasRepeatedKeys();
      return target === undefined || hasNone ? [] : findRepeatedKeys(target.node, exportName, { syntax, position });
    },
    program(exportName) {
      const target = targets.get(exportName);
      return target && extractProgram(parts, exportName, target).source();
    },
    locate(path) {
      const [exportName = '', ...keys] = splitPath(path);
      const target = targets.get(exportName);
      return target && position(locateKeys(syntax, target, keys));
    },
  };
}

type ParsedSyntax =
  | { ok: true; syntax: ModuleSyntax; comments: readonly TextRange[] }
  | { ok: false; message: string; offset: number };

function parseSyntax(text: string): ParsedSyntax {
  const parsed = parseModule(text);
  if (parsed.status === 'failed') return { ok: false, message: parsed.message, offset: parsed.offset };
  try {
    return { ok: true, syntax: readSyntax(parsed.program, forbiddenMembers), comments: parsed.comments };
  } catch (error) {
    if (error instanceof TreeTooDeep) return { ok: false, message: error.message, offset: error.offset };
    return { ok: false, message: 'Nested too deeply to be read', offset: 0 };
  }
}

/** The export whose definition contains an offset; empty if there is none. */
function exportAt(offset: number, targets: ReadonlyMap<string, ExportTarget>, syntax: ModuleSyntax): string {
  for (const [name, target] of targets) {
    const definition = target.kind === 'foreign' ? undefined : definitionOf(target, syntax);
    if (definition !== undefined && definition.start <= offset && offset < definition.end) return name;
  }
  return '';
}

function unreadable(finding: Finding): ModuleAnalysis {
  return {
    exports: [],
    findings: [finding],
    read: () => ({ status: 'invalid', findings: [finding] }),
    repeatedKeys: () => [],
    program: () => undefined,
    locate: () => undefined,
  };
}
