import type { AnyNode, Expression, MemberExpression, Super } from 'acorn';
import { foldCall } from './fold-calls.ts';
import { type Folded, isNotData, isPrimitive, type Locals } from './folded-value.ts';
import { type Folding, isGlobal } from './folding.ts';
import { needsEvaluation, wouldThrow } from './not-foldable.ts';
import { staticConstants } from './pure-builtins.ts';

/** What the links of an optional chain give from the one on that found nothing: the rest of the chain is left out. */
export const shortCircuit: unique symbol = Symbol('the rest of an optional chain is left out');

/** The value of a link in a chain of members and calls, such as each step of `a?.b.c()`. */
export function foldLink(
  folding: Folding,
  node: Expression | Super,
  locals: Locals | undefined,
): Folded | typeof shortCircuit {
  if (node.type === 'MemberExpression') return foldMember(folding, node, locals);
  if (node.type === 'CallExpression') return foldCall(folding, node, locals);
  if (node.type === 'Super') return needsEvaluation(node, 'it uses `super`');
  return folding.fold(node, locals);
}

function foldMember(
  folding: Folding,
  node: MemberExpression,
  locals: Locals | undefined,
): Folded | typeof shortCircuit {
  const global = memberOfGlobal(folding, node, locals);
  if (global && Object.hasOwn(staticConstants, global.owner)) {
    const constants = staticConstants[global.owner] ?? {};
    if (Object.hasOwn(constants, global.name)) return constants[global.name];
  }
  const object = foldLink(folding, node.object, locals);
  if (object === shortCircuit || isLeftOut(node, object)) return shortCircuit;
  return readMember(object, memberKey(folding, node, locals), node);
}

/** Whether `?.` stands after something that is null or undefined. */
export function isLeftOut({ optional }: { optional: boolean }, value: Folded): boolean {
  return optional && (value === null || value === undefined);
}

export function memberKey(folding: Folding, node: MemberExpression, locals: Locals | undefined): string {
  if (node.computed) return keyOf(folding.fold(node.property, locals), node.property);
  return node.property.type === 'Identifier' ? node.property.name : needsEvaluation(node, 'it uses a private name');
}

/** A value as a key. */
export function keyOf(value: Folded, node: AnyNode): string {
  return isPrimitive(value) ? String(value) : needsEvaluation(node, 'a key is computed from an object');
}

/** The value of a property. What is inherited is code, and not folded. */
export function readMember(object: Folded, key: string, node: AnyNode): Folded {
  if (object === null || object === undefined) return wouldThrow(node, `${key} is read from ${object}`);
  if (isNotData(object)) return needsEvaluation(node, `${key} is read from something that is not data`);
  if (object instanceof Set) return key === 'size' ? object.size : needsEvaluation(node, `${key} is read from a Set`);
  const own = Object.getOwnPropertyDescriptor(Object(object), key);
  if (own !== undefined) return readable(own.value, node);
  return key in Object(object) ? needsEvaluation(node, `${key} is a built-in property`) : undefined;
}

/** Refuses the value of a getter: it is known that there is one, but not what it gives. */
export function readable(value: Folded, node: AnyNode): Folded {
  if (isNotData(value) && value.node.type === 'Property')
    needsEvaluation(node, 'it reads a property that has a getter');
  return value;
}

/** `Object.keys` and the like: a member of something global, by name. */
export function memberOfGlobal(
  folding: Folding,
  node: AnyNode,
  locals: Locals | undefined,
): { owner: string; name: string } | undefined {
  if (node.type !== 'MemberExpression' || node.computed) return undefined;
  const { object, property } = node;
  if (object.type !== 'Identifier' || property.type !== 'Identifier') return undefined;
  return isGlobal(object.name, folding, locals) ? { owner: object.name, name: property.name } : undefined;
}
