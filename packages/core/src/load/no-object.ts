import type { AnyNode } from 'acorn';
import { isFunction } from './syntax-children.ts';

/** What an expression is, in words, if its form shows that it is no plain object. */
export function describeNoObject(node: AnyNode): string | undefined {
  if (isNothing(node)) return node.type === 'Literal' ? 'null' : 'nothing';
  if (isFunction(node)) return 'a function';
  switch (node.type) {
    case 'Literal':
      if (node.regex) return 'a regular expression';
      return typeof node.value === 'string' ? 'text' : String(node.value);
    case 'TemplateLiteral':
      return 'text';
    case 'ArrayExpression':
      return 'an array';
    case 'ClassExpression':
      return 'a class';
    case 'UnaryExpression':
      return node.operator === 'void' ? 'nothing' : `the result of ${node.operator}`;
    default:
      return undefined;
  }
}

/** `null` or `undefined`, as written. */
export function isNothing(node: AnyNode): boolean {
  return (
    (node.type === 'Literal' && node.value === null && !node.regex) ||
    (node.type === 'Identifier' && node.name === 'undefined')
  );
}
