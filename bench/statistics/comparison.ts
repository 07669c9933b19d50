import { type Quartiles, quartiles } from './quartiles.ts';

/** One measurement. */
export interface Measurement {
  /** In the unit of the comparison. */
  value: number;
  /**
   * Processor time that it took, in any unit. Where other programs keep the machine busy it tells more than elapsed time.
   * Undefined where the system does not say.
   */
  cpu: number | undefined;
}

/** A measurement of many calls: calls a second, and how long each of them took, in milliseconds. */
export interface LoadMeasurement extends Measurement {
  p50: number;
  p99: number;
}

/** Two series that were measured by turns: measurements at one index belong together. */
export interface Comparison {
  /** What was measured. */
  what: string;
  unit: 'ms' | 'µs a call' | 'calls/s' | 'rounds/s' | 'MB';
  rival: { name: string; measurements: readonly Measurement[] };
  ours: readonly Measurement[];
  /** What the ratio of the values should be, or their difference in the unit; absent for a line that only informs. */
  target?: { atMost: number } | { atLeast: number } | { addsAtMost: number };
}

/** What a benchmark gives back: its comparisons, and what a reader must know about them. */
export interface BenchmarkResult {
  title: string;
  comparisons: readonly Comparison[];
  notes?: readonly string[];
}

/** Ours divided by the rival's, measurement by measurement: neighbours in time met the same machine. */
export function ratio({ ours, rival }: Comparison, of: keyof Measurement): Quartiles {
  const read = (measurement: Measurement | undefined): number => measurement?.[of] ?? Number.NaN;
  return quartiles(ours.map((measurement, index) => read(measurement) / read(rival.measurements[index])));
}

/** Ours less the rival's, measurement by measurement. */
function added({ ours, rival }: Comparison): Quartiles {
  return quartiles(ours.map(({ value }, index) => value - (rival.measurements[index]?.value ?? Number.NaN)));
}

/** Whether the median of the ratios, or of the differences, is where it should be; undefined where there is no target. */
export function meetsTarget(comparison: Comparison): boolean | undefined {
  const { target } = comparison;
  if (target === undefined) return undefined;
  if ('addsAtMost' in target) return added(comparison).median <= target.addsAtMost;
  const { median } = ratio(comparison, 'value');
  return 'atMost' in target ? median <= target.atMost : median >= target.atLeast;
}
