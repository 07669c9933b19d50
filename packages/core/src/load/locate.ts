import type { AnyNode } from 'acorn';
import type { ExportTarget } from './module-exports.ts';
import type { ModuleSyntax } from './module-syntax.ts';

/** Splits a document path, such as `main.tools["a b"].parameters[0]`, into its keys. */
export function splitPath(path: string): string[] {
  const keys: string[] = [];
  for (const [, name, index, quoted] of path.matchAll(/([^.[\]"]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g)) {
    if (quoted !== undefined) keys.push(unquote(quoted));
    else keys.push(name ?? index ?? '');
  }
  return keys;
}

function unquote(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : text;
  } catch {
    // Not written by us; the nearest parent is found all the same.
    return text;
  }
}

/** The node in which the value at `keys` begins, or its nearest parent that stands in the text. */
export function locateNode(syntax: ModuleSyntax, target: ExportTarget, keys: readonly string[]): AnyNode {
  let place: AnyNode = target.node;
  let value = target.kind === 'name' ? initialiserOf(syntax, target.local) : target.node;
  for (const key of keys) {
    const part = value && partOf(syntax, value, key);
    if (part === undefined) break;
    place = part.place;
    value = part.value;
  }
  return place;
}

interface Part {
  place: AnyNode;
  value: AnyNode | undefined;
}

function initialiserOf(syntax: ModuleSyntax, name: string): AnyNode | undefined {
  const declaration = syntax.moduleScope.bindings?.get(name)?.declaration;
  if (declaration?.type !== 'VariableDeclarator') return declaration;
  return declaration.id.type === 'Identifier' ? (declaration.init ?? undefined) : undefined;
}

function partOf(syntax: ModuleSyntax, from: AnyNode, key: string): Part | undefined {
  const value = unwrap(syntax, from);
  if (value?.type === 'ArrayExpression') {
    const before = value.elements.slice(0, Number(key) + 1);
    const element = before[Number(key)];
    // After a spread, positions in the text are not positions in the value.
    if (!element || before.some((item) => item?.type === 'SpreadElement')) return undefined;
    return { place: element, value: element };
  }
  if (value?.type !== 'ObjectExpression') return undefined;
  for (const property of [...value.properties].reverse()) {
    if (property.type === 'SpreadElement') {
      const part = partOf(syntax, property.argument, key);
      if (part !== undefined) return part;
    } else if (!property.computed && property.key.type === 'Identifier' && property.key.name === key) {
      return { place: property, value: property.value };
    } else if (property.key.type === 'Literal' && String(property.key.value) === key) {
      return { place: property, value: property.value };
    }
  }
  return undefined;
}

/** Looks through names of constants and `Object.freeze(…)`. */
function unwrap(syntax: ModuleSyntax, from: AnyNode): AnyNode | undefined {
  let value: AnyNode | undefined = from;
  for (let steps = 0; steps < 20; steps += 1) {
    if (value?.type === 'Identifier') value = initialiserOf(syntax, value.name);
    else if (value?.type === 'CallExpression' && isFreeze(value.callee)) value = value.arguments[0];
    else return value;
  }
  return undefined;
}

function isFreeze(callee: AnyNode): boolean {
  return (
    callee.type === 'MemberExpression' && callee.property.type === 'Identifier' && callee.property.name === 'freeze'
  );
}
