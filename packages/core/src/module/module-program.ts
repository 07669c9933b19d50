import type { AnyNode } from 'acorn';
import { escapeRefusedText, mayBeRefused } from './escape-refused-text.ts';
import type { Binding, ExportTarget, ModuleSyntax } from './module-syntax.ts';
import { applyEdits, blank, type TextEdit } from './module-text.ts';
import type { TextRange } from './parse-module.ts';
import type { LiteralReader } from './read-literal.ts';
import type { LibraryImport, ScanHit } from './scan.ts';

/** A part of a module as a script. */
export interface ModuleProgram {
  /** Writes a script in strict mode that binds the export. Lines keep their numbers; comments and unneeded code are blanked. */
  source: () => string;
  /** Code that may not work there. */
  hits: readonly ScanHit[];
}

export interface ModuleParts {
  text: string;
  syntax: ModuleSyntax;
  reader: LiteralReader;
  comments: readonly TextRange[];
  libraryImports: readonly LibraryImport[];
}

/** Extracts an export, with all code that it reaches, as a script that binds it under `name`. */
export function extractProgram(parts: ModuleParts, name: string, target: ExportTarget): ModuleProgram {
  const { text, syntax, comments, libraryImports, reader } = parts;
  const reachable = reachableStatements(syntax, target, reader);
  const local = target.kind === 'name' ? target.local : unusedName(syntax, name);
  const { ranges, edits } = cutStatements(syntax, reachable, { target, local });
  const imports = libraryImports.filter(({ statement }) => reachable.has(statement));
  const blanks = [...comments, ...ranges];
  const refused = mayBeRefused(text)
    ? escapeRefusedText(blank(text, blanks), syntax.program)
    : { edits: [], unresolved: [] };
  const isTaken = syntax.moduleScope.bindings?.has(name) === true;
  const changes = [...edits, ...imports.map((found) => importEdit(found, text)), ...refused.edits];
  const awaits = syntax.topLevelAwaits.filter(({ statement }) => reachable.has(statement));
  const hits = [
    ...awaits.map(({ node }) => hit('SEC024', 'await outside of functions is not allowed', node)),
    // The scan already reports these nodes.
    ...refused.unresolved.flatMap(({ node, message }) => (isScanned(node) ? [] : [hit('SEC023', message, node)])),
  ];
  return { source: writer({ text, blanks, changes, names: { local, name, isTaken } }), hits };
}

interface Writing {
  text: string;
  blanks: readonly TextRange[];
  changes: readonly TextEdit[];
  names: BoundNames;
}

/** Most handlers never run. A separate function, so that the closure keeps the text alive and not the syntax tree. */
function writer({ text, blanks, changes, names }: Writing): () => string {
  let source: string | undefined;
  return () => {
    source ??= bind(applyEdits(blank(text, blanks), changes), names);
    return source;
  };
}

/** The ranges to blank, and the edits, that leave only the reachable statements, without `export`. */
function cutStatements(
  { program }: ModuleSyntax,
  reachable: ReadonlySet<number>,
  { target, local }: { target: ExportTarget; local: string },
): { ranges: TextRange[]; edits: TextEdit[] } {
  const ranges: TextRange[] = [];
  const edits: TextEdit[] = [];
  program.body.forEach((statement, index) => {
    const { start, end } = statement;
    if (!reachable.has(index)) {
      ranges.push({ start, end });
      // The statement before may have ended at its line break only because of this one.
      edits.push({ start, end: start + 1, text: ';' });
    } else if (statement.type === 'ExportNamedDeclaration' && statement.declaration) {
      ranges.push({ start, end: statement.declaration.start });
    } else if (statement.type === 'ExportDefaultDeclaration') {
      const { declaration } = statement;
      ranges.push({ start, end: declaration.start });
      if (hasName(declaration)) return;
      const isTarget = target.kind === 'value' && target.statement === index;
      edits.push({ start, end: start + 1, text: isTarget ? `const ${local} =` : 'void ' });
      // A function without a name is now an expression, which needs a semicolon.
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
  /** The name of the export in the module. */
  local: string;
  /** Its name in the script. */
  name: string;
  /** The module uses that name for something else. */
  isTaken: boolean;
}

function bind(body: string, { local, name, isTaken }: BoundNames): string {
  if (local === name) return body;
  return isTaken ? `const ${name} = (() => {${body}\nreturn ${local};})();` : `${body}\n;const ${name} = ${local};`;
}

function unusedName(syntax: ModuleSyntax, name: string): string {
  let candidate = name;
  while (syntax.moduleScope.bindings?.has(candidate)) candidate = `${candidate}_`;
  return candidate;
}

/**
 * The statements that an export needs, by their index in `program.body`: its own, those that declare names they use, and
 * those that use these names and run code at load time, which may change the values.
 */
export function reachableStatements(
  syntax: ModuleSyntax,
  target: ExportTarget,
  { isInert }: Pick<LiteralReader, 'isInert'>,
): ReadonlySet<number> {
  const { statements, users } = connections(syntax);
  const reachable = new Set<number>();
  /** Names that lead to a reachable statement, and the statements that use them. */
  const reached = new Set<Binding>();
  const reaching = new Set<number>();
  const waiting: number[] = [];

  function reach(first: Binding): void {
    const bindings = [first];
    for (let binding = bindings.pop(); binding !== undefined; binding = bindings.pop()) {
      if (reached.has(binding)) continue;
      reached.add(binding);
      for (const index of users.get(binding) ?? []) {
        if (reaching.has(index)) continue;
        reaching.add(index);
        const statement = syntax.program.body[index];
        if (statement && !isInert(statement)) waiting.push(index);
        bindings.push(...(statements[index]?.declares ?? []));
      }
    }
  }

  if (target.kind === 'value') waiting.push(target.statement);
  else if (target.kind === 'name') {
    const binding = syntax.moduleScope.bindings?.get(target.local);
    if (binding) {
      waiting.push(...binding.statements);
      reach(binding);
    }
  }
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    if (reachable.has(index)) continue;
    reachable.add(index);
    for (const binding of statements[index]?.uses ?? []) {
      waiting.push(...binding.statements);
      reach(binding);
    }
  }
  return reachable;
}

/** The names that each statement uses and declares, and the statements that use each name. */
function connections({ program, references, moduleScope }: ModuleSyntax) {
  const statements = program.body.map(() => ({ uses: new Set<Binding>(), declares: [] as Binding[] }));
  const users = new Map<Binding, Set<number>>();
  for (const { binding, statement, parent } of references) {
    if (!binding?.topLevel || parent.type === 'ExportNamedDeclaration') continue;
    statements[statement]?.uses.add(binding);
    users.set(binding, (users.get(binding) ?? new Set()).add(statement));
  }
  for (const binding of moduleScope.bindings?.values() ?? []) {
    for (const index of binding.statements) statements[index]?.declares.push(binding);
  }
  return { statements, users };
}
