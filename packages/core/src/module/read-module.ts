import type { AnyNode } from 'acorn';
import type { Finding } from '../schema/finding.ts';
import { createFindingList } from '../schema/finding-list.ts';
import { fetchedOrigins } from './fetched-origins.ts';
import { forbiddenMembers } from './free-names.ts';
import { type FactoryReading, readFactory } from './handler-names.ts';
import { findDoubleKeys, locateKeys, splitPath } from './locate.ts';
import { extractProgram, type ModuleParts } from './module-program.ts';
import { type ExportTarget, initialiserOf, type ModuleSyntax, readExports } from './module-syntax.ts';
import { type ModuleText, offsetLocator, readModuleText, type TextPosition } from './module-text.ts';
import { parseModule, type TextRange } from './parse-module.ts';
import { type ExportReading, readExport } from './read-export.ts';
import { createLiteralReader } from './read-literal.ts';
import { readSyntax, TreeTooDeep } from './read-syntax.ts';
import { type ScanHit, scan } from './scan.ts';
import { scanFinding, scanSeverity } from './scan-rules.ts';
import { isFunction } from './syntax-children.ts';

/** What was read from a module's text. Nothing of the module was run. */
export interface ModuleReading {
  /** sha256 of the file's bytes, in hexadecimal. */
  hash: string;
  /** Exported names in the order of the text: `main`, `handlers`, `schema`, `list`, `skill`, … */
  exports: readonly string[];
  /** Reads an exported value from the syntax tree. The same answer is given each time. */
  read(exportName: string): ExportReading;
  /** What stands twice in an exported value, so that one of the two is lost. */
  doubles(exportName: string): readonly Finding[];
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
  /**
   * Writes a script in strict mode that binds `handlers`. A function and not a getter: V8 keeps the getters of literals, and
   * with them the whole syntax tree, alive until the next full collection.
   */
  source: () => string;
  /** `other` when the text shows that it is no function. */
  kind: 'function' | 'other';
  /** Why the factory cannot return handlers, where the text shows it: a sentence. */
  fault?: string;
  /** What stands where an object of hooks, or a hook, is expected. */
  strays?: FactoryReading['strays'];
  /** Origins that the code names in calls of `fetch`, with their places. */
  fetched?: readonly ({ origin: string } & TextPosition)[];
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
export function readModule(source: ModuleText | Uint8Array | string, options: ReadModuleOptions): ModuleReading {
  const isDecoded = typeof source === 'object' && 'text' in source;
  return readText(isDecoded ? source : readModuleText(source), options);
}

function readText(
  source: ModuleText,
  { file, maxBytes = 2 * 1024 * 1024, libraries = [] }: ReadModuleOptions,
): ModuleReading {
  const { text, byteLength, wellFormed } = source;
  if (byteLength > maxBytes) {
    const message = `the file has ${byteLength} bytes; at most ${maxBytes} are read`;
    return unreadable(source, scanFinding('MOD002', message, { file, line: 1, column: 1 }));
  }
  const position = offsetLocator(text);
  const understood = understand(text);
  if (!understood.ok) {
    return unreadable(source, scanFinding('MOD001', understood.message, { file, ...position(understood.offset) }));
  }
  const { syntax, comments } = understood;
  const { hits, libraryImports } = scan(syntax, new Set(libraries));
  const parts = { text, syntax, comments, libraryImports, reader: createLiteralReader(syntax) };
  const targets = readExports(syntax.program);
  const { handlers, hits: handlerHits } = readHandlers(parts, targets, position);
  const list = createFindingList();
  if (!wellFormed) list.add(scanFinding('MOD003', 'the file is not valid UTF-8', { file, line: 1, column: 1 }));
  for (const hit of [...hits, ...handlerHits]) {
    list.addOf(scanSeverity(hit.code), () =>
      scanFinding(hit.code, hit.message, {
        file,
        path: exportAt(hit.offset, targets, syntax),
        ...position(hit.offset),
      }),
    );
  }
  const findings = list.toArray();
  const context = { ...parts, file, position };
  const readings = new Map<string, ExportReading>();
  function read(exportName: string): ExportReading {
    const target = targets.get(exportName);
    if (target === undefined) return { status: 'absent' };
    const reading = readings.get(exportName) ?? readExport(exportName, target, context);
    readings.set(exportName, reading);
    return reading;
  }
  return {
    hash: source.hash,
    exports: [...targets.keys()],
    findings,
    ...(handlers && { handlers }),
    read,
    doubles(exportName) {
      const target = targets.get(exportName);
      // The literal reader has seen every key of a value that it could read.
      const hasNone = read(exportName).status === 'read' && !parts.reader.hasRepeatedKeys();
      return target === undefined || hasNone ? [] : findDoubleKeys(target.node, exportName, { syntax, position });
    },
    program(exportName) {
      const target = targets.get(exportName);
      if (target === undefined) return undefined;
      return extractProgram(parts, exportName, target).source();
    },
    locate(path) {
      const [exportName = '', ...keys] = splitPath(path);
      const target = targets.get(exportName);
      return target && position(locateKeys(syntax, target, keys));
    },
  };
}

type Understood =
  | { ok: true; syntax: ModuleSyntax; comments: readonly TextRange[] }
  | { ok: false; message: string; offset: number };

function understand(text: string): Understood {
  const parsed = parseModule(text);
  if (parsed.status === 'failed') return { ok: false, message: parsed.message, offset: parsed.offset };
  try {
    return { ok: true, syntax: readSyntax(parsed.program, forbiddenMembers), comments: parsed.comments };
  } catch (error) {
    if (error instanceof TreeTooDeep) return { ok: false, message: error.message, offset: error.offset };
    return { ok: false, message: 'Nested too deeply to be read', offset: 0 };
  }
}

function readHandlers(
  parts: ModuleParts,
  targets: ReadonlyMap<string, ExportTarget>,
  position: (offset: number) => TextPosition,
): { handlers?: HandlersReading; hits: readonly ScanHit[] } {
  const { syntax } = parts;
  const fallback = targets.get('default');
  const isFactory = fallback && isFunction(definitionOf(fallback, syntax));
  const target = targets.get('handlers') ?? (isFactory ? fallback : undefined);
  if (target === undefined || target.kind === 'foreign') return { hits: [] };
  const definition = definitionOf(target, syntax);
  const { source, hits } = extractProgram(parts, 'handlers', target);
  const kind = definition !== undefined && isNoFunction(definition) ? 'other' : 'function';
  const factory = isFunction(definition) ? readFactory(definition, syntax) : undefined;
  const fetched = fetchedOrigins(syntax).map(({ origin, offset }) => ({ origin, ...position(offset) }));
  return { handlers: { kind, fetched, source, ...factory }, hits };
}

/** The export in whose definition an offset lies; empty where it is in none. */
function exportAt(offset: number, targets: ReadonlyMap<string, ExportTarget>, syntax: ModuleSyntax): string {
  for (const [name, target] of targets) {
    const definition = target.kind === 'foreign' ? undefined : definitionOf(target, syntax);
    if (definition !== undefined && definition.start <= offset && offset < definition.end) return name;
  }
  return '';
}

/** What an export is defined by: a function, an object or another expression. */
function definitionOf(target: ExportTarget, { moduleScope }: ModuleSyntax): AnyNode | undefined {
  let node: AnyNode | undefined = target.node;
  for (let steps = 0; steps < 20 && node?.type === 'Identifier'; steps += 1) {
    node = initialiserOf(node.name, moduleScope);
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

function unreadable(source: ModuleText, finding: Finding): ModuleReading {
  return {
    hash: source.hash,
    exports: [],
    findings: [finding],
    read: () => ({ status: 'invalid', findings: [finding] }),
    doubles: () => [],
    program: () => undefined,
    locate: () => undefined,
  };
}
