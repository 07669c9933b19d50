import type { AnyNode } from 'acorn';
import { arrayMethods, numberMethods, setMethods, staticFunctions, stringMethods } from './pure-builtins.ts';
import { forEachPart, isFunction } from './syntax-children.ts';

/** Functions and constructors that read what they are given and keep no more than a copy or an alias of it. */
export const readingCalls: ReadonlySet<string> = new Set([
  'Boolean',
  'Map',
  'Number',
  'Set',
  'String',
  'WeakMap',
  'WeakSet',
  'structuredClone',
]);

/** Whether a method of this name, called on data, leaves the data as it is. */
export function isReadingMethod(name: string): boolean {
  return arrayMethods.has(name) || stringMethods.has(name) || numberMethods.has(name) || setMethods.has(name);
}

/**
 * Whether running a piece of code could change a value that it names: it assigns, deletes, or calls something that is not
 * known to read only. Functions in it count as if they were called.
 */
export function mayChangeValues(node: AnyNode): boolean {
  switch (node.type) {
    case 'AssignmentExpression':
    case 'UpdateExpression':
    case 'TaggedTemplateExpression':
    case 'YieldExpression':
    case 'AwaitExpression':
    case 'ImportExpression':
      return true;
    case 'UnaryExpression':
      if (node.operator === 'delete') return true;
      break;
    case 'CallExpression':
    case 'NewExpression':
      if (!isReadingCallee(node.callee)) return true;
      break;
  }
  let changes = false;
  forEachPart(node, (part) => {
    changes ||= mayChangeValues(part);
  });
  return changes;
}

function isReadingCallee(callee: AnyNode): boolean {
  if (callee.type === 'Identifier') return readingCalls.has(callee.name);
  if (callee.type !== 'MemberExpression' || callee.computed || callee.property.type !== 'Identifier') return false;
  const { object, property } = callee;
  if (object.type === 'Identifier' && staticFunctions[object.name]?.[property.name] !== undefined)
    return property.name !== 'assign';
  return isReadingMethod(property.name);
}

/** Whether code outside of functions could change a value that it names. */
export function mayChangeOnLoad(node: AnyNode): boolean {
  if (isFunction(node)) return false;
  switch (node.type) {
    case 'AssignmentExpression':
    case 'UpdateExpression':
    case 'TaggedTemplateExpression':
    case 'AwaitExpression':
    case 'StaticBlock':
      return true;
    case 'UnaryExpression':
      if (node.operator === 'delete') return true;
      break;
    case 'CallExpression':
    case 'NewExpression':
      // A callback runs when the call runs.
      return mayChangeValues(node);
  }
  let changes = false;
  forEachPart(node, (part) => {
    changes ||= mayChangeOnLoad(part);
  });
  return changes;
}
