import type { AnyNode, ObjectExpression } from 'acorn';
import { childPath } from '../format/finding.ts';
import { type Binding, constantText, type ModuleSyntax } from './module-syntax.ts';
import { setOwn } from './read-literal.ts';
import { type FunctionNode, forEachPart, isFunction } from './syntax-children.ts';

/** What the text of a handlers factory shows. */
export interface FactoryReading {
  /** The names that it gives hooks for: tool names to hook names. Absent where only calling it can tell. */
  names?: Readonly<Record<string, readonly string[]>>;
  /** Why it cannot return handlers: a sentence. */
  fault?: string;
  /** What stands where an object of hooks, or a hook, is expected: `handlers.getThing` and `5`. */
  strays: readonly { path: string; what: string }[];
}

/** Reads a handlers factory without calling it. */
export function readFactory(factory: FunctionNode, syntax: ModuleSyntax): FactoryReading {
  const uses = nameUses(syntax);
  const fault = faultOf(factory, uses);
  if (fault !== undefined) return { fault, strays: [] };
  const result = resultOf(factory, uses);
  return result === undefined ? { strays: [] } : readTools(result, syntax, uses);
}

function readTools(result: ObjectExpression, syntax: ModuleSyntax, uses: NameUses): FactoryReading {
  // Callers look names up that come from files, so that nothing may be inherited.
  const names: Record<string, readonly string[]> = Object.create(null);
  const strays: { path: string; what: string }[] = [];
  let isKnown = true;
  for (const property of result.properties) {
    const name = keyOf(property, syntax, uses);
    if (name === undefined || property.type !== 'Property') {
      isKnown = false;
      continue;
    }
    const path = childPath('handlers', name);
    const hooks = objectOf(property.value, uses);
    const what = hooks ? undefined : noObject(property.value, uses);
    if (what !== undefined && !isNothing(property.value)) strays.push({ path, what });
    const keys = hooks ? hookKeys(hooks, { path, syntax, uses, strays }) : [];
    if (keys === undefined || (hooks === undefined && what === undefined)) isKnown = false;
    else setOwn(names, name, keys);
  }
  return { ...(isKnown && { names }), strays };
}

interface HookPlace {
  path: string;
  syntax: ModuleSyntax;
  uses: NameUses;
  strays: { path: string; what: string }[];
}

function hookKeys(hooks: ObjectExpression, { path, syntax, uses, strays }: HookPlace): string[] | undefined {
  const keys: string[] = [];
  for (const hook of hooks.properties) {
    const key = keyOf(hook, syntax, uses);
    if (key === undefined || hook.type !== 'Property') return undefined;
    if (isNothing(hook.value)) continue;
    const what = isFunction(hook.value) ? undefined : noObject(hook.value, uses);
    if (what === undefined || what === 'a function') keys.push(key);
    else strays.push({ path: childPath(path, key), what });
  }
  return keys;
}

/** Why no call of the factory gives a plain object, where its text shows that. */
function faultOf(factory: FunctionNode, uses: NameUses): string | undefined {
  if (factory.generator) return 'It is a generator.';
  if (factory.async) return 'It is async, so it returns a promise.';
  const { body } = factory;
  const returned = body.type === 'BlockStatement' ? returnedBy(body) : [body];
  if (returned.length === 0) {
    const last = body.type === 'BlockStatement' ? body.body.at(-1) : undefined;
    if (last?.type === 'ThrowStatement') return 'It throws.';
    // A loop may have no end, or end by throwing: that is for the wall.
    return hasLoop(body) ? undefined : 'It returns nothing.';
  }
  const others = returned.map((node) => (node === undefined ? 'nothing' : noObject(node, uses)));
  return others.every((what) => what !== undefined) ? `It returns ${others[0]}.` : undefined;
}

function hasLoop(node: AnyNode): boolean {
  if (/^(For|While|DoWhile)/.test(node.type)) return true;
  let found = false;
  forEachPart(node, (part) => {
    found ||= !isFunction(part) && hasLoop(part);
  });
  return found;
}

/** What the factory returns, if that is an object literal and nothing changes it before. */
function resultOf(factory: FunctionNode, uses: NameUses): ObjectExpression | undefined {
  const { body } = factory;
  if (body.type !== 'BlockStatement') return objectOf(body, uses);
  const returned = returnedBy(body);
  const [first] = returned;
  return returned.length === 1 && first ? objectOf(first, uses) : undefined;
}

/** What an expression is, if it is certainly no plain object: in itself, or as the constant that it names. */
function noObject(node: AnyNode, uses: NameUses): string | undefined {
  const what = describeNoObject(node);
  if (what !== undefined || node.type !== 'Identifier') return what;
  const binding = uses().bindings.get(node);
  const declaration = binding?.declaration;
  if (declaration !== undefined && isFunction(declaration)) return 'a function';
  if (binding?.kind !== 'const' || declaration?.type !== 'VariableDeclarator') return undefined;
  return declaration.id.type === 'Identifier' && declaration.init ? describeNoObject(declaration.init) : undefined;
}

function returnedBy(body: AnyNode): (AnyNode | undefined)[] {
  const returned: (AnyNode | undefined)[] = [];
  const visit = (node: AnyNode): void => {
    if (isFunction(node)) return;
    if (node.type === 'ReturnStatement') returned.push(node.argument ?? undefined);
    else forEachPart(node, visit);
  };
  visit(body);
  return returned;
}

/** An object literal, or the one that a name stands for which is only handed on. */
function objectOf(node: AnyNode, uses: NameUses): ObjectExpression | undefined {
  if (node.type === 'ObjectExpression') return node;
  const binding = uses().bindings.get(node);
  const declaration = binding?.declaration;
  if (declaration?.type !== 'VariableDeclarator' || declaration.id.type !== 'Identifier') return undefined;
  const isKept = binding !== undefined && !uses().touched.has(binding);
  return isKept && declaration.init?.type === 'ObjectExpression' ? declaration.init : undefined;
}

/** What names stand for, and which of these may be changed. Collected when the first name is met. */
type NameUses = () => { bindings: ReadonlyMap<AnyNode, Binding>; touched: ReadonlySet<Binding> };

function nameUses({ references }: ModuleSyntax): NameUses {
  let known: ReturnType<NameUses> | undefined;
  return () => {
    if (known !== undefined) return known;
    const bindings = new Map<AnyNode, Binding>();
    const touched = new Set<Binding>();
    for (const { node, parent, binding } of references) {
      if (binding === undefined) continue;
      bindings.set(node, binding);
      if (!['ArrowFunctionExpression', 'ObjectExpression', 'ReturnStatement'].includes(parent.type))
        touched.add(binding);
    }
    known = { bindings, touched };
    return known;
  };
}

function keyOf(
  property: ObjectExpression['properties'][number],
  { moduleScope }: ModuleSyntax,
  uses: NameUses,
): string | undefined {
  if (property.type === 'SpreadElement' || property.kind !== 'init') return undefined;
  const { key } = property;
  if (key.type === 'Literal') return String(key.value);
  if (!property.computed) return key.type === 'Identifier' ? key.name : undefined;
  return namesOnlyConstants(key, uses) ? constantText(key, moduleScope) : undefined;
}

/** Whether all names in an expression are those of constants of the module, so that it means the same everywhere in it. */
function namesOnlyConstants(node: AnyNode, uses: NameUses): boolean {
  if (node.type === 'Identifier') {
    const binding = uses().bindings.get(node);
    return binding?.kind === 'const' && binding.topLevel;
  }
  let only = true;
  forEachPart(node, (part) => {
    only &&= namesOnlyConstants(part, uses);
  });
  return only;
}

/** What an expression is, in words, if its form shows that it is no plain object. */
function describeNoObject(node: AnyNode): string | undefined {
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
function isNothing(node: AnyNode): boolean {
  return (
    (node.type === 'Literal' && node.value === null && !node.regex) ||
    (node.type === 'Identifier' && node.name === 'undefined')
  );
}
