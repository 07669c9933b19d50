import type { AnyNode } from 'acorn';
import { resolve, type Scope } from './module-syntax.ts';

/**
 * The text of an expression that is put together from constants, such as `'con' + part`, wherever it stands.
 * Undefined where it is not constant. A light look for the security scan; values are read by the folder.
 */
export function constantText(node: AnyNode, scope: Scope, depth = 0): string | undefined {
  if (depth > 20) return undefined;
  switch (node.type) {
    case 'Literal':
      return node.regex ? undefined : String(node.value);
    case 'TemplateLiteral': {
      let text = node.quasis[0]?.value.cooked ?? '';
      for (const [index, expression] of node.expressions.entries()) {
        const part = constantText(expression, scope, depth + 1);
        if (part === undefined) return undefined;
        text += part + (node.quasis[index + 1]?.value.cooked ?? '');
      }
      return text;
    }
    case 'BinaryExpression': {
      if (node.operator !== '+') return undefined;
      const left = constantText(node.left, scope, depth + 1);
      const right = left === undefined ? undefined : constantText(node.right, scope, depth + 1);
      return left === undefined || right === undefined ? undefined : left + right;
    }
    case 'ArrayExpression':
      // A key such as `['constructor']` is turned into text.
      return node.elements.length === 1 && node.elements[0]
        ? constantText(node.elements[0], scope, depth + 1)
        : undefined;
    case 'Identifier': {
      const declaration = resolve(node.name, scope)?.declaration;
      if (declaration?.type !== 'VariableDeclarator' || declaration.id.type !== 'Identifier' || !declaration.init)
        return undefined;
      return constantText(declaration.init, scope, depth + 1);
    }
    default:
      return undefined;
  }
}
