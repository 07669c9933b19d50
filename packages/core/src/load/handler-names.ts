import type { AnyNode, ObjectExpression } from 'acorn';
import { setOwn } from './folded-value.ts';
import type { Binding, ModuleSyntax } from './module-syntax.ts';
import { type FunctionNode, forEachPart, isFunction } from './syntax-children.ts';

/**
 * The names that a handlers factory gives hooks for, where its text shows them: tool names to hook names.
 * Undefined where only calling it can tell.
 */
export function readHandlerNames(
  factory: FunctionNode,
  syntax: ModuleSyntax,
): Readonly<Record<string, readonly string[]>> | undefined {
  if (factory.async || factory.generator) return undefined;
  const names = nameUses(syntax);
  const result = resultOf(factory, names);
  if (result === undefined) return undefined;
  // Callers look names up that come from files, so that nothing may be inherited.
  const tools: Record<string, readonly string[]> = Object.create(null);
  for (const property of result.properties) {
    const name = keyOf(property);
    const hooks = property.type === 'Property' ? objectOf(property.value, names) : undefined;
    if (name === undefined || hooks === undefined) return undefined;
    const keys: string[] = [];
    for (const hook of hooks.properties) {
      const key = keyOf(hook);
      if (key === undefined || hook.type !== 'Property') return undefined;
      if (!isNothing(hook.value)) keys.push(key);
    }
    setOwn(tools, name, keys);
  }
  return tools;
}

/** What the factory returns, if that is an object literal and nothing changes it before. */
function resultOf(factory: FunctionNode, names: NameUses): ObjectExpression | undefined {
  const { body } = factory;
  if (body.type !== 'BlockStatement') return objectOf(body, names);
  const returned = returnedBy(body);
  const [first] = returned;
  return returned.length === 1 && first ? objectOf(first, names) : undefined;
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
function objectOf(node: AnyNode, names: NameUses): ObjectExpression | undefined {
  if (node.type === 'ObjectExpression') return node;
  const binding = names().bindings.get(node);
  const declaration = binding?.declaration;
  if (declaration?.type !== 'VariableDeclarator' || declaration.id.type !== 'Identifier') return undefined;
  const isKept = binding !== undefined && !names().touched.has(binding);
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

function keyOf(property: ObjectExpression['properties'][number]): string | undefined {
  if (property.type === 'SpreadElement' || property.kind !== 'init') return undefined;
  const { key } = property;
  if (key.type === 'Literal') return String(key.value);
  return !property.computed && key.type === 'Identifier' ? key.name : undefined;
}

function isNothing(node: AnyNode): boolean {
  return (
    (node.type === 'Literal' && node.value === null && !node.regex) ||
    (node.type === 'Identifier' && node.name === 'undefined')
  );
}
