import { type Quartiles, quartiles } from './quartiles.ts';

/** Two series that were measured by turns. */
export interface Comparison {
  /** What was measured. */
  what: string;
  unit: 'ms' | 'µs a call' | 'calls/s';
  rival: { name: string; values: readonly number[] };
  ours: readonly number[];
  /** What the ratio should be; absent for a line that only informs. */
  target?: { atMost: number } | { atLeast: number };
}

/** What a benchmark gives back: its comparisons, and what a reader must know about them. */
export interface BenchmarkResult {
  title: string;
  comparisons: readonly Comparison[];
  notes?: readonly string[];
}

/** Ours divided by the rival's, measurement by measurement: neighbours in time met the same machine. */
export function ratio({ ours, rival }: Comparison): Quartiles {
  return quartiles(ours.map((value, index) => value / (rival.values[index] ?? Number.NaN)));
}

/** Whether the median of the ratios is where it should be; undefined where there is no target. */
export function meetsTarget(comparison: Comparison): boolean | undefined {
  const { target } = comparison;
  if (target === undefined) return undefined;
  const { median } = ratio(comparison);
  return 'atMost' in target ? median <= target.atMost : median >= target.atLeast;
}
