import type { AnyNode, ObjectExpression } from 'acorn';
import { setOwn } from './folded-value.ts';
import type { ModuleSyntax } from './module-syntax.ts';
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
  const result = resultOf(factory, syntax);
  if (result === undefined) return undefined;
  // Callers look names up that come from files, so that nothing may be inherited.
  const names: Record<string, readonly string[]> = Object.create(null);
  for (const property of result.properties) {
    const name = keyOf(property);
    const hooks = property.type === 'Property' ? objectOf(property.value, syntax) : undefined;
    if (name === undefined || hooks === undefined) return undefined;
    const keys: string[] = [];
    for (const hook of hooks.properties) {
      const key = keyOf(hook);
      if (key === undefined || hook.type !== 'Property') return undefined;
      if (!isNothing(hook.value)) keys.push(key);
    }
    setOwn(names, name, keys);
  }
  return names;
}

/** What the factory returns, if that is an object literal and nothing changes it before. */
function resultOf(factory: FunctionNode, syntax: ModuleSyntax): ObjectExpression | undefined {
  const { body } = factory;
  if (body.type !== 'BlockStatement') return objectOf(body, syntax);
  const returned = returnedBy(body);
  const [first] = returned;
  return returned.length === 1 && first ? objectOf(first, syntax) : undefined;
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

/** An object literal, or the one that a constant stands for which is used nowhere else. */
function objectOf(node: AnyNode, syntax: ModuleSyntax): ObjectExpression | undefined {
  if (node.type === 'ObjectExpression') return node;
  if (node.type !== 'Identifier') return undefined;
  const reference = syntax.references.find((candidate) => candidate.node === node);
  const declaration = reference?.binding?.declaration;
  if (declaration?.type !== 'VariableDeclarator' || declaration.id.type !== 'Identifier') return undefined;
  const isUsedOnce = syntax.references.every(
    ({ binding, node: other }) => binding !== reference?.binding || other === node,
  );
  return isUsedOnce && declaration.init?.type === 'ObjectExpression' ? declaration.init : undefined;
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
