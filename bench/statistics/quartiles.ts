/** The middle of a series of measurements, and where its middle half lies. */
export interface Quartiles {
  lower: number;
  median: number;
  upper: number;
}

/** Quartiles with linear interpolation between neighbours (R's type 7). */
export function quartiles(values: readonly number[]): Quartiles {
  const sorted = values.toSorted((left, right) => left - right);
  const at = (share: number): number => {
    const place = share * (sorted.length - 1);
    const below = sorted[Math.floor(place)] ?? Number.NaN;
    const above = sorted[Math.ceil(place)] ?? Number.NaN;
    return below + (above - below) * (place - Math.floor(place));
  };
  return { lower: at(0.25), median: at(0.5), upper: at(0.75) };
}
