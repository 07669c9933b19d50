import { styleText } from 'node:util';
import { printable } from './terminal-text.ts';

/** Columns of the terminal; at most `max`. Without a terminal, as many as lines may have. */
export function terminalWidth(max: number = Number.POSITIVE_INFINITY): number {
  return Math.min(process.stdout.columns || max, max);
}

/** Text that does not fit into a column narrower than this gets lines of its own. */
const narrowest = 20;

/** Breaks a text between words into lines of at most `width` characters. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Aligned columns without a heading. The last one is wrapped to the width of the terminal, below its own beginning. */
export function textColumns(
  rows: readonly (readonly string[])[],
  { indent = 0, width = terminalWidth() }: { indent?: number; width?: number } = {},
): string[] {
  const cells = rows.map((row) => row.map((cell) => printable(cell)));
  const count = Math.max(0, ...cells.map(({ length }) => length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  return cells.flatMap((row) => {
    const before = row.slice(0, -1).map((cell, column) => `${cell.padEnd(widths[column] ?? 0)}  `);
    const lead = `${' '.repeat(indent)}${before.join('')}`;
    const space = width - lead.length;
    const last = row.at(-1) ?? '';
    if (space < narrowest && last.length > space) {
      const below = ' '.repeat(indent + 4);
      return [lead.trimEnd(), ...wrapText(last, width - below.length).map((line) => `${below}${line}`)];
    }
    const [first = '', ...more] = last.length <= space ? [last] : wrapText(last, space);
    return [`${lead}${first}`.trimEnd(), ...more.map((line) => `${' '.repeat(lead.length)}${line}`)];
  });
}

export function textTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const [title = '', ...lines] = textColumns([heading, ...rows]);
  return `${[styleText('bold', title, { stream: process.stdout }), ...lines].join('\n')}\n`;
}

export function firstLine(text: string, length = 80): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
