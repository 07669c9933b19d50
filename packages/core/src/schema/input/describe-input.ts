import { onlyValue, type ZExpression } from '../z/z-expression.ts';
import { maxFileBytes, parseFileValue } from './file-value.ts';

const MAX_LISTED = 20;
const MAX_SHOWN = 60;

/** The values that an expression allows, in words that complete "expected …": `a number from 1 to 100`. */
export function describeExpected(z: ZExpression): string {
  return z.nullable ? `${describeType(z)} or null` : describeType(z);
}

function describeType(z: ZExpression): string {
  switch (z.primitive) {
    case 'string':
      return `text${sizeOf(z, 'character')}${z.pattern === undefined ? '' : ` that matches ${z.pattern}`}`;
    case 'number':
      return `a ${z.integer ? 'whole ' : ''}number${rangeOf(z, 'from')}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return `a list${sizeOf(z, 'item')}${z.items ? `, each ${describeExpected(z.items)}` : ''}`;
    case 'object':
      return z.properties === undefined ? 'an object or a list' : describeObject(z.properties);
    case 'record':
      return `an object${sizeOf(z, 'member')}${z.values ? `, each ${describeExpected(z.values)}` : ''}`;
    case 'union':
      return describeUnion(z);
    case 'file':
      return `a file of at most ${count(z.max ?? maxFileBytes, 'byte')}${z.types ? ` (${z.types.join(', ')})` : ''}, as base64 text or a data: URL with base64`;
    case 'enum':
      return describeMembers(z);
  }
}

/** The caller's value, shortened, in words that complete "got …": `"many" (text)`. */
export function describeGiven(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return `${quote(value)} (text)`;
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  if (Array.isArray(value)) return `a list of ${count(value.length, 'item')}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** A caller's file by its size and type, never its content: `a file of 12 bytes (text/plain)`. */
export function describeFile(value: unknown): string {
  const file = typeof value === 'string' ? parseFileValue(value) : undefined;
  if (file === undefined) {
    if (typeof value !== 'string') return describeGiven(value);
    return /^data:/i.test(value) ? 'a data: URL without base64' : 'other text';
  }
  return `a file of ${count(file.bytes, 'byte')}${file.type === undefined ? '' : ` (${file.type})`}`;
}

/** Quotes untrusted text, on one line and shortened. */
export function quote(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}

export function listWords(words: readonly string[]): string {
  const listed = words.slice(0, MAX_LISTED).map(quote).join(', ');
  return words.length > MAX_LISTED ? `${listed} and ${words.length - MAX_LISTED} more` : listed;
}

function describeObject(properties: Readonly<Record<string, ZExpression>>): string {
  const names = Object.keys(properties);
  const required = names.filter((name) => !properties[name]?.optional);
  return describeNames(required.length > 0 ? required : names);
}

/** An object by the names of its members. */
export function describeNames(names: readonly string[]): string {
  return names.length === 0 ? 'an object without members' : `an object with ${listWords(names)}`;
}

const MAX_VARIANTS = 5;

function describeUnion({ variants = [], discriminator }: ZExpression): string {
  if (discriminator !== undefined) {
    const tags = variants.flatMap(({ properties = {} }) => onlyValue(properties[discriminator]) ?? []);
    return `an object whose ${quote(discriminator)} is one of ${listWords(tags)}`;
  }
  const words = variants.slice(0, MAX_VARIANTS).map(describeExpected);
  return [...new Set(words), ...(variants.length > MAX_VARIANTS ? ['another variant'] : [])].join(', or ');
}

function describeMembers({ members = [] }: ZExpression): string {
  const words = members.filter((member) => typeof member === 'string');
  if (words.length < members.length) return 'text';
  return words.length === 1 ? listWords(words) : `one of ${listWords(words)}`;
}

function rangeOf({ min, max }: ZExpression, between: string, shown: (bound: number) => string = String): string {
  if (min !== undefined && max !== undefined) return ` ${between} ${min} to ${shown(max)}`;
  if (min !== undefined) return ` of at least ${shown(min)}`;
  return max === undefined ? '' : ` of at most ${shown(max)}`;
}

function sizeOf(z: ZExpression, unit: string): string {
  if (z.length !== undefined) return ` of exactly ${count(z.length, unit)}`;
  return rangeOf(z, 'of', (size) => count(size, unit));
}

function count(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}
