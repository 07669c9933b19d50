import { field } from '../findings/plain-object.ts';
import { limitsOf } from '../json-schema/is-allowed.ts';
import type { Parts } from './schema-parts.ts';

/** How many multiples are tried upwards and downwards. */
const COUNT = 40;

/** Numbers within the limits of all parts, first 1 if that is one. */
export function* sampleNumbers(parts: Parts, { isInteger }: { isInteger: boolean }): Generator<number> {
  const limits = parts.map(limitsOf);
  const low = Math.max(...limits.map(({ least, above }) => Math.max(least, above)));
  const high = Math.min(...limits.map(({ most, below }) => Math.min(most, below)));
  const steps = parts
    .map((part) => field(part, 'multipleOf'))
    .filter((step) => typeof step === 'number' && step > 0) as number[];
  const isStepped = isInteger || steps.length > 0;
  const grid = [...(isInteger ? [1] : []), ...steps].reduce(commonMultiple, isStepped ? 0 : 1) || 1;
  const range = (part: number): number => low + ((high - low) * part) / 16;
  const made = [
    1,
    0,
    low,
    ...multiples(Number.isFinite(low) ? Math.ceil(low / grid) : 0, grid, 1),
    high,
    ...multiples(Number.isFinite(high) ? Math.floor(high / grid) : 0, grid, -1),
    ...(isStepped ? [] : [8, 4, 12, 2, 6, 10, 14, 1].map(range)),
    ...(isStepped ? [] : [0.5, -0.5, 1.5]),
  ];
  yield* new Set(
    made.filter(
      (value) => Number.isFinite(value) && value >= low && value <= high && (!isInteger || Number.isInteger(value)),
    ),
  );
}

/** Those first that come out even when they are divided again: some servers check so. */
function multiples(from: number, grid: number, direction: 1 | -1): number[] {
  const values = Array.from({ length: COUNT }, (_, count) => (from + direction * count) * grid);
  const rounded = values.map((value) => Number(value.toPrecision(12)));
  const all = [...rounded, ...values];
  const isEven = (value: number): boolean => Number.isInteger(value / grid);
  return [...all.filter(isEven), ...all.filter((value) => !isEven(value))];
}

/** The least number that both steps divide; steps may have decimals. */
function commonMultiple(one: number, other: number): number {
  if (one === 0) return other;
  const scale = 10 ** Math.min(9, Math.max(decimals(one), decimals(other)));
  const [first, second] = [Math.round(one * scale), Math.round(other * scale)];
  const multiple = (first / divisor(first, second)) * second;
  return Number.isSafeInteger(multiple) ? multiple / scale : Math.max(one, other);
}

function divisor(one: number, other: number): number {
  let [larger, smaller] = [one, other];
  while (smaller > 0) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}

function decimals(value: number): number {
  const [, digits = '', exponent = '0'] = /^\d*\.?(\d*)(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return Math.max(0, digits.length - Number(exponent));
}
