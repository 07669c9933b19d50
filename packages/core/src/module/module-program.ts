import type { AnyNode } from 'acorn';
import { escapeRefusedText, mayBeRefused } from './escape-refused-text.ts';
import { keptStatements } from './kept-statements.ts';
import type { ExportTarget, ModuleSyntax } from './module-syntax.ts';
import { applyEdits, blank, type TextEdit } from './module-text.ts';
import type { TextRange } from './parse-module.ts';
import type { LiteralReader } from './read-literal.ts';
import type { LibraryImport, ScanHit } from './scan.ts';

/** A part of a module as a script of its own. */
export interface ModuleProgram {
  /**
   * Writes a script in strict mode that binds the export at its top level. Lines stand where they stand in the module; what the
   * export does not need, and all comments, are spaces.
   */
  source: () => string;
  /** What may not work there. */
  hits: readonly ScanHit[];
}

export interface ModuleParts {
  text: string;
  syntax: ModuleSyntax;
  reader: LiteralReader;
  comments: readonly TextRange[];
  libraryImports: readonly LibraryImport[];
}

/**
 * Takes an export, and all of the module that it reaches, out of the module.
 *
 * @param name - The name under which the script binds it.
 */
export function extractProgram(parts: ModuleParts, name: string, target: ExportTarget): ModuleProgram {
  const { text, syntax, comments, libraryImports, reader } = parts;
  const kept = keptStatements(syntax, target, reader);
  const local = target.kind === 'name' ? target.local : unusedName(syntax, name);
  const { ranges, edits } = cutStatements(syntax, kept, { target, local });
  const imports = libraryImports.filter(({ statement }) => kept.has(statement));
  const blanks = [...comments, ...ranges];
  const refused = mayBeRefused(text) ? escapeRefusedText(blank(text, blanks), syntax.program) : { edits: [], left: [] };
  const isTaken = syntax.moduleScope.bindings?.has(name) === true;
  const changes = [...edits, ...imports.map((found) => importEdit(found, text)), ...refused.edits];
  const awaits = syntax.topLevelAwaits.filter(({ statement }) => kept.has(statement));
  const hits = [
    ...awaits.map(({ node }) => hit('SEC024', 'await outside of functions is not allowed', node)),
    // Where the scan has its own word on what stands here, one is enough.
    ...refused.left.flatMap(({ node, message }) => (isScanned(node) ? [] : [hit('SEC023', message, node)])),
  ];
  return { source: writer({ text, blanks, changes, names: { local, name, isTaken } }), hits };
}

interface Writing {
  text: string;
  blanks: readonly TextRange[];
  changes: readonly TextEdit[];
  names: BoundNames;
}

/** Most handlers never run. A function of its own, so that it holds on to the text and not to the syntax tree. */
function writer({ text, blanks, changes, names }: Writing): () => string {
  let source: string | undefined;
  return () => {
    source ??= bind(applyEdits(blank(text, blanks), changes), names);
    return source;
  };
}

/** What to blank and to replace so that only the kept statements are left, without `export`. */
function cutStatements(
  { program }: ModuleSyntax,
  kept: ReadonlySet<number>,
  { target, local }: { target: ExportTarget; local: string },
): { ranges: TextRange[]; edits: TextEdit[] } {
  const ranges: TextRange[] = [];
  const edits: TextEdit[] = [];
  program.body.forEach((statement, index) => {
    const { start, end } = statement;
    if (!kept.has(index)) {
      ranges.push({ start, end });
      // A statement before it may have ended at the line break only because of what stood here.
      edits.push({ start, end: start + 1, text: ';' });
    } else if (statement.type === 'ExportNamedDeclaration' && statement.declaration) {
      ranges.push({ start, end: statement.declaration.start });
    } else if (statement.type === 'ExportDefaultDeclaration') {
      const { declaration } = statement;
      ranges.push({ start, end: declaration.start });
      if (hasName(declaration)) return;
      const isTarget = target.kind === 'value' && target.statement === index;
      edits.push({ start, end: start + 1, text: isTarget ? `const ${local} =` : 'void ' });
      // A function without a name is an expression now, which needs its end.
      edits.push({ start: declaration.end, end: declaration.end, text: ';' });
    }
  });
  return { ranges, edits };
}

function hasName(node: AnyNode): boolean {
  return (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') && Boolean(node.id);
}

function importEdit({ node, library }: LibraryImport, text: string): TextEdit {
  const breaks = text.slice(node.start, node.end).replace(/[^\n\r\u2028\u2029]/g, '');
  return { start: node.start, end: node.end, text: `__schemakitImport(${JSON.stringify(library)}${breaks})` };
}

function isScanned({ type }: AnyNode): boolean {
  return type === 'ImportExpression' || type === 'Identifier';
}

function hit(code: ScanHit['code'], message: string, { start }: AnyNode): ScanHit {
  return { code, message, offset: start };
}

interface BoundNames {
  /** What the module calls the export. */
  local: string;
  /** Under which name the script binds it. */
  name: string;
  /** Whether the module has that name for something else. */
  isTaken: boolean;
}

function bind(body: string, { local, name, isTaken }: BoundNames): string {
  if (local === name) return body;
  // The module uses the name for something else, so that its own names have to stay among themselves.
  return isTaken ? `const ${name} = (() => {${body}\nreturn ${local};})();` : `${body}\n;const ${name} = ${local};`;
}

function unusedName(syntax: ModuleSyntax, name: string): string {
  let candidate = name;
  while (syntax.moduleScope.bindings?.has(candidate)) candidate = `${candidate}_`;
  return candidate;
}
