import type { AnyNode } from 'acorn';
import type { ExportTarget } from './module-exports.ts';
import type { Binding, ModuleSyntax } from './module-syntax.ts';
import { mayChangeOnLoad } from './reading-calls.ts';

/**
 * The statements that an export needs, by their index in `program.body`: its own, those that declare what these name, and
 * those that may change what they name when the module is loaded.
 */
export function keptStatements(syntax: ModuleSyntax, target: ExportTarget): ReadonlySet<number> {
  const { names, users, declared } = connections(syntax);
  const kept = new Set<number>();
  /** Names that lead to something kept, and the statements that use them. */
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
        if (statement && runsCode(statement, syntax.boundNames)) waiting.push(index);
        bindings.push(...(declared.get(index) ?? []));
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
    if (kept.has(index)) continue;
    kept.add(index);
    for (const binding of names[index] ?? []) {
      waiting.push(...binding.statements);
      reach(binding);
    }
  }
  return kept;
}

/** Whether a statement does something when the module is loaded that could matter to another one. */
function runsCode(statement: AnyNode, boundNames: ReadonlySet<string>): boolean {
  switch (statement.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'FunctionDeclaration':
    case 'EmptyStatement':
      return false;
    case 'ExportNamedDeclaration':
      return statement.declaration ? runsCode(statement.declaration, boundNames) : false;
    case 'ExportDefaultDeclaration':
    case 'ClassDeclaration':
    case 'VariableDeclaration':
      return mayChangeOnLoad(statement, boundNames);
    default:
      return true;
  }
}

interface Connections {
  /** The names of the module that each statement uses. */
  names: readonly ReadonlySet<Binding>[];
  /** The statements that use each name. */
  users: ReadonlyMap<Binding, ReadonlySet<number>>;
  /** The names that each statement declares. */
  declared: ReadonlyMap<number, readonly Binding[]>;
}

function connections({ program, references, moduleScope }: ModuleSyntax): Connections {
  const names = program.body.map(() => new Set<Binding>());
  const users = new Map<Binding, Set<number>>();
  const declared = new Map<number, Binding[]>();
  for (const { binding, statement, parent } of references) {
    if (!binding?.topLevel || parent.type === 'ExportNamedDeclaration') continue;
    names[statement]?.add(binding);
    const known = users.get(binding);
    if (known) known.add(statement);
    else users.set(binding, new Set([statement]));
  }
  for (const binding of moduleScope.bindings?.values() ?? []) {
    for (const index of binding.statements) {
      const known = declared.get(index);
      if (known) known.push(binding);
      else declared.set(index, [binding]);
    }
  }
  return { names, users, declared };
}
