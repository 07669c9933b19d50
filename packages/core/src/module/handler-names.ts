import type { AnyNode, ObjectExpression } from 'acorn';
import { childPath } from '../schema/finding.ts';
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
export function readFactory(factory: FunctionNode, { references, moduleScope }: ModuleSyntax): FactoryReading {
  const bindings = new Map<AnyNode, Binding>();
  /** Names of what is more than handed on, and so may be changed. */
  const touched = new Set<Binding>();
  for (const { node, parent, binding } of references) {
    if (binding === undefined) continue;
    bindings.set(node, binding);
    if (!['ArrowFunctionExpression', 'ObjectExpression', 'ReturnStatement'].includes(parent.type)) touched.add(binding);
  }
  const strays: { path: string; what: string }[] = [];
  const { body } = factory;
  const returned = body.type === 'BlockStatement' ? returnedBy(body) : [body];
  const fault = findFault();
  if (fault !== undefined) return { fault, strays };
  const [result] = returned.length === 1 ? returned : [];
  const tools = result && objectOf(result);
  const names = tools && readTools(tools);
  return { ...(names && { names }), strays };

  /** Why no call of the factory gives a plain object, where its text shows that. */
  function findFault(): string | undefined {
    if (factory.generator) return 'It is a generator.';
    if (factory.async) return 'It is async, so it returns a promise.';
    if (returned.length === 0) {
      if (body.type === 'BlockStatement' && body.body.at(-1)?.type === 'ThrowStatement') return 'It throws.';
      // A loop may have no end, or end by throwing: only running it tells.
      return hasLoop(body) ? undefined : 'It returns nothing.';
    }
    const others = returned.map((node) => (node === undefined ? 'nothing' : noObject(node)));
    return others.every((what) => what !== undefined) ? `It returns ${others[0]}.` : undefined;
  }

  function readTools({ properties }: ObjectExpression): Record<string, readonly string[]> | undefined {
    // Callers look names up that come from files, so that nothing may be inherited.
    const names: Record<string, readonly string[]> = Object.create(null);
    let isKnown = true;
    for (const property of properties) {
      const name = keyOf(property);
      if (name === undefined || property.type !== 'Property') {
        isKnown = false;
        continue;
      }
      const path = childPath('handlers', name);
      const hooks = objectOf(property.value);
      const what = hooks ? undefined : noObject(property.value);
      if (what !== undefined && !isNothing(property.value)) strays.push({ path, what });
      const keys = hooks ? hookKeys(hooks, path) : [];
      if (keys === undefined || (hooks === undefined && what === undefined)) isKnown = false;
      else setOwn(names, name, keys);
    }
    return isKnown ? names : undefined;
  }

  function hookKeys(hooks: ObjectExpression, path: string): string[] | undefined {
    const keys: string[] = [];
    for (const hook of hooks.properties) {
      const key = keyOf(hook);
      if (key === undefined || hook.type !== 'Property') return undefined;
      if (isNothing(hook.value)) continue;
      const what = isFunction(hook.value) ? undefined : noObject(hook.value);
      if (what === undefined || what === 'a function') keys.push(key);
      else strays.push({ path: childPath(path, key), what });
    }
    return keys;
  }

  /** What an expression is, if it is certainly no plain object: in itself, or as the constant that it names. */
  function noObject(node: AnyNode): string | undefined {
    const what = describeNoObject(node);
    if (what !== undefined || node.type !== 'Identifier') return what;
    const { kind, declaration } = bindings.get(node) ?? {};
    if (isFunction(declaration)) return 'a function';
    if (kind !== 'const' || declaration?.type !== 'VariableDeclarator') return undefined;
    return declaration.id.type === 'Identifier' && declaration.init ? describeNoObject(declaration.init) : undefined;
  }

  /** An object literal, or the one that a name stands for which is only handed on. */
  function objectOf(node: AnyNode): ObjectExpression | undefined {
    if (node.type === 'ObjectExpression') return node;
    const binding = bindings.get(node);
    const declaration = binding?.declaration;
    if (declaration?.type !== 'VariableDeclarator' || declaration.id.type !== 'Identifier') return undefined;
    const isKept = binding !== undefined && !touched.has(binding);
    return isKept && declaration.init?.type === 'ObjectExpression' ? declaration.init : undefined;
  }

  function keyOf(property: ObjectExpression['properties'][number]): string | undefined {
    if (property.type === 'SpreadElement' || property.kind !== 'init') return undefined;
    const { key } = property;
    if (key.type === 'Literal') return String(key.value);
    if (!property.computed) return key.type === 'Identifier' ? key.name : undefined;
    return namesOnlyConstants(key) ? constantText(key, moduleScope) : undefined;
  }

  /** Whether all names in an expression are those of constants of the module, so that it means the same everywhere in it. */
  function namesOnlyConstants(node: AnyNode): boolean {
    if (node.type === 'Identifier') {
      const binding = bindings.get(node);
      return binding?.kind === 'const' && binding.topLevel;
    }
    return partsOf(node).every(namesOnlyConstants);
  }
}

function hasLoop(node: AnyNode): boolean {
  return /^(For|While|DoWhile)/.test(node.type) || partsOf(node).some((part) => !isFunction(part) && hasLoop(part));
}

function returnedBy(node: AnyNode): (AnyNode | undefined)[] {
  if (isFunction(node)) return [];
  return node.type === 'ReturnStatement' ? [node.argument ?? undefined] : partsOf(node).flatMap(returnedBy);
}

function partsOf(node: AnyNode): AnyNode[] {
  const parts: AnyNode[] = [];
  forEachPart(node, (part) => parts.push(part));
  return parts;
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
