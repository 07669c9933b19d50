import type { AnyNode } from 'acorn';
import { escapeRefusedText, isRefused } from './escape-refused-text.ts';
import type { ExportTarget } from './module-exports.ts';
import type { Binding, ModuleSyntax } from './module-syntax.ts';
import type { TextRange } from './parse-module.ts';
import { mayChangeOnLoad } from './reading-calls.ts';
import type { LibraryImport, ScanHit } from './scan.ts';
import { applyEdits, blank, type TextEdit } from './text-edits.ts';

/** A part of a module as a script of its own. */
export interface ModuleProgram {
  /**
   * A script in strict mode that binds the export at its top level. Lines stand where they stand in the module; what the
   * export does not need, and all comments, are spaces.
   */
  source: string;
  /** What may not work there. */
  hits: readonly ScanHit[];
}

export interface ModuleParts {
  text: string;
  syntax: ModuleSyntax;
  comments: readonly TextRange[];
  libraryImports: readonly LibraryImport[];
}

/**
 * Takes an export, and all of the module that it reaches, out of the module.
 *
 * @param name - The name under which the script binds it.
 */
export function extractProgram(
  { text, syntax, comments, libraryImports }: ModuleParts,
  target: ExportTarget,
  name: string,
): ModuleProgram {
  const kept = keptStatements(syntax, target);
  const ranges: TextRange[] = [...comments];
  const edits: TextEdit[] = [];
  const hits: ScanHit[] = [];
  let local = target.kind === 'name' ? target.local : '';
  syntax.program.body.forEach((statement, index) => {
    const { start, end } = statement;
    if (!kept.has(index)) {
      ranges.push({ start, end });
      // A statement before it may have ended at the line break only because of what stood here.
      edits.push({ start, end: start + 1, text: ';' });
    } else if (statement.type === 'ExportNamedDeclaration' && statement.declaration) {
      ranges.push({ start, end: statement.declaration.start });
    } else if (statement.type === 'ExportDefaultDeclaration') {
      const { declaration } = statement;
      const isNamed =
        (declaration.type === 'FunctionDeclaration' || declaration.type === 'ClassDeclaration') && declaration.id;
      ranges.push({ start, end: declaration.start });
      if (!isNamed) {
        local = unusedName(syntax, name);
        edits.push({ start, end: start + 1, text: `const ${local} =` });
        // Without a name, `export default function () {}` is an expression now, which needs its end.
        edits.push({ start: declaration.end, end: declaration.end, text: ';' });
      }
    }
  });
  for (const node of syntax.topLevelAwaits) {
    if (isWithin(node, kept, syntax))
      hits.push({ code: 'SEC023', message: 'await outside of functions is not allowed', offset: node.start });
  }
  for (const { node, library } of libraryImports) {
    if (!isWithin(node, kept, syntax)) continue;
    const breaks = text.slice(node.start, node.end).replace(/[^\n\r\u2028\u2029]/g, '');
    edits.push({ start: node.start, end: node.end, text: `__schemakitImport(${JSON.stringify(library)}${breaks})` });
  }
  const blanked = blank(text, ranges);
  const refused = escapeRefusedText(blanked, syntax.program);
  const isReplaced = (node: AnyNode) => libraryImports.some((replaced) => replaced.node === node);
  for (const { node, message } of refused.left) {
    // Where the scan has its own word on what stands here, one is enough.
    if (!isReplaced(node) && node.type !== 'ImportExpression' && node.type !== 'Identifier') {
      hits.push({ code: 'SEC023', message, offset: node.start });
    }
  }
  const body = applyEdits(blanked, [...edits, ...refused.edits]);
  return { source: bind(body, { local, name, isTaken: syntax.moduleScope.bindings?.has(name) === true }), hits };
}

/** Whether SES takes a program as it stands. */
export function isAcceptable(source: string): boolean {
  return !isRefused(source);
}

function bind(body: string, { local, name, isTaken }: { local: string; name: string; isTaken: boolean }): string {
  if (local === name) return body;
  // The module uses the name for something else, so that its own names have to stay among themselves.
  return isTaken ? `const ${name} = (() => {${body}\nreturn ${local};})();` : `${body}\n;const ${name} = ${local};`;
}

function unusedName(syntax: ModuleSyntax, name: string): string {
  let candidate = name;
  while (syntax.moduleScope.bindings?.has(candidate)) candidate = `${candidate}_`;
  return candidate;
}

/** The statements that an export needs: its own, those that declare what they name, and those that may change these. */
function keptStatements(syntax: ModuleSyntax, target: ExportTarget): ReadonlySet<number> {
  const named = namesByStatement(syntax);
  const kept = new Set<number>();
  const names = new Set<Binding>();
  const keep = (first: number): void => {
    const waiting = [first];
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      if (kept.has(index)) continue;
      kept.add(index);
      for (const binding of named[index] ?? []) {
        names.add(binding);
        waiting.push(...binding.statements);
      }
    }
  };
  if (target.kind === 'value') keep(target.statement);
  else if (target.kind === 'name') {
    const binding = syntax.moduleScope.bindings?.get(target.local);
    if (binding !== undefined) {
      names.add(binding);
      binding.statements.forEach(keep);
    }
  }
  for (let size = -1; size !== kept.size; ) {
    size = kept.size;
    syntax.program.body.forEach((statement, index) => {
      if (!kept.has(index) && reaches(index, names, named) && runsCode(statement)) keep(index);
    });
  }
  return kept;
}

/** Whether a statement does something when the module is loaded that could matter to another one. */
function runsCode(statement: AnyNode): boolean {
  switch (statement.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'FunctionDeclaration':
    case 'EmptyStatement':
      return false;
    case 'ExportNamedDeclaration':
      return statement.declaration ? runsCode(statement.declaration) : false;
    case 'ExportDefaultDeclaration':
    case 'ClassDeclaration':
    case 'VariableDeclaration':
      return mayChangeOnLoad(statement);
    default:
      return true;
  }
}

/** Whether a statement names one of these, or something that does. */
function reaches(index: number, wanted: ReadonlySet<Binding>, named: readonly ReadonlySet<Binding>[]): boolean {
  const seen = new Set<number>();
  const waiting = [index];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    for (const binding of named[next] ?? []) {
      if (wanted.has(binding)) return true;
      waiting.push(...binding.statements);
    }
  }
  return false;
}

function namesByStatement({ program, references }: ModuleSyntax): readonly ReadonlySet<Binding>[] {
  const named = program.body.map(() => new Set<Binding>());
  for (const { binding, statement, parent } of references) {
    if (binding?.topLevel && parent.type !== 'ExportNamedDeclaration') named[statement]?.add(binding);
  }
  return named;
}

function isWithin(node: AnyNode, kept: ReadonlySet<number>, { program }: ModuleSyntax): boolean {
  return program.body.some(({ start, end }, index) => kept.has(index) && start <= node.start && node.end <= end);
}
