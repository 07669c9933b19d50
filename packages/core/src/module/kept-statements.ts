import type { Binding, ExportTarget, ModuleSyntax } from './module-syntax.ts';
import type { LiteralReader } from './read-literal.ts';

/**
 * The statements that an export needs, by their index in `program.body`: its own, those that declare what these name, and
 * those that use what these name and run code when the module is loaded, which may change it.
 */
export function keptStatements(
  syntax: ModuleSyntax,
  target: ExportTarget,
  { isInert }: Pick<LiteralReader, 'isInert'>,
): ReadonlySet<number> {
  const { statements, users } = connections(syntax);
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
    if (kept.has(index)) continue;
    kept.add(index);
    for (const binding of statements[index]?.uses ?? []) {
      waiting.push(...binding.statements);
      reach(binding);
    }
  }
  return kept;
}

/** Which names each statement uses and declares, and which statements use each name. */
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
