import { applyEdits, type TextEdit } from '../../module/module-text.ts';

/** A range of lines; `last` is inclusive. */
interface Lines {
  first: number;
  last: number;
}

/** A unified diff for `patch` and `git apply -p0`, with `context` unchanged lines around each change. Empty without edits. */
export function unifiedDiff(
  text: string,
  edits: readonly TextEdit[],
  { file, context = 3 }: { file: string; context?: number },
): string {
  if (edits.length === 0) return '';
  const lines = splitLines(text);
  const starts: number[] = [0];
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length);
  const lineAt = (offset: number) =>
    Math.min(
      starts.findLastIndex((start) => start <= offset),
      lines.length - 1,
    );
  const touched = edits
    .map((edit) => ({ edit, first: lineAt(edit.start), last: lineAt(Math.max(edit.start, edit.end - 1)) }))
    .sort((left, right) => left.edit.start - right.edit.start);

  let grown = 0;
  let diff = `--- ${file}\n+++ ${file}\n`;
  // Changes whose context overlaps share a hunk.
  for (const hunk of groups(groups(touched, 1), 2 * context + 1)) {
    const first = Math.max(0, hunk.first - context);
    const end = Math.min(lines.length, hunk.last + context + 1);
    let body = '';
    let next = first;
    let added = 0;
    for (const block of hunk.parts) {
      const from = starts[block.first] ?? 0;
      const before = lines.slice(block.first, block.last + 1);
      const moved = block.parts.map(({ edit }) => ({ ...edit, start: edit.start - from, end: edit.end - from }));
      const after = splitLines(applyEdits(before.join(''), moved));
      body += shown(' ', lines.slice(next, block.first)) + shown('-', before) + shown('+', after);
      added += after.length - before.length;
      next = block.last + 1;
    }
    body += shown(' ', lines.slice(next, end));
    const count = end - first;
    diff += `@@ -${first + 1},${count} +${first + 1 + grown},${count + added} @@\n${body}`;
    grown += added;
  }
  return diff;
}

/** The lines of a text, with their line breaks. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [''];
}

function shown(sign: string, lines: readonly string[]): string {
  const ended = (line: string) => (line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`);
  return lines.map((line) => sign + ended(line)).join('');
}

/** Groups parts that begin at most `gap` lines after the end of the previous one. */
function groups<Part extends Lines>(parts: readonly Part[], gap: number): (Lines & { parts: Part[] })[] {
  const found: (Lines & { parts: Part[] })[] = [];
  for (const part of parts) {
    const open = found.at(-1);
    if (open === undefined || part.first - open.last > gap) {
      found.push({ first: part.first, last: part.last, parts: [part] });
    } else {
      open.last = Math.max(open.last, part.last);
      open.parts.push(part);
    }
  }
  return found;
}
