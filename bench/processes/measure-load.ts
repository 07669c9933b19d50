import type { LoadMeasurement } from '../statistics/comparison.ts';

export interface Load {
  /** Calls at a time. */
  concurrency: number;
  /** How long new calls are begun. */
  milliseconds: number;
}

/** Calls after which the code of a server is compiled: the first thousands of calls of a process are slower than the others. */
export const untilCompiled: Load = { concurrency: 32, milliseconds: 3000 };

/** Calls again and again, so many at a time, and gives back calls a second and how long they took. */
export async function measureLoad(
  { concurrency, milliseconds }: Load,
  { call, processorTime }: { call: () => Promise<void>; processorTime: () => number | undefined },
): Promise<LoadMeasurement> {
  const durations: number[] = [];
  const cpuBefore = processorTime();
  const begun = performance.now();
  const callInTurn = async () => {
    for (let start = begun; start - begun < milliseconds; start = performance.now()) {
      await call();
      durations.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, callInTurn));
  return loadMeasurement(durations, { elapsed: performance.now() - begun, cpuBefore, cpuAfter: processorTime() });
}

/** Puts the durations of calls, in milliseconds, together to one measurement. */
export function loadMeasurement(
  durations: readonly number[],
  { elapsed, cpuBefore, cpuAfter }: { elapsed: number; cpuBefore: number | undefined; cpuAfter: number | undefined },
): LoadMeasurement {
  const sorted = Float64Array.from(durations).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  const isKnown = cpuBefore !== undefined && cpuAfter !== undefined;
  return {
    value: (1000 * durations.length) / elapsed,
    cpu: isKnown ? (cpuAfter - cpuBefore) / durations.length : undefined,
    p50: at(0.5),
    p99: at(0.99),
  };
}
