import type { AnyNode, ObjectExpression, Property } from 'acorn';
import { childPath, type Finding } from '../format/finding.ts';
import { schemaFinding } from '../format/finding-codes.ts';
import type { ModuleSyntax } from './module-syntax.ts';
import type { LocateOffset } from './text-position.ts';

const maxSteps = 50;

/**
 * A warning for each key that an object literal of a value has twice: the first of them is lost, a whole tool perhaps, and the
 * value does not show it. Constants are looked into where they are named.
 */
export function findDoubleKeys(
  value: AnyNode,
  path: string,
  { syntax, position }: { syntax: ModuleSyntax; position: LocateOffset },
): Finding[] {
  const findings: Finding[] = [];
  const seen = new Set<AnyNode>();

  function visit(node: AnyNode, at: string, steps: number): void {
    if (steps > maxSteps || seen.has(node)) return;
    seen.add(node);
    if (node.type === 'Identifier') {
      const declaration = syntax.moduleScope.bindings?.get(node.name)?.declaration;
      if (declaration?.type === 'VariableDeclarator' && declaration.init) visit(declaration.init, at, steps + 1);
    } else if (node.type === 'ArrayExpression') {
      node.elements.forEach((element, index) => {
        if (element) visit(element, `${at}[${index}]`, steps + 1);
      });
    } else if (node.type === 'ObjectExpression') {
      visitObject(node, at, steps);
    }
  }

  function visitObject({ properties }: ObjectExpression, at: string, steps: number): void {
    const keys = new Set<string>();
    for (const property of properties) {
      // After a spread, a key may be there to take the place of another.
      if (property.type === 'SpreadElement') keys.clear();
      const key = property.type === 'Property' ? keyOf(property) : undefined;
      if (property.type !== 'Property' || key === undefined) continue;
      const place = childPath(at, key);
      if (keys.has(key)) {
        const message = `${JSON.stringify(key)} stands here a second time; the first one is lost (${place})`;
        const hint = 'Give one of them another name, or delete it.';
        findings.push({ ...schemaFinding('VAL007', place, message, { hint }), ...position(property.start) });
      }
      keys.add(key);
      visit(property.value, place, steps + 1);
    }
  }

  visit(value, path, 0);
  return findings;
}

function keyOf({ key, computed }: Property): string | undefined {
  if (key.type === 'Literal') return String(key.value);
  return !computed && key.type === 'Identifier' ? key.name : undefined;
}
