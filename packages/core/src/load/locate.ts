import type { AnyNode, Property } from 'acorn';
import type { ExportTarget } from './module-exports.ts';
import type { ModuleSyntax } from './module-syntax.ts';
import { isFreeze } from './syntax-children.ts';

/** Splits a document path, such as `main.tools["a b"].parameters[0]`, into its keys. */
export function splitPath(path: string): string[] {
  if (!path.includes('[')) return path.split('.');
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

/** Finds the offset at which the value at a path begins, or its nearest parent that stands in the text. */
export type LocateKeys = (target: ExportTarget, keys: readonly string[]) => number;

interface Part {
  place: number;
  value: AnyNode;
}

type Parts = ReadonlyMap<string, Part>;

const maxSteps = 20;

export function keyLocator({ moduleScope }: ModuleSyntax): LocateKeys {
  const known = new Map<AnyNode, Parts>();

  function initialiserOf(name: string): AnyNode | undefined {
    const declaration = moduleScope.bindings?.get(name)?.declaration;
    if (declaration?.type !== 'VariableDeclarator') return declaration;
    return declaration.id.type === 'Identifier' ? (declaration.init ?? undefined) : undefined;
  }

  /** Looks through names of constants and `Object.freeze(…)`. */
  function unwrap(from: AnyNode): AnyNode | undefined {
    let value: AnyNode | undefined = from;
    for (let steps = 0; steps < maxSteps; steps += 1) {
      if (value?.type === 'Identifier') value = initialiserOf(value.name);
      else if (value?.type === 'CallExpression' && isFreeze(value.callee)) value = value.arguments[0];
      else return value;
    }
    return undefined;
  }

  function partsOf(from: AnyNode, steps: number): Parts {
    const node = steps < maxSteps ? unwrap(from) : undefined;
    return node === undefined ? new Map() : partsOfNode(node, steps);
  }

  function partsOfNode(node: AnyNode, steps: number): Parts {
    const before = known.get(node);
    if (before !== undefined) return before;
    const parts = new Map(readParts(node, steps));
    known.set(node, parts);
    return parts;
  }

  function* readParts(value: AnyNode, steps: number): Generator<[string, Part]> {
    if (value.type === 'ArrayExpression') {
      for (const [index, element] of value.elements.entries()) {
        // After a spread, positions in the text are not positions in the value.
        if (element?.type === 'SpreadElement') return;
        if (element) yield [String(index), { place: element.start, value: element }];
      }
    } else if (value.type === 'ObjectExpression') {
      for (const property of value.properties) {
        if (property.type === 'SpreadElement') yield* partsOf(property.argument, steps + 1);
        else {
          const name = nameOf(property);
          if (name !== undefined) yield [name, { place: property.start, value: property.value }];
        }
      }
    }
  }

  return (target, keys) => {
    let place = target.node.start;
    let value: AnyNode | undefined = target.kind === 'name' ? initialiserOf(target.local) : target.node;
    for (const key of keys) {
      const part: Part | undefined = value && partsOf(value, 0).get(key);
      if (part === undefined) break;
      ({ place, value } = part);
    }
    return place;
  };
}

function nameOf({ key, computed }: Property): string | undefined {
  if (key.type === 'Literal') return String(key.value);
  return !computed && key.type === 'Identifier' ? key.name : undefined;
}
