import type { AnyNode } from 'acorn';
import { resolve, type Scope } from './module-syntax.ts';

/**
 * The text of an expression that is put together from constants, such as `'con' + part`, wherever it stands.
 * Undefined where it is not constant. A light look for the security scan; values are read by the folder.
 */
export function constantText(
  node: AnyNode,
  scope: Scope,
  budget: { steps: number } = { steps: 200 },
): string | undefined {
  // Constants that are made of constants could take for ever: a = b + b, b = c + c, …
  budget.steps -= 1;
  if (budget.steps < 0) return undefined;
  switch (node.type) {
    case 'Literal':
      return node.regex ? undefined : String(node.value);
    case 'TemplateLiteral': {
      let text = node.quasis[0]?.value.cooked ?? '';
      for (const [index, expression] of node.expressions.entries()) {
        const part = constantText(expression, scope, budget);
        if (part === undefined) return undefined;
        text += part + (node.quasis[index + 1]?.value.cooked ?? '');
      }
      return text;
    }
    case 'BinaryExpression': {
      if (node.operator !== '+') return undefined;
      const left = constantText(node.left, scope, budget);
      const right = left === undefined ? undefined : constantText(node.right, scope, budget);
      return left === undefined || right === undefined ? undefined : left + right;
    }
    case 'ArrayExpression':
      // A key such as `['constructor']` is turned into text.
      return node.elements.length === 1 && node.elements[0] ? constantText(node.elements[0], scope, budget) : undefined;
    case 'Identifier': {
      const declaration = resolve(node.name, scope)?.declaration;
      if (declaration?.type !== 'VariableDeclarator' || declaration.id.type !== 'Identifier' || !declaration.init)
        return undefined;
      return constantText(declaration.init, scope, budget);
    }
    default:
      return undefined;
  }
}
