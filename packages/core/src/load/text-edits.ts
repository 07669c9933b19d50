import type { TextRange } from './parse-module.ts';

/** A stretch of text and what stands there afterwards. */
export interface TextEdit extends TextRange {
  text: string;
}

/** Replaces ranges by spaces, keeping line breaks, so that every offset stays what it was. */
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

/** Applies edits in the order of the text. Of two that overlap, the one that starts first wins. */
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
