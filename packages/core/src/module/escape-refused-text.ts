import type { AnyNode, Program } from 'acorn';
import type { TextEdit } from './module-text.ts';
import { isMember, pathsToOffsets } from './syntax-children.ts';

type RefusedKind = 'import' | 'comment' | 'eval';

/**
 * SES rejects source text that looks like an import expression, an HTML comment or a direct eval, even inside strings.
 * These are its patterns (`ses/src/transforms.js`), except that `isMemberName` looks at the text before the word.
 */
const refusedPatterns: readonly { kind: RefusedKind; pattern: RegExp }[] = [
  { kind: 'import', pattern: /\bimport\s*(?:\(|\/[/*])/g },
  { kind: 'comment', pattern: /<!--|-->/g },
  { kind: 'eval', pattern: /\beval\s*\(/g },
];

/** A quick check: SES accepts any text without these words. Blanking parts of it adds none. */
export function mayBeRefused(text: string): boolean {
  return /\b(?:import|eval)\b|<!--|-->/.test(text);
}

/** `x.import(` is not an import expression, but `...import(` is. */
function isMemberName(text: string, offset: number, kind: RefusedKind): boolean {
  if (kind === 'comment' || text[offset - 1] !== '.') return false;
  return kind === 'eval' || text.slice(offset - 3, offset) !== '...';
}

export interface RefusedText {
  edits: readonly TextEdit[];
  /** Nodes that could not be rewritten. */
  unresolved: readonly { node: AnyNode; message: string }[];
}

/** Whether SES would reject a text. */
export function isRefused(text: string): boolean {
  return refusedPatterns.some(({ pattern, kind }) =>
    text.matchAll(pattern).some(({ index }) => !isMemberName(text, index, kind)),
  );
}

/** Finds text that SES would reject, and equivalent edits. Parts of `text` may be blanked, but offsets must be those of `program`. */
export function escapeRefusedText(text: string, program: Program): RefusedText {
  const places = refusedPatterns.flatMap(({ pattern, kind }) =>
    [...text.matchAll(pattern)].flatMap(({ index: offset, 0: found }) =>
      isMemberName(text, offset, kind) ? [] : [{ offset, found, kind }],
    ),
  );
  const edits: TextEdit[] = [];
  const unresolved: { node: AnyNode; message: string }[] = [];
  if (places.length === 0) return { edits, unresolved };
  const paths = pathsToOffsets(
    program,
    places.map(({ offset }) => offset),
  );
  for (const { offset, found, kind } of places) {
    const path = paths.get(offset) ?? [program];
    const edit = editFor(text, offset, path, kind);
    if (edit !== undefined) edits.push(edit);
    else {
      const message = `${found} cannot be used in the sandbox`;
      unresolved.push({ node: path.at(-1) ?? program, message });
    }
  }
  return { edits, unresolved };
}

function editFor(text: string, offset: number, path: readonly AnyNode[], kind: RefusedKind): TextEdit | undefined {
  const node = path.at(-1);
  const escaped = escapeAt(text, offset, kind);
  if (node?.type === 'Literal') return inHexadecimal(escaped);
  if (node?.type === 'TemplateElement') {
    const tagged = path.at(-3);
    if (tagged?.type !== 'TaggedTemplateExpression' || tagged.quasi !== path.at(-2)) return inHexadecimal(escaped);
    // An escape would show in the raw text. String.raw only joins its parts, so one more part is harmless.
    const { start, character } = escaped;
    return isMember(tagged.tag, 'String', 'raw')
      ? { start, end: start + 1, text: `\${${JSON.stringify(character)}}` }
      : undefined;
  }
  if (kind === 'comment') {
    // Adjacent operators: `x-->0`, `a<!--b`.
    const gap = text[offset] === '<' ? offset + 1 : offset + 2;
    return { start: gap, end: gap, text: ' ' };
  }
  const isName = (node?.type === 'Identifier' || node?.type === 'PrivateIdentifier') && node.name === kind;
  return isName && !isVariable(node, path.at(-2))
    ? { start: escaped.start, end: escaped.start + 1, text: `\\u${hex(escaped.character, 4)}` }
    : undefined;
}

/**
 * The character to escape. It never belongs to an escape or to the syntax of a regular expression, not even after a
 * backslash, as in `\import(`, or in a look-behind, as in `(?<!--)`.
 */
function escapeAt(text: string, offset: number, kind: RefusedKind): { start: number; character: string } {
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
