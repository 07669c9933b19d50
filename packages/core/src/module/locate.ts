import type { AnyNode, ObjectExpression, Property, SpreadElement } from 'acorn';
import { childPath, type Finding } from '../schema/finding.ts';
import { ruleFinding } from '../schema/finding-codes.ts';
import { type ExportTarget, initialiserOf, type ModuleSyntax } from './module-syntax.ts';
import type { LocateOffset } from './module-text.ts';
import { isMember, keyName } from './syntax-children.ts';

/** Splits a document path, such as `main.tools["a b"].parameters[0]`, into its keys. */
export function splitPath(path: string): string[] {
  if (!path.includes('[')) return path.split('.');
  const keys: string[] = [];
  for (const [, name, index, quoted] of path.matchAll(/([^.[\]"]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g)) {
    keys.push(quoted === undefined ? (name ?? index ?? '') : unquote(quoted));
  }
  return keys;
}

function unquote(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : text;
  } catch {
    // Not a path that we wrote; its nearest parent is found anyway.
    return text;
  }
}

/** Names and spreads that are followed for one path. */
const maxLinks = 1000;

/** The offset of the value at a path, or of its nearest parent in the text. */
export function locateKeys({ moduleScope }: ModuleSyntax, target: ExportTarget, keys: readonly string[]): number {
  let links = 0;

  /** Follows names of constants and `Object.freeze(…)`. */
  function unwrap(from: AnyNode): AnyNode | undefined {
    let value: AnyNode | undefined = from;
    for (; links < maxLinks; links += 1) {
      if (value?.type === 'Identifier') value = initialiserOf(value.name, moduleScope);
      else if (value?.type === 'CallExpression' && isMember(value.callee, 'Object', 'freeze'))
        value = value.arguments[0];
      else return value;
    }
    return undefined;
  }

  function partAt(from: AnyNode, key: string): Part | undefined {
    links += 1;
    const value = unwrap(from);
    if (value?.type === 'ArrayExpression') {
      const index = /^\d+$/.test(key) ? Number(key) : -1;
      const element = value.elements[index];
      // After a spread, positions in the text are not positions in the value.
      const isMoved = value.elements.slice(0, index + 1).some((before) => before?.type === 'SpreadElement');
      return element && !isMoved ? { place: element.start, value: element } : undefined;
    }
    if (value?.type !== 'ObjectExpression') return undefined;
    const own = value.properties.length > smallObject ? lastProperties(value).get(key) : findProperty(value, key);
    for (const property of spreadsOf(value)) {
      if (own !== undefined && property.start < own.start) break;
      const part = partAt(property.argument, key);
      if (part !== undefined) return part;
    }
    return own && { place: own.start, value: own.value };
  }

  let place = target.node.start;
  let value = target.kind === 'name' ? initialiserOf(target.local, moduleScope) : target.node;
  for (const key of keys) {
    const part: Part | undefined = value && partAt(value, key);
    if (part === undefined) break;
    ({ place, value } = part);
  }
  return place;
}

function findProperty({ properties }: ObjectExpression, key: string): Property | undefined {
  return properties.findLast(
    (property): property is Property => property.type === 'Property' && nameOf(property) === key,
  );
}

/** The last one first. */
function spreadsOf({ properties }: ObjectExpression): SpreadElement[] {
  return properties.filter((property) => property.type === 'SpreadElement').reverse();
}

/** Above this, a thousand findings in one object are found by an index: with 100,000 properties, searching took 4.6 s. */
const smallObject = 100;

const indexes = new WeakMap<ObjectExpression, ReadonlyMap<string, Property>>();

/** The last property of each name. */
function lastProperties(value: ObjectExpression): ReadonlyMap<string, Property> {
  const known = indexes.get(value);
  if (known !== undefined) return known;
  const last = new Map<string, Property>();
  for (const property of value.properties) {
    const name = property.type === 'Property' ? nameOf(property) : undefined;
    if (property.type === 'Property' && name !== undefined) last.set(name, property);
  }
  indexes.set(value, last);
  return last;
}

interface Part {
  place: number;
  value: AnyNode;
}

function nameOf({ key, computed }: Property): string | undefined {
  return computed && key.type !== 'Literal' ? undefined : keyName(key);
}

const maxDepth = 50;

/** A warning for each key that an object literal has twice: the first value, a whole tool perhaps, is silently lost. */
export function findRepeatedKeys(
  value: AnyNode,
  path: string,
  { syntax, position }: { syntax: ModuleSyntax; position: LocateOffset },
): Finding[] {
  const findings: Finding[] = [];
  const seen = new Set<AnyNode>();
  /** The current position; it becomes a path only for a finding. */
  const keys: (string | number)[] = [];

  function visit(node: AnyNode, steps: number): void {
    if (node.type === 'Literal' || steps > maxDepth || seen.has(node)) return;
    if (node.type === 'Identifier') {
      const declaration = syntax.moduleScope.bindings?.get(node.name)?.declaration;
      if (declaration?.type === 'VariableDeclarator' && declaration.init) visit(declaration.init, steps + 1);
    } else if (node.type === 'ArrayExpression') {
      seen.add(node);
      node.elements.forEach((element, index) => {
        if (element) visitAt(index, element, steps);
      });
    } else if (node.type === 'ObjectExpression') {
      seen.add(node);
      visitObject(node, steps);
    }
  }

  function visitAt(key: string | number, node: AnyNode, steps: number): void {
    keys.push(key);
    visit(node, steps + 1);
    keys.pop();
  }

  function visitObject({ properties }: ObjectExpression, steps: number): void {
    const known = new Set<string>();
    for (const property of properties) {
      // A key after a spread may override one on purpose.
      if (property.type === 'SpreadElement') known.clear();
      const key = property.type === 'Property' ? nameOf(property) : undefined;
      if (property.type !== 'Property' || key === undefined) continue;
      if (known.has(key)) {
        const place = [...keys, key].reduce<string>(childPath, path);
        const message = `${JSON.stringify(key)} is repeated here; the first value is lost (${place})`;
        const hint = 'Give one of them another name, or delete it.';
        findings.push({ ...ruleFinding('VAL007', place, message, hint), ...position(property.start) });
      }
      known.add(key);
      visitAt(key, property.value, steps);
    }
  }

  visit(value, 0);
  return findings;
}
