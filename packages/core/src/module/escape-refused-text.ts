import type { AnyNode, Program } from 'acorn';
import type { TextEdit } from './module-text.ts';
import { pathsToOffsets } from './syntax-children.ts';

/**
 * SES refuses source text that looks like an import expression, an HTML comment or a direct eval, even inside of strings.
 * These are its own patterns (`ses/src/transforms.js`) apart from what they ask of the text before the word, which
 * `isMember` asks: that way they start with a word, and searching is much faster.
 */
const refusedPatterns: readonly { kind: 'import' | 'comment' | 'eval'; pattern: RegExp }[] = [
  { kind: 'import', pattern: /\bimport\s*(?:\(|\/[/*])/g },
  { kind: 'comment', pattern: /<!--|-->/g },
  { kind: 'eval', pattern: /\beval\s*\(/g },
];

/** Whether a text has the words of which SES refuses some. Blanking parts of it adds none. */
export function mayBeRefused(text: string): boolean {
  return /\b(?:import|eval)\b|<!--|-->/.test(text);
}

/** `x.import(` is no import expression, but `...import(` is one. */
function isMember(text: string, offset: number, kind: 'import' | 'comment' | 'eval'): boolean {
  if (kind === 'comment' || text[offset - 1] !== '.') return false;
  return kind === 'eval' || text.slice(offset - 3, offset) !== '...';
}

export interface RefusedText {
  edits: readonly TextEdit[];
  /** Places where the text could not be written in another way. */
  left: readonly { node: AnyNode; message: string }[];
}

/** Whether SES would refuse a text. */
export function isRefused(text: string): boolean {
  return refusedPatterns.some(({ pattern, kind }) =>
    text.matchAll(pattern).some(({ index }) => !isMember(text, index, kind)),
  );
}

/**
 * Finds what SES would refuse in a text, and edits that give text with the same meaning that it takes.
 *
 * @param text - The text of the module, in which parts may be blanked but nothing is moved.
 */
export function escapeRefusedText(text: string, program: Program): RefusedText {
  const places = refusedPatterns.flatMap(({ pattern, kind }) =>
    [...text.matchAll(pattern)].flatMap(({ index: offset, 0: found }) =>
      isMember(text, offset, kind) ? [] : [{ offset, found, kind }],
    ),
  );
  const edits: TextEdit[] = [];
  const left: { node: AnyNode; message: string }[] = [];
  if (places.length === 0) return { edits, left };
  const paths = pathsToOffsets(
    program,
    places.map(({ offset }) => offset),
  );
  for (const { offset, found, kind } of places) {
    const path = paths.get(offset) ?? [program];
    const edit = editFor(text, offset, path, kind);
    if (edit !== undefined) edits.push(edit);
    else
      left.push({
        node: path.at(-1) ?? program,
        message: `${found} cannot be carried over to the host of the handlers`,
      });
  }
  return { edits, left };
}

function editFor(
  text: string,
  offset: number,
  path: readonly AnyNode[],
  kind: 'import' | 'comment' | 'eval',
): TextEdit | undefined {
  const node = path.at(-1);
  const escaped = escapeAt(text, offset, kind);
  if (node?.type === 'Literal') return inHexadecimal(escaped);
  if (node?.type === 'TemplateElement') {
    const tagged = path.at(-3);
    if (tagged?.type !== 'TaggedTemplateExpression' || tagged.quasi !== path.at(-2)) return inHexadecimal(escaped);
    // An escape would show in the raw text. String.raw only joins its parts, so that one more part makes no difference.
    const { start, character } = escaped;
    return isStringRaw(tagged.tag) ? { start, end: start + 1, text: `\${${JSON.stringify(character)}}` } : undefined;
  }
  if (kind === 'comment') {
    // Operators that touch each other: `x-->0`, `a<!--b`.
    const gap = text[offset] === '<' ? offset + 1 : offset + 2;
    return { start: gap, end: gap, text: ' ' };
  }
  const isName = (node?.type === 'Identifier' || node?.type === 'PrivateIdentifier') && node.name === kind;
  const isMemberName = isName && !isVariable(node, path.at(-2));
  return isMemberName
    ? { start: escaped.start, end: escaped.start + 1, text: `\\u${hex(escaped.character, 4)}` }
    : undefined;
}

/**
 * The character to write in another way. It is chosen so that it never belongs to an escape or to the syntax of a regular
 * expression, not even where the text starts with a backslash, as in `\import(`, or with a look-behind, as in `(?<!--)`.
 */
function escapeAt(
  text: string,
  offset: number,
  kind: 'import' | 'comment' | 'eval',
): { start: number; character: string } {
  const step = kind === 'import' ? 2 : kind === 'eval' ? 1 : text[offset] === '<' ? 3 : 2;
  return { start: offset + step, character: text[offset + step] ?? '' };
}

function inHexadecimal({ start, character }: { start: number; character: string }): TextEdit {
  return { start, end: start + 1, text: `\\x${hex(character, 2)}` };
}

function hex(character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, '0');
}

function isVariable(node: AnyNode, parent: AnyNode | undefined): boolean {
  switch (parent?.type) {
    case 'MemberExpression':
      return parent.computed || parent.property !== node;
    case 'Property':
      return parent.computed || parent.shorthand || parent.key !== node;
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return parent.computed || parent.key !== node;
    default:
      return true;
  }
}

function isStringRaw(tag: AnyNode): boolean {
  return (
    tag.type === 'MemberExpression' &&
    !tag.computed &&
    tag.object.type === 'Identifier' &&
    tag.object.name === 'String' &&
    tag.property.type === 'Identifier' &&
    tag.property.name === 'raw'
  );
}
