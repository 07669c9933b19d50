/** Round numbers that cover a range, about `count` of them. */
export function ticksOf(least: number, most: number, count: number): number[] {
  const span = most - least || Math.abs(most) || 1;
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const unit = [1, 2, 5, 10].find((each) => each * power >= rough) ?? 10;
  const step = unit * power;
  const first = Math.floor(least / step);
  const last = Math.max(Math.ceil(most / step), first + 1);
  // Multiples, not sums: 0.1 + 0.2 is not 0.3.
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** Where a value of one range is in another. */
export function scaleOf([from, to]: readonly [number, number], [low, high]: readonly [number, number]) {
  return (value: number): number => low + ((value - from) / (to - from || 1)) * (high - low);
}

export const day = 86_400_000;
const hour = day / 24;
const steps = [hour / 60, hour / 12, hour / 4, hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day, 14 * day];
const months = [1, 3, 6, 12, 24, 60, 120, 240];

/** Round times of a range (UTC), at most `most`, and about how far they are apart. */
export function timeTicks([first, last]: readonly [number, number], most: number): { time: number; step: number }[] {
  const step = steps.find((each) => (last - first) / each <= most);
  if (step !== undefined) {
    const start = Math.ceil(first / step);
    const count = Math.floor(last / step) - start + 1;
    return Array.from({ length: count }, (_, index) => ({ time: (start + index) * step, step }));
  }
  const by = months.find((each) => (last - first) / (each * 30 * day) <= most) ?? 1200;
  const year = new Date(first).getUTCFullYear();
  const start = by < 12 ? 0 : -(year % (by / 12)) * 12;
  const times = Array.from({ length: most + 24 / by + 3 }, (_, index) => Date.UTC(year, start + index * by));
  return times.filter((time) => time >= first && time <= last).map((time) => ({ time, step: by * 30.5 * day }));
}
