import { applyEdits, type TextEdit } from '../../module/module-text.ts';

/** Lines that edits touch, from `first` up to and including `last`, and what stands there afterwards. */
interface Block {
  first: number;
  last: number;
  edits: TextEdit[];
}

/**
 * Shows edits of a text as a unified diff, as `patch` and `git apply -p0` take it. Empty where there are no edits.
 *
 * @param context - Unchanged lines around each change. Default 3.
 */
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
  const blocks = blocksOf(edits, lineAt);

  let grown = 0;
  let diff = `--- ${file}\n+++ ${file}\n`;
  for (const hunk of hunksOf(blocks, context)) {
    const first = Math.max(0, (hunk[0]?.first ?? 0) - context);
    const end = Math.min(lines.length, (hunk.at(-1)?.last ?? 0) + context + 1);
    const body: string[] = [];
    let next = first;
    let added = 0;
    for (const block of hunk) {
      const from = starts[block.first] ?? 0;
      const before = lines.slice(block.first, block.last + 1);
      const moved = block.edits.map((edit) => ({ ...edit, start: edit.start - from, end: edit.end - from }));
      const after = splitLines(applyEdits(before.join(''), moved));
      body.push(...shown(' ', lines.slice(next, block.first)), ...shown('-', before), ...shown('+', after));
      added += after.length - before.length;
      next = block.last + 1;
    }
    body.push(...shown(' ', lines.slice(next, end)));
    const count = end - first;
    diff += `@@ -${first + 1},${count} +${first + 1 + grown},${count + added} @@\n${body.join('')}`;
    grown += added;
  }
  return diff;
}

/** The lines of a text, each with the break that ends it. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [''];
}

function shown(sign: string, lines: readonly string[]): string[] {
  return lines.map((line) =>
    line.endsWith('\n') ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`,
  );
}

/** Edits by the lines that they touch; lines that follow each other are one block. */
function blocksOf(edits: readonly TextEdit[], lineAt: (offset: number) => number): Block[] {
  const blocks: Block[] = [];
  for (const edit of [...edits].sort((left, right) => left.start - right.start)) {
    const first = lineAt(edit.start);
    const last = lineAt(Math.max(edit.start, edit.end - 1));
    const open = blocks.at(-1);
    if (open === undefined || first > open.last + 1) blocks.push({ first, last, edits: [edit] });
    else {
      open.last = Math.max(open.last, last);
      open.edits.push(edit);
    }
  }
  return blocks;
}

/** Blocks whose surroundings touch are shown together. */
function hunksOf(blocks: readonly Block[], context: number): Block[][] {
  const hunks: Block[][] = [];
  for (const block of blocks) {
    const open = hunks.at(-1);
    const end = open?.at(-1)?.last;
    if (open === undefined || end === undefined || block.first - end - 1 > 2 * context) hunks.push([block]);
    else open.push(block);
  }
  return hunks;
}
