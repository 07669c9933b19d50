import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import type { TextRange } from './parse-module.ts';

export interface ModuleText {
  /** sha256 of the bytes, in hexadecimal. */
  hash: string;
  /** Without a byte order mark, as Node reads it. */
  text: string;
  byteLength: number;
  /** False when the bytes are not UTF-8 (or the string has lone surrogates); `text` then has U+FFFD in their place. */
  wellFormed: boolean;
}

const decoder = new TextDecoder('utf-8');
const byteOrderMark = '\uFEFF';

/** Decodes a module as Node does: UTF-8, replacement characters for broken bytes, no byte order mark. */
export function readModuleText(source: Uint8Array | string): ModuleText {
  if (typeof source === 'string') {
    const wellFormed = source.isWellFormed();
    const text = wellFormed ? source : source.toWellFormed();
    return {
      hash: hash('sha256', text),
      text: text.startsWith(byteOrderMark) ? text.slice(1) : text,
      byteLength: Buffer.byteLength(text),
      wellFormed,
    };
  }
  return {
    hash: hash('sha256', source),
    text: decoder.decode(source),
    byteLength: source.byteLength,
    wellFormed: isUtf8(source),
  };
}

/** A position in a text. Both numbers are 1-based; columns count UTF-16 code units. */
export interface TextPosition {
  line: number;
  column: number;
}

/** Turns offsets into lines and columns. The table of lines is built on first use. */
export type LocateOffset = (offset: number) => TextPosition;

/** Lines end at LF, CR, CR LF, U+2028 and U+2029, as in ECMAScript. */
export function offsetLocator(text: string): LocateOffset {
  let starts: number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(text);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  const ending = /\r\n|[\n\r\u2028\u2029]/g;
  while (ending.test(text)) starts.push(ending.lastIndex);
  return starts;
}

export interface TextEdit extends TextRange {
  text: string;
}

/** Replaces ranges by spaces, keeping line breaks and all offsets. */
export function blank(text: string, ranges: readonly TextRange[]): string {
  return applyEdits(
    text,
    ranges.map(({ start, end }) => ({
      start,
      end,
      text: text.slice(start, end).replace(/[^\n\r\u2028\u2029]+/g, (part) => ' '.repeat(part.length)),
    })),
  );
}

/** Applies edits. Of two that overlap, the one that starts first wins. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = '';
  let done = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (edit.start < done) continue;
    result += text.slice(done, edit.start) + edit.text;
    done = edit.end;
  }
  return result + text.slice(done);
}
