import type { AnyNode } from 'acorn';
import { arrayMethods, numberMethods, setMethods, staticFunctions, stringMethods } from './pure-builtins.ts';
import { forEachPart, isFunction } from './syntax-children.ts';

/** Functions and constructors that read what they are given and keep no more than a copy or an alias of it. */
const readingCalls: ReadonlySet<string> = new Set([
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
export function mayChangeValues(node: AnyNode, boundNames: ReadonlySet<string>): boolean {
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
      if (!isReadingCallee(node.callee, boundNames)) return true;
      break;
  }
  let changes = false;
  forEachPart(node, (part) => {
    changes ||= mayChangeValues(part, boundNames);
  });
  return changes;
}

function isReadingCallee(callee: AnyNode, boundNames: ReadonlySet<string>): boolean {
  if (callee.type === 'Identifier') return isReadingFunction(callee.name, boundNames);
  if (callee.type !== 'MemberExpression' || callee.computed || callee.property.type !== 'Identifier') return false;
  const { object, property } = callee;
  if (object.type === 'Identifier' && isStaticReader(object.name, property.name, boundNames))
    return property.name !== 'assign';
  return isReadingMethod(property.name);
}

/** Whether `name(value)` and `new name(value)` only read, unless the module means something else by the name. */
export function isReadingFunction(name: string, boundNames: ReadonlySet<string>): boolean {
  return readingCalls.has(name) && !boundNames.has(name);
}

/** Whether `owner.name(value)` is a pure built-in function, unless the module means something else by the owner. */
export function isStaticReader(owner: string, name: string, boundNames: ReadonlySet<string>): boolean {
  return (
    !boundNames.has(owner) && Object.hasOwn(staticFunctions, owner) && Object.hasOwn(staticFunctions[owner] ?? {}, name)
  );
}

/** Whether code outside of functions could change a value that it names. */
export function mayChangeOnLoad(node: AnyNode, boundNames: ReadonlySet<string>): boolean {
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
      return mayChangeValues(node, boundNames);
  }
  let changes = false;
  forEachPart(node, (part) => {
    changes ||= mayChangeOnLoad(part, boundNames);
  });
  return changes;
}
