import type { AnyNode, Property } from 'acorn';
import type { DataLiteral } from './data-literal.ts';
import type { ExportTarget } from './module-exports.ts';
import type { ModuleSyntax } from './module-syntax.ts';

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
  value: Value | undefined;
}

type Value = AnyNode | LiteralRange;

/** An object or a list inside of a literal that has no tree: the places of its parts, from one index up to another. */
interface LiteralRange {
  type: 'DataLiteral';
  literal: DataLiteral;
  value: unknown;
  from: number;
  to: number;
}

type Parts = ReadonlyMap<string, Part>;

const maxSteps = 20;

export function keyLocator({ moduleScope, literals }: ModuleSyntax): LocateKeys {
  const known = new Map<Value, Parts>();

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

  function partsOf(from: Value, steps = 0): Parts {
    const value = from.type === 'DataLiteral' ? from : steps < maxSteps ? unwrap(from) : undefined;
    if (value === undefined) return new Map();
    const before = known.get(value);
    if (before !== undefined) return before;
    const parts = value.type === 'DataLiteral' ? partsOfRange(value) : partsOfNode(value, steps);
    known.set(value, parts);
    return parts;
  }

  function partsOfNode(node: AnyNode, steps: number): Parts {
    const literal = literals.get(node);
    return literal ? partsOfRange(wholeOf(literal)) : new Map(readParts(node, steps));
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
    let value: Value | undefined = target.kind === 'name' ? initialiserOf(target.local) : target.node;
    for (const key of keys) {
      const part: Part | undefined = value === undefined ? undefined : partsOf(value).get(key);
      if (part === undefined) break;
      ({ place, value } = part);
    }
    return place;
  };
}

function wholeOf(literal: DataLiteral): LiteralRange {
  return { type: 'DataLiteral', literal, value: literal.value, from: 0, to: literal.places.length };
}

function partsOfRange({ literal, value, from, to }: LiteralRange): Parts {
  const { places, nexts, names } = literal;
  const parts = new Map<string, Part>();
  // Text has none, whatever it has keys for.
  const keys = from < to ? Object.keys(Object(value)) : [];
  let index = from;
  for (const key of keys) {
    const next = nexts[index] ?? to;
    const name = names.find((named) => named.holder === value && String(named.key) === key)?.node;
    const inner = Object(value)[key];
    const range: LiteralRange = { type: 'DataLiteral', literal, value: inner, from: index + 1, to: next };
    parts.set(key, { place: places[index] ?? 0, value: name ?? range });
    index = next;
  }
  return parts;
}

function nameOf({ key, computed }: Property): string | undefined {
  if (key.type === 'Literal') return String(key.value);
  return !computed && key.type === 'Identifier' ? key.name : undefined;
}

function isFreeze(callee: AnyNode): boolean {
  return (
    callee.type === 'MemberExpression' && callee.property.type === 'Identifier' && callee.property.name === 'freeze'
  );
}
