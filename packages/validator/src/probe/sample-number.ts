import { field, type PlainObject } from '../findings/plain-object.ts';

/** A number within the limits of a schema, 1 if that is one. */
export function sampleNumber(schema: PlainObject, { isInteger }: { isInteger: boolean }): number {
  const least = limit(schema, 'minimum');
  const above = limit(schema, 'exclusiveMinimum');
  const most = limit(schema, 'maximum');
  const below = limit(schema, 'exclusiveMaximum');
  const multiple = limit(schema, 'multipleOf');
  const step = multiple !== undefined && multiple > 0 ? multiple : isInteger ? 1 : undefined;
  const allows = (value: number): boolean =>
    (least === undefined || value >= least) &&
    (above === undefined || value > above) &&
    (most === undefined || value <= most) &&
    (below === undefined || value < below) &&
    (step === undefined || Number.isInteger(Number((value / step).toFixed(9)))) &&
    (!isInteger || Number.isInteger(value));
  const low = Math.max(least ?? -Infinity, above ?? -Infinity);
  const high = Math.min(most ?? Infinity, below ?? Infinity);
  const grid = step ?? 1;
  const candidates = [
    1,
    0,
    low,
    Math.ceil(low / grid) * grid,
    (Math.floor(low / grid) + 1) * grid,
    high,
    Math.floor(high / grid) * grid,
    (Math.ceil(high / grid) - 1) * grid,
    (low + high) / 2,
  ];
  return candidates.filter(Number.isFinite).find(allows) ?? 1;
}

function limit(schema: PlainObject, name: string): number | undefined {
  const value = field(schema, name);
  return typeof value === 'number' ? value : undefined;
}
