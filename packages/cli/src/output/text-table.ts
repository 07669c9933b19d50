import { styleText } from 'node:util';
import { printable } from './terminal-text.ts';

export function textTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => printable(cell)));
  const widths = heading.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  const title = styleText('bold', line(heading), { stream: process.stdout });
  return `${[title, ...cells.map(line)].join('\n')}\n`;
}

export function firstLine(text: string, length = 80): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
