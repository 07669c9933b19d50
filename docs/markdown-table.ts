/** A table with its columns aligned, as the formatter has it. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map(escapeCell));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  const [first = [], ...others] = cells;
  return [line(first), rule, ...others.map(line)].join('\n');
}

/** A bar would end the cell; outside of code, brackets and double underscores would be markup. */
function escapeCell(text: string): string {
  const parts = text.replaceAll('|', '\\|').split('`');
  return parts.map((part, index) => (index % 2 === 1 ? part : escapeText(part))).join('`');
}

function escapeText(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('__', '\\_\\_');
}
