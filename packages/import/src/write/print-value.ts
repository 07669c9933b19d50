import { operationKey } from '../graphql/handlers-text.ts';

const columns = 100;

/** The name of a constant for a value that is written once and used several times; undefined for others. */
export type ConstantOf = (value: object) => string | undefined;

interface PrintPlace {
  /** Columns before the line that the value is in. */
  indent: number;
  /** Characters before the value in its line. */
  used: number;
  constantOf: ConstantOf;
  /** Whether space between the words of a text means nothing, as in shapes. */
  isLoose?: boolean;
}

/** Prints a JSON value as JavaScript, in the style of Prettier with single quotes. */
function printValue(value: unknown, { indent, used, constantOf, isLoose = false }: PrintPlace): string {
  if (typeof value === 'string')
    return isLoose && value.includes('\n') ? templateText(value, indent) : printText(value, { indent, used });
  if (typeof value !== 'object' || value === null) return String(value);
  return constantOf(value) ?? printObject(value, { indent, used, constantOf });
}

/** Prints an object or an array without asking for its own constant. */
export function printObject(value: object, { indent, used, constantOf }: PrintPlace): string {
  const inner = indent + 2;
  const isArray = Array.isArray(value);
  const [open, close] = isArray ? ['[', ']'] : ['{', '}'];
  const parts = Object.entries(value).map(([key, child]) => {
    const name = isArray ? '' : `${printKey(key)}: `;
    const isLoose = key === 'primitive' || (key === 'value' && Object(value).key === operationKey);
    const text = printValue(child, { indent: inner, used: inner + name.length, constantOf, isLoose });
    if (text === key && !isArray) return key;
    // The pieces of a long text begin in the line after a key, and in the line of an item.
    return text.startsWith('\n') ? `${name.trimEnd()}${isArray ? text.trimStart() : text}` : `${name}${text}`;
  });
  if (parts.length === 0) return `${open}${close}`;
  const padding = isArray ? '' : ' ';
  const line = `${open}${padding}${parts.join(', ')}${padding}${close}`;
  if (!line.includes('\n') && used + line.length < columns) return line;
  const space = ' '.repeat(indent);
  return `${open}\n${parts.map((part) => `${space}  ${part},\n`).join('')}${space}${close}`;
}

function printKey(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) && key !== '__proto__' ? key : quote(key);
}

function printText(text: string, { indent, used }: Pick<PrintPlace, 'indent' | 'used'>): string {
  const quoted = quote(text);
  if (used + quoted.length < columns || !text.includes(' ')) return quoted;
  const space = ' '.repeat(indent + 2);
  const pieces = piecesOf(text, columns - indent - 8).map((piece) => `${space}${quote(piece)}`);
  return pieces.length < 2 ? quoted : `\n${pieces.join(' +\n')}`;
}

/** Shapes and GraphQL operations have lines of their own. */
function templateText(text: string, indent: number): string {
  const escaped = text.replace(/[\\`]|\$(?=\{)/g, '\\$&');
  return `\`${escaped.replaceAll('\n', `\n${' '.repeat(indent)}`)}\``;
}

function piecesOf(text: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const word of text.split(/(?<= )/)) {
    if (piece !== '' && piece.length + word.length > width) {
      pieces.push(piece);
      piece = '';
    }
    piece += word;
  }
  return [...pieces, piece];
}

function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replaceAll('\\', '\\\\').replace(/[\p{Cc}\u2028\u2029]/gu, escapeCharacter);
  return `${mark}${mark === "'" ? escaped.replaceAll("'", "\\'") : escaped}${mark}`;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
