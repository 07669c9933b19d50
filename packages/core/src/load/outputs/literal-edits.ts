import { isDeepStrictEqual } from 'node:util';
import type { AnyNode, ObjectExpression, Property } from 'acorn';
import type { TextEdit } from '../../module/module-text.ts';
import type { TextRange } from '../../module/parse-module.ts';
import { keyName } from '../../module/syntax-children.ts';
import { isObject, type JsonObject, type JsonValue } from '../../schema/json.ts';

export interface LiteralSource {
  text: string;
  comments: readonly TextRange[];
  style: LiteralStyle;
  /** The object literal of a value, if an edit affects nothing else. */
  objectOf(value: AnyNode): ObjectExpression | undefined;
}

/** The edits that change one value to another, without touching equal parts. */
export function valueEdits(source: LiteralSource, node: AnyNode, before: unknown, after: JsonValue): TextEdit[] {
  if (isDeepStrictEqual(before, after)) return [];
  const { text, style } = source;
  const object = source.objectOf(node);
  const whole = { start: node.start, end: node.end, text: literalText(after, style, indentAt(text, node.start)) };
  if (object === undefined || !isObject(before) || !isObject(after)) return [whole];
  const properties = plainProperties(object);
  const isKept = Object.keys(before).every((key) => properties.has(key) && Object.hasOwn(after, key));
  if (!isKept || properties.size !== Object.keys(before).length) return [whole];
  const added = Object.keys(after).filter((key) => !properties.has(key));
  const changed = [...properties].flatMap(([key, property]) =>
    property.shorthand
      ? shorthandEdits(source, property, { before: before[key], after: (after as JsonObject)[key] ?? null })
      : valueEdits(source, property.value, before[key], (after as JsonObject)[key] ?? null),
  );
  const entries = added.map((key): [string, JsonValue] => [key, (after as JsonObject)[key] ?? null]);
  const edits = [...changed, ...insertions(source, object, entries)];
  // An object on one line is rewritten as a whole, unless it has comments.
  const breaks = added.length > 0 || edits.some((edit) => edit.text.includes('\n'));
  if (!breaks || text.slice(object.start, object.end).includes('\n') || hasComment(source, object)) return edits;
  const { start, end } = object;
  return [{ start, end, text: literalText(after as JsonObject, style, indentAt(text, start)) }];
}

/** The edits that append properties to an object. */
export function insertions(
  source: LiteralSource,
  object: ObjectExpression,
  entries: readonly (readonly [string, JsonValue])[],
): TextEdit[] {
  if (entries.length === 0) return [];
  const { text, style } = source;
  const last = object.properties.at(-1);
  if (last === undefined) {
    const { start, end } = object;
    return [{ start, end, text: literalText(Object.fromEntries(entries), style, indentAt(text, start)) }];
  }
  const { tail, comma } = endOfProperties(source, object, last);
  const isBroken = spansLines(source, object);
  const indent = indentAt(text, (isBroken ? last : object).start);
  const gap = isBroken ? `${style.lineBreak}${indent}` : ' ';
  const lines = entries.map(([key, value]) => `${gap}${propertyText(key, value, style, indent)}`).join(',');
  const end = comma === undefined ? '' : ',';
  if (comma !== undefined || tail > last.end) {
    const separator = comma === undefined ? [{ start: last.end, end: last.end, text: ',' }] : [];
    return [...separator, { start: tail, end: tail, text: `${lines}${end}` }];
  }
  return [{ start: tail, end: tail, text: `,${lines}` }];
}

/** The properties by name; empty if one is computed, repeated or a getter. */
function plainProperties({ properties }: ObjectExpression): Map<string, Property> {
  const found = new Map<string, Property>();
  for (const property of properties) {
    if (property.type !== 'Property' || property.computed || property.kind !== 'init') return new Map();
    const name = keyName(property.key);
    if (name === undefined || found.has(name)) return new Map();
    found.set(name, property);
  }
  return found;
}

function shorthandEdits(
  { text, style }: LiteralSource,
  { start, end, key }: Property,
  { before, after }: { before: unknown; after: JsonValue },
): TextEdit[] {
  if (isDeepStrictEqual(before, after)) return [];
  return [
    { start, end, text: `${text.slice(key.start, key.end)}: ${literalText(after, style, indentAt(text, start))}` },
  ];
}

/** The end of the last property, including its comma and following comments. */
function endOfProperties(
  { text, comments }: LiteralSource,
  object: ObjectExpression,
  last: AnyNode,
): { tail: number; comma: number | undefined } {
  let comma: number | undefined;
  let tail = last.end;
  for (let at = last.end; at < object.end - 1; at += 1) {
    const comment = comments.find(({ start }) => start === at);
    if (comment !== undefined) {
      tail = comment.end;
      at = comment.end - 1;
    } else if (text[at] === ',') {
      comma = at;
      tail = at + 1;
    }
  }
  return { tail, comma };
}

function spansLines({ text }: LiteralSource, object: ObjectExpression): boolean {
  const first = object.properties[0];
  return first !== undefined && text.slice(object.start, first.start).includes('\n');
}

function hasComment({ comments }: LiteralSource, { start, end }: TextRange): boolean {
  return comments.some((comment) => comment.start > start && comment.end < end);
}

/** The indentation of the line at an offset. */
export function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** How a file writes its literals. */
export interface LiteralStyle {
  quote: string;
  /** Whether all keys are quoted. */
  quotesKeys: boolean;
  /** Indentation of one level. */
  unit: string;
  lineBreak: string;
}

const lineWidth = 100;

/** A value as a literal in the style of a file. `indent` is that of its first line. */
function literalText(value: JsonValue, style: LiteralStyle, indent: string): string {
  if (typeof value === 'string') return textLiteral(value, style.quote);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const inner = indent + style.unit;
  const parts = isList
    ? value.map((item) => literalText(item, style, inner))
    : Object.entries(value).map(([key, item]) => propertyText(key, item, style, inner));
  if (parts.length === 0) return isList ? '[]' : '{}';
  const line = isList ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`;
  const isFlat = Object.values(value).every((item) => typeof item !== 'object' || item === null);
  if (isFlat && indent.length + line.length <= lineWidth) return line;
  const [open, close] = isList ? '[]' : '{}';
  const lines = parts.map((part) => `${inner}${part},${style.lineBreak}`);
  return `${open}${style.lineBreak}${lines.join('')}${indent}${close}`;
}

/** `key: value` of an object literal. */
function propertyText(key: string, value: JsonValue, style: LiteralStyle, indent: string): string {
  return `${keyText(key, style)}: ${literalText(value, style, indent)}`;
}

function keyText(key: string, { quote, quotesKeys }: LiteralStyle): string {
  // A plain key would set the prototype.
  if (key === '__proto__') return `[${textLiteral(key, quote)}]`;
  return !quotesKeys && /^[A-Za-z_$][\w$]*$/.test(key) ? key : textLiteral(key, quote);
}

function textLiteral(text: string, quote: string): string {
  const json = JSON.stringify(text);
  return quote === '"' ? json : `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
