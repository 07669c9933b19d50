import type { AnyNode, CallExpression, NewExpression } from 'acorn';
import { applyFunction } from './fold-functions.ts';
import { foldList, iterate } from './fold-literals.ts';
import { foldLink, isLeftOut, memberKey, memberOfGlobal, shortCircuit } from './fold-members.ts';
import {
  type Builtin,
  type Folded,
  foldedOpaque,
  isFoldedObject,
  isNotData,
  isPrimitive,
  type Locals,
  type NotData,
} from './folded-value.ts';
import { type Folding, isGlobal, maxArrayLength, maxText, native, spendOn, spendOnText } from './folding.ts';
import { needsEvaluation, wouldThrow } from './not-foldable.ts';
import {
  arrayMethods,
  arrayMethodsInPlace,
  callbackPositions,
  callbackUse,
  freshArrayMethods,
  numberMethods,
  setMethods,
  staticFunctions,
  stringMethods,
} from './pure-builtins.ts';

export function foldCall(
  folding: Folding,
  node: CallExpression,
  locals: Locals | undefined,
): Folded | typeof shortCircuit {
  const { callee } = node;
  const builtin = staticFunction(folding, callee, locals);
  if (builtin !== undefined) return callStatic(folding, builtin, { node, locals });
  if (callee.type === 'MemberExpression') {
    const object = foldLink(folding, callee.object, locals);
    if (object === shortCircuit || isLeftOut(callee, object)) return shortCircuit;
    return callMethod(folding, object, memberKey(folding, callee, locals), { node, locals });
  }
  const target = foldLink(folding, callee, locals);
  if (target === shortCircuit || isLeftOut(node, target)) return shortCircuit;
  return callValue(folding, target, { node, locals });
}

/** A call, and the names that it sees. */
interface Call {
  node: CallExpression;
  locals: Locals | undefined;
}

function callValue(folding: Folding, target: Folded, { node, locals }: Call): Folded {
  if (isNotData(target)) {
    const values = foldList(folding, node.arguments, locals);
    if (target.kind === 'function') return applyFunction(folding, target, values, node);
    if (target.kind === 'builtin')
      return callBuiltin(folding, target.target, { values, node, name: target.target.name });
  }
  return needsEvaluation(node, 'it calls something that is not known to be a function');
}

function callMethod(folding: Folding, object: Folded, name: string, { node, locals }: Call): Folded {
  if (object === null || object === undefined) return wouldThrow(node, `${name} is called on ${object}`);
  if (isNotData(object)) return needsEvaluation(node, `${name} is called on something that is not data`);
  if (isFoldedObject(object) && Object.hasOwn(object, name)) return callValue(folding, object[name], { node, locals });
  const { callee } = node;
  const isFresh = callee.type === 'MemberExpression' && isFreshArray(callee.object);
  if (node.optional || !isPureMethod(object, name, isFresh)) return needsEvaluation(node, `it calls ${name}`);
  const method: unknown = Reflect.get(Object(object), name);
  if (typeof method !== 'function') return wouldThrow(node, `${name} is not a function`);
  const values = foldList(folding, node.arguments, locals);
  return callBuiltin(folding, method as Builtin, { receiver: object, values, node, name });
}

function isPureMethod(object: Folded, name: string, isFresh: boolean): boolean {
  if (Array.isArray(object)) return arrayMethods.has(name) || (isFresh && arrayMethodsInPlace.has(name));
  if (object instanceof Set) return setMethods.has(name);
  if (typeof object === 'string') return stringMethods.has(name);
  return typeof object === 'number' && numberMethods.has(name);
}

/** Whether an expression makes an array that nothing else holds, so that it may be sorted in place. */
function isFreshArray(node: AnyNode): boolean {
  if (node.type === 'ArrayExpression') return true;
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false;
  const { property } = node.callee;
  return property.type === 'Identifier' && freshArrayMethods.has(property.name);
}

interface StaticFunction {
  owner: string;
  name: string;
  target: Builtin;
}

function staticFunction(folding: Folding, callee: AnyNode, locals: Locals | undefined): StaticFunction | undefined {
  const member = memberOfGlobal(folding, callee, locals);
  if (member === undefined || !Object.hasOwn(staticFunctions, member.owner)) return undefined;
  const functions = staticFunctions[member.owner] ?? {};
  const target = Object.hasOwn(functions, member.name) ? functions[member.name] : undefined;
  return target && { ...member, target };
}

function callStatic(folding: Folding, { owner, name, target }: StaticFunction, { node, locals }: Call): Folded {
  const values = foldList(folding, node.arguments, locals);
  const [first] = values;
  if (owner === 'Object' && name === 'assign') {
    if (node.arguments[0]?.type !== 'ObjectExpression')
      needsEvaluation(node, 'Object.assign changes its first argument');
    // Unlike spread, Object.assign would set the prototype.
    if (values.some((value) => isFoldedObject(value) && Object.hasOwn(value, '__proto__'))) {
      needsEvaluation(node, 'Object.assign meets a key named __proto__');
    }
  }
  if (owner === 'Array' && name === 'from' && isFoldedObject(first) && !(Number(first.length ?? 0) <= maxArrayLength)) {
    needsEvaluation(node, 'the array is too long to be read');
  }
  return callBuiltin(folding, target, { values, node, name });
}

interface BuiltinCall {
  receiver?: Folded;
  values: readonly Folded[];
  node: CallExpression;
  name: string;
}

function callBuiltin(folding: Folding, target: Builtin, { receiver, values, node, name }: BuiltinCall): Folded {
  folding.hasCalledBuiltin = true;
  const given = [receiver, ...values].map((value, index) => {
    if (isNotData(value)) return callback(folding, value, { name, node, position: index - 1 });
    if (folding.hasHoles && !isPrimitive(value)) needsEvaluation(node, `${name} may meet holes in an array`);
    spendOn(folding, value, node);
    return value;
  });
  checkBound(name, given, node);
  const [own, ...rest] = given;
  const result = native(node, () => Reflect.apply(target, own, rest as never[])) as Folded;
  if (typeof result === 'string') spendOnText(folding, result, node);
  return result;
}

/** A function of the module, or a built-in one, as built-in code can call it. */
function callback(
  folding: Folding,
  value: NotData,
  { name, node, position }: { name: string; node: AnyNode; position: number },
): Builtin {
  const isCalled = Object.hasOwn(callbackPositions, name) && callbackPositions[name] === position;
  if (!isCalled || value.kind === 'opaque') needsEvaluation(node, `${name} is given something that is not data`);
  if (value.kind === 'builtin') return value.target;
  return (...values: Folded[]) => {
    const result = applyFunction(folding, value, values, node);
    if (isPrimitive(result) || callbackUse[name] === 'value' || (callbackUse[name] === 'test' && !isNotData(result)))
      return result;
    return needsEvaluation(node, `${name} is given a function that gives an object`);
  };
}

/** Text can grow by multiplication; this stops it before it is made. */
function checkBound(name: string, [receiver, ...values]: readonly unknown[], node: AnyNode): void {
  const [first = 1, second = 1] = values.map(sizeOf);
  const own = sizeOf(receiver);
  const bounds: Record<string, number> = {
    join: own * first,
    padEnd: first,
    padStart: first,
    repeat: own * first,
    replaceAll: (own + 1) * (second + 1),
  };
  if (Object.hasOwn(bounds, name) && (bounds[name] ?? 0) > maxText)
    needsEvaluation(node, `the text that ${name} makes is too long`);
}

function sizeOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' || Array.isArray(value) ? value.length : 1;
}

/** `new Set(list)` is kept while folding, since it is mostly spread right away. Other instances are no data. */
export function foldNew(folding: Folding, node: NewExpression, locals: Locals | undefined): Folded {
  const { callee } = node;
  if (callee.type !== 'Identifier' || callee.name !== 'Set' || !isGlobal('Set', folding, locals)) {
    return foldedOpaque(node, 'an instance made with `new`');
  }
  folding.hasCalledBuiltin = true;
  const [items] = foldList(folding, node.arguments, locals);
  const set = new Set(iterate(items ?? [], node));
  folding.steps += set.size;
  return set;
}
