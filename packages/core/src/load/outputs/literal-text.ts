import type { JsonValue } from '../../format/json.ts';

/** How a file writes its literals. */
export interface LiteralStyle {
  quote: string;
  /** Whether keys that need no quotes have them all the same. */
  quotesKeys: boolean;
  /** What a level is indented by. */
  unit: string;
  lineBreak: string;
}

const lineWidth = 100;

/** A value as a literal in the style of a file. `indent` is that of the line on which it begins. */
export function literalText(value: JsonValue, style: LiteralStyle, indent: string): string {
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
export function propertyText(key: string, value: JsonValue, style: LiteralStyle, indent: string): string {
  return `${keyText(key, style)}: ${literalText(value, style, indent)}`;
}

function keyText(key: string, { quote, quotesKeys }: LiteralStyle): string {
  // Written plainly, it would set the prototype.
  if (key === '__proto__') return `[${textLiteral(key, quote)}]`;
  return !quotesKeys && /^[A-Za-z_$][\w$]*$/.test(key) ? key : textLiteral(key, quote);
}

function textLiteral(text: string, quote: string): string {
  const json = JSON.stringify(text);
  return quote === '"' ? json : `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
