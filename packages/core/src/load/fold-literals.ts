import type {
  AnyNode,
  ArrayExpression,
  Expression,
  ObjectExpression,
  Property,
  SpreadElement,
  TemplateLiteral,
} from 'acorn';
import type { DataLiteral } from './data-literal.ts';
import { keyOf, readable } from './fold-members.ts';
import { type Folded, foldedOpaque, isNotData, type Locals, setOwn } from './folded-value.ts';
import { type Folding, maxArrayLength, native, spendOn, spendOnText } from './folding.ts';
import { NotFoldable, needsEvaluation, wouldThrow } from './not-foldable.ts';

export function foldObject(folding: Folding, node: ObjectExpression, locals: Locals | undefined): Folded {
  const object: { [key: string]: Folded } = {};
  for (const property of node.properties) {
    if (property.type === 'SpreadElement') {
      const source = folding.fold(property.argument, locals);
      copyOwn(folding, source, object, property);
      continue;
    }
    const key = propertyKey(folding, property, locals);
    if (property.kind !== 'init') setOwn(object, key, foldedOpaque(property, 'a getter or a setter'));
    else if (setsPrototype(property, key)) {
      throw new NotFoldable('invalid', '`__proto__:` sets the prototype instead of a key', property);
    } else setOwn(object, key, folding.fold(property.value, locals));
  }
  return object;
}

/** A literal that was read as data: only the names in it are left to be looked up. */
export function foldData(folding: Folding, { value, names, parts }: DataLiteral, locals: Locals | undefined): Folded {
  folding.steps += parts;
  for (const { holder, key, node } of names) {
    setOwn(holder as Record<string, unknown>, String(key), folding.fold(node, locals));
  }
  return value;
}

/** `__proto__: value` and `'__proto__': value`, but not `['__proto__']: value`, `__proto__` alone, or a method. */
function setsPrototype({ computed, shorthand, method }: Property, key: string): boolean {
  return key === '__proto__' && !computed && !shorthand && !method;
}

function propertyKey(folding: Folding, { key, computed }: Property, locals: Locals | undefined): string {
  if (!computed && key.type === 'Identifier') return key.name;
  if (!computed && key.type === 'Literal') return String(key.value);
  return keyOf(folding.fold(key, locals), key);
}

function copyOwn(folding: Folding, source: Folded, target: { [key: string]: Folded }, node: AnyNode): void {
  if (isNotData(source) || source instanceof Set) needsEvaluation(node, 'something that is not data is spread');
  if (Array.isArray(source) && folding.hasHoles)
    needsEvaluation(node, 'an array that may have holes is spread into an object');
  if (typeof source === 'string') source = splitUnits(source);
  if (typeof source !== 'object' || source === null) return;
  const entries = Object.entries(source);
  folding.steps += entries.length;
  for (const [key, value] of entries) setOwn(target, key, readable(value, node));
}

/** Spreading a text into an object goes by code units, unlike spreading it into an array. */
function splitUnits(text: string): string[] {
  return text.split('');
}

export function foldArray(folding: Folding, node: ArrayExpression, locals: Locals | undefined): Folded[] {
  if (node.elements.includes(null)) folding.hasHoles = true;
  return foldList(folding, node.elements, locals);
}

/** The values of the elements of an array, or of the arguments of a call. Holes become undefined. */
export function foldList(
  folding: Folding,
  nodes: readonly (Expression | SpreadElement | null)[],
  locals: Locals | undefined,
): Folded[] {
  const list: Folded[] = [];
  for (const node of nodes) {
    if (node === null) list.push(undefined);
    else if (node.type !== 'SpreadElement') list.push(folding.fold(node, locals));
    else {
      for (const item of iterate(folding.fold(node.argument, locals), node)) list.push(item);
      folding.steps += list.length;
      if (list.length > maxArrayLength) needsEvaluation(node, 'the array is too long to be read');
    }
  }
  return list;
}

/** What a spread or a destructuring goes through. */
export function iterate(value: Folded, node: AnyNode): Iterable<Folded> {
  if (typeof value === 'string' || Array.isArray(value) || value instanceof Set) return value;
  if (isNotData(value)) return needsEvaluation(node, 'something that is not data is spread');
  return wouldThrow(node, 'what is spread is not iterable');
}

export function foldTemplate(folding: Folding, node: TemplateLiteral, locals: Locals | undefined): string {
  return joinTemplate(folding, node, { texts: node.quasis.map(({ value }) => value.cooked ?? ''), locals });
}

/** `String.raw` takes the text as it is written, without escapes. */
export function foldRawTemplate(folding: Folding, node: TemplateLiteral, locals: Locals | undefined): string {
  return joinTemplate(folding, node, { texts: node.quasis.map(({ value }) => value.raw), locals });
}

function joinTemplate(
  folding: Folding,
  node: TemplateLiteral,
  { texts, locals }: { texts: readonly string[]; locals: Locals | undefined },
): string {
  let text = texts[0] ?? '';
  node.expressions.forEach((expression, index) => {
    const value = folding.fold(expression, locals);
    spendOn(folding, value, expression);
    if (value instanceof Set) needsEvaluation(expression, 'a Set is turned into text');
    text += native(expression, () => String(value)) + (texts[index + 1] ?? '');
    spendOnText(folding, text, node);
  });
  return text;
}
