import { type BenchmarkResult, type Comparison, type Measurement, meetsTarget, ratio } from './comparison.ts';
import { type Quartiles, quartiles } from './quartiles.ts';

const header = ['', 'rival', 'rival takes', 'SchemaKit takes', 'ratio', 'target', '', 'ratio of processor time'];

/** A result as a Markdown table that can also be read in a terminal. */
export function formatResult({ title, comparisons, notes = [] }: BenchmarkResult): string {
  const rows = [header, ...comparisons.map(cells)];
  const widths = header.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [first = [], ...rest] = rows;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [`## ${title}`, '', line(first), rule, ...rest.map(line), '', ...notes.map((note) => `- ${note}`)].join('\n');
}

function cells(comparison: Comparison): string[] {
  const { what, unit, rival, ours, target } = comparison;
  const median = (measurements: readonly Measurement[]) => quartiles(measurements.map(({ value }) => value)).median;
  return [
    what,
    rival.name,
    `${formatNumber(median(rival.measurements))} ${unit}`,
    `${formatNumber(median(ours))} ${unit}`,
    formatRatio(ratio(comparison, 'value')),
    target === undefined ? '' : formatTarget(target, unit),
    verdict(meetsTarget(comparison)),
    formatRatio(ratio(comparison, 'cpu')),
  ];
}

/** The median, and the quartiles in brackets. */
function formatRatio({ lower, median, upper }: Quartiles): string {
  return Number.isNaN(median) ? 'unknown' : `${median.toFixed(2)} x (${lower.toFixed(2)}-${upper.toFixed(2)})`;
}

function formatTarget(target: NonNullable<Comparison['target']>, unit: Comparison['unit']): string {
  if ('addsAtMost' in target) return `adds <= ${formatNumber(target.addsAtMost)} ${unit}`;
  return 'atMost' in target ? `<= ${target.atMost} x` : `>= ${target.atLeast} x`;
}

function verdict(meets: boolean | undefined): string {
  if (meets === undefined) return '';
  return meets ? 'met' : 'MISSED';
}

function formatNumber(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 100 ? 0 : 1);
}
