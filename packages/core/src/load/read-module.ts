import type { AnyNode } from 'acorn';
import type { Finding } from '../format/finding.ts';
import { createFolder } from './fold.ts';
import { forbiddenMembers } from './free-names.ts';
import { readHandlerNames } from './handler-names.ts';
import { nodeLocator, splitPath } from './locate.ts';
import { type ExportTarget, readExports } from './module-exports.ts';
import { extractProgram, type ModuleParts } from './module-program.ts';
import type { ModuleSyntax } from './module-syntax.ts';
import { readModuleText } from './module-text.ts';
import { parseModule } from './parse-module.ts';
import { type ExportReading, type ReadExportOptions, readExport } from './read-export.ts';
import { readSyntax, TreeTooDeep } from './read-syntax.ts';
import { type ScanHit, scan } from './scan.ts';
import { scanFinding } from './scan-rules.ts';
import { isFunction } from './syntax-children.ts';
import { offsetLocator, type TextPosition } from './text-position.ts';

/** What was read from a module's text. Nothing of the module was run. */
export interface ModuleReading {
  /** sha256 of the file's bytes, in hexadecimal. */
  hash: string;
  /** Exported names in the order of the text: `main`, `handlers`, `schema`, `list`, `skill`, … */
  exports: readonly string[];
  /** Reads an exported value from the syntax tree. The same answer is given each time. */
  read(exportName: string, options?: ReadExportOptions): ExportReading;
  /** What is wrong with the syntax, and what the security scan found. */
  findings: readonly Finding[];
  /** The `handlers` export; a function that is exported as default counts where there is no export of that name. */
  handlers?: HandlersReading;
  /**
   * An export as a script that binds it at its top level, with all of the module that it reaches and nothing else.
   * Undefined where there is no such export.
   */
  program(exportName: string): string | undefined;
  /** Place of a document path such as `main.tools.getX.parameters[0].z`, or of its nearest parent that stands in the text. */
  locate(path: string): TextPosition | undefined;
}

export interface HandlersReading {
  /** Tool names to hook names. Absent where only calling the factory can tell. */
  names?: Readonly<Record<string, readonly string[]>>;
  /** A script in strict mode that binds `handlers`. */
  source: string;
  /** `other` when the text shows that it is no function. */
  kind: 'function' | 'other';
}

export interface ReadModuleOptions {
  /** Named in findings. */
  file: string;
  /** Larger files get a finding and are not parsed. Default 2 MiB. */
  maxBytes?: number;
  /** Names that handlers may pass to `import()`, besides harmless built-in modules. Default none. */
  libraries?: readonly string[];
}

/** Reads a module without running it. Never throws, whatever the bytes are. */
export function readModule(
  bytes: Uint8Array | string,
  { file, maxBytes = 2 * 1024 * 1024, libraries = [] }: ReadModuleOptions,
): ModuleReading {
  const { hash, text, byteLength, wellFormed } = readModuleText(bytes);
  if (byteLength > maxBytes) {
    const message = `the file has ${byteLength} bytes; at most ${maxBytes} are read`;
    return unreadable(hash, scanFinding('MOD002', message, { file, line: 1, column: 1 }));
  }
  const position = offsetLocator(text);
  const parsed = parseModule(text);
  if (parsed.status === 'failed') {
    return unreadable(hash, scanFinding('MOD001', parsed.message, { file, ...position(parsed.offset) }));
  }
  let syntax: ModuleSyntax;
  try {
    syntax = readSyntax(parsed.program, forbiddenMembers);
  } catch (error) {
    const offset = error instanceof TreeTooDeep ? error.offset : 0;
    const message = error instanceof TreeTooDeep ? error.message : 'Nested too deeply to be read';
    return unreadable(hash, scanFinding('MOD001', message, { file, ...position(offset) }));
  }
  const { hits, libraryImports } = scan(syntax, new Set(libraries));
  const parts = { text, syntax, comments: parsed.comments, libraryImports };
  const targets = readExports(parsed.program);
  const { handlers, hits: handlerHits } = readHandlers(parts, targets);
  const findings = [...hits, ...handlerHits].map((hit) =>
    scanFinding(hit.code, hit.message, { file, ...position(hit.offset) }),
  );
  if (!wellFormed) findings.unshift(scanFinding('MOD003', 'the file is not valid UTF-8', { file, line: 1, column: 1 }));
  const folder = createFolder(syntax);
  const locateNode = nodeLocator(syntax);
  const readings = new Map<string, ExportReading>();
  return {
    hash,
    exports: [...targets.keys()],
    findings,
    ...(handlers && { handlers }),
    read(exportName, { without = [] } = {}) {
      const key = JSON.stringify([exportName, ...without]);
      const known = readings.get(key);
      if (known !== undefined) return known;
      const target = targets.get(exportName);
      const reading = target
        ? readExport(exportName, target, { syntax, folder, file, position, without })
        : ({ status: 'absent' } as const);
      readings.set(key, reading);
      return reading;
    },
    program(exportName) {
      const target = targets.get(exportName);
      return target && extractProgram(parts, target, exportName).source;
    },
    locate(path) {
      const [exportName = '', ...keys] = splitPath(path);
      const target = targets.get(exportName);
      return target && position(locateNode(target, keys).start);
    },
  };
}

function readHandlers(
  parts: ModuleParts,
  targets: ReadonlyMap<string, ExportTarget>,
): { handlers?: HandlersReading; hits: readonly ScanHit[] } {
  const { syntax } = parts;
  const fallback = targets.get('default');
  const isFactory = fallback && isFunction(definitionOf(fallback, syntax));
  const target = targets.get('handlers') ?? (isFactory ? fallback : undefined);
  if (target === undefined || target.kind === 'foreign') return { hits: [] };
  const definition = definitionOf(target, syntax);
  const { source, hits } = extractProgram(parts, target, 'handlers');
  const kind = definition !== undefined && isNoFunction(definition) ? 'other' : 'function';
  const names = isFunction(definition) ? readHandlerNames(definition, syntax) : undefined;
  return { handlers: { source, kind, ...(names && { names }) }, hits };
}

/** What an export is defined by: a function, an object or another expression. */
function definitionOf(target: ExportTarget, { moduleScope }: ModuleSyntax): AnyNode | undefined {
  let node: AnyNode | undefined = target.node;
  for (let steps = 0; steps < 20 && node?.type === 'Identifier'; steps += 1) {
    const declaration: AnyNode | undefined = moduleScope.bindings?.get(node.name)?.declaration;
    if (declaration?.type !== 'VariableDeclarator') return declaration;
    if (declaration.id.type !== 'Identifier') return undefined;
    node = declaration.init ?? undefined;
  }
  return node;
}

function isNoFunction({ type }: AnyNode): boolean {
  return [
    'ArrayExpression',
    'ClassDeclaration',
    'ClassExpression',
    'Literal',
    'NewExpression',
    'ObjectExpression',
    'TemplateLiteral',
  ].includes(type);
}

function unreadable(hash: string, finding: Finding): ModuleReading {
  return {
    hash,
    exports: [],
    findings: [finding],
    read: () => ({ status: 'invalid', findings: [finding] }),
    program: () => undefined,
    locate: () => undefined,
  };
}
