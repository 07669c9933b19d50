/** What a value may be, in the terms of the format (docs/format.md, "Shapes"). */
export interface Shape {
  type: 'string' | 'number' | 'integer' | 'boolean' | 'enum' | 'array' | 'object' | 'record' | 'union' | 'file';
  /** Of an enum. */
  values?: readonly string[];
  /** Of a number or a boolean that can only have one value. */
  only?: number | boolean;
  /** Of an array, or the values of a record. Without it, anything. */
  items?: Shape;
  /** Of an object. Without it, anything. */
  properties?: Readonly<Record<string, Shape>>;
  /** Of a union. */
  variants?: readonly Shape[];
  /** The member that tells the variants of a union apart. */
  discriminator?: string;
  optional?: boolean;
  nullable?: boolean;
  default?: unknown;
  min?: number;
  max?: number;
  length?: number;
  regex?: string;
  description?: string;
}

/** Any JSON value. */
export const anything: Shape = {
  type: 'union',
  variants: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'object' }],
};

const columns = 96;

/** A shape as the `z` of a parameter. `primitive` has several lines where one would be too long. */
export function zBlock(shape: Shape): { primitive: string; options: string[] } {
  return { primitive: callText(shape, 0), options: blockOptions(shape) };
}

/** The options of the outermost shape stand beside it, as texts without quotes. */
function blockOptions({ type, ...shape }: Shape): string[] {
  const { optional, default: value, min, max, length, regex, description } = shape;
  const text = typeof value === 'string' && type !== 'union' ? quotedIfNeeded(value) : JSON.stringify(value);
  return [
    ...(min === undefined ? [] : [`min(${min})`]),
    ...(max === undefined ? [] : [`max(${max})`]),
    ...(length === undefined ? [] : [`length(${length})`]),
    ...(regex === undefined ? [] : [`regex(${/^[\s/]|\s$/.test(regex) ? inSlashes(regex) : regex})`]),
    ...(value === undefined ? [] : [`default(${text})`]),
    ...(optional && value === undefined ? ['optional()'] : []),
    ...(description === undefined ? [] : [`describe(${balanced(description)})`]),
  ];
}

/** Without slashes, spaces at the ends of a pattern would be lost, and slashes there would be no part of it. */
function inSlashes(regex: string): string {
  return `/${regex.replace(/\\\/|\//g, '\\/')}/`;
}

/** Quotes around a whole default, and spaces at its ends, would be lost. */
function quotedIfNeeded(text: string): string {
  return /^\s|\s$|^(['"]).*\1$/s.test(text) ? `"${text}"` : text;
}

/** Options end at the parenthesis that closes them. */
function balanced(text: string): string {
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    else if (character === ')' && --depth < 0) break;
  }
  return depth === 0 ? text : text.replaceAll('(', '[').replaceAll(')', ']');
}

function shapeText(shape: Shape, indent: number): string {
  return `${callText(shape, indent)}${chainText(shape)}`;
}

function chainText({ optional, nullable, default: value, min, max, length, regex, description }: Shape): string {
  return [
    ...(min === undefined ? [] : [`.min(${min})`]),
    ...(max === undefined ? [] : [`.max(${max})`]),
    ...(length === undefined ? [] : [`.length(${length})`]),
    ...(regex === undefined ? [] : [`.regex(${inSlashes(regex)})`]),
    ...(nullable ? ['.nullable()'] : []),
    ...(value === undefined
      ? []
      : [`.default(${typeof value === 'string' ? quoteText(value) : JSON.stringify(value)})`]),
    ...(optional && value === undefined ? ['.optional()'] : []),
    ...(description === undefined ? [] : [`.describe(${quoteText(description)})`]),
  ].join('');
}

function callText(shape: Shape, indent: number): string {
  const { type, values = [], items, properties, variants = [], discriminator } = shape;
  if (type === 'enum') return `enum(${values.map(enumText).join(',')})`;
  if (type === 'array' || type === 'record') return `${type}(${items === undefined ? '' : shapeText(items, indent)})`;
  if (type === 'object' && properties !== undefined) {
    const members = (at: number) =>
      Object.entries(properties).map(([key, member]) => `${memberName(key)}: ${shapeText(member, at)}`);
    if (Object.keys(properties).length === 0) return 'object({})';
    return layOut(members, { open: 'object({', close: '})', padding: ' ', indent });
  }
  if (type !== 'union') return `${type}()`;
  const parts = (at: number) => [
    ...(discriminator === undefined ? [] : [quoteText(discriminator)]),
    ...variants.map((variant) => shapeText(variant, at)),
  ];
  return layOut(parts, { open: 'union(', close: ')', padding: '', indent });
}

interface Layout {
  open: string;
  close: string;
  /** Between the parentheses and what is in them, in one line. */
  padding: string;
  indent: number;
}

/** In one line, or with a line for each part. */
function layOut(parts: (indent: number) => string[], { open, close, padding, indent }: Layout): string {
  const inner = parts(indent + 2);
  const line = `${open}${padding}${inner.join(', ')}${padding}${close}`;
  if (!line.includes('\n') && indent + line.length <= columns) return line;
  const space = ' '.repeat(indent);
  return `${open}\n${inner.map((part) => `${space}  ${part}`).join(',\n')}\n${space}${close}`;
}

function memberName(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : quoteText(key);
}

function enumText(value: string): string {
  return /^[^\s,'"()[\]{}$\\]+$/.test(value) ? value : quoteText(value);
}

function quoteText(text: string): string {
  return /['\\\n\r]/.test(text) ? JSON.stringify(text) : `'${text}'`;
}
