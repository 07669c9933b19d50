import type { AnyNode, Program } from 'acorn';

/** What an export stands for. */
export type ExportTarget =
  /** A name of the module. */
  | { kind: 'name'; local: string; node: AnyNode }
  /** `export default` of something without a name. `node` is the expression, the function or the class. */
  | { kind: 'value'; node: AnyNode; statement: number }
  /** Something of another module. */
  | { kind: 'foreign'; node: AnyNode };

/** The exports of a module by name, in the order of the text. `export * from` adds nothing. */
export function readExports(program: Program): ReadonlyMap<string, ExportTarget> {
  const targets = new Map<string, ExportTarget>();
  program.body.forEach((node, statement) => {
    if (node.type === 'ExportDefaultDeclaration') {
      const { declaration } = node;
      const named =
        (declaration.type === 'FunctionDeclaration' || declaration.type === 'ClassDeclaration') && declaration.id;
      if (named) targets.set('default', { kind: 'name', local: named.name, node: named });
      // The value is taken when the statement runs, also where it is a name.
      else targets.set('default', { kind: 'value', node: declaration, statement });
    } else if (node.type === 'ExportAllDeclaration' && node.exported) {
      targets.set(nameOf(node.exported), { kind: 'foreign', node });
    } else if (node.type === 'ExportNamedDeclaration') {
      for (const specifier of node.specifiers) {
        const target = node.source
          ? ({ kind: 'foreign', node: specifier } as const)
          : ({ kind: 'name', local: nameOf(specifier.local), node: specifier.local } as const);
        targets.set(nameOf(specifier.exported), target);
      }
      if (node.declaration?.type === 'VariableDeclaration') {
        for (const { id } of node.declaration.declarations) addNames(id, targets);
      } else if (node.declaration) {
        const { id } = node.declaration;
        targets.set(id.name, { kind: 'name', local: id.name, node: id });
      }
    }
  });
  return targets;
}

function addNames(pattern: AnyNode, targets: Map<string, ExportTarget>): void {
  if (pattern.type === 'Identifier') targets.set(pattern.name, { kind: 'name', local: pattern.name, node: pattern });
  else if (pattern.type === 'ObjectPattern') {
    for (const part of pattern.properties) addNames(part.type === 'RestElement' ? part.argument : part.value, targets);
  } else if (pattern.type === 'ArrayPattern') {
    for (const part of pattern.elements) if (part !== null) addNames(part, targets);
  } else if (pattern.type === 'AssignmentPattern') addNames(pattern.left, targets);
  else if (pattern.type === 'RestElement') addNames(pattern.argument, targets);
}

function nameOf(node: AnyNode): string {
  if (node.type === 'Identifier') return node.name;
  return node.type === 'Literal' ? String(node.value) : '';
}
