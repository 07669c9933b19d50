/** What the values of a column are. */
export type Kind = 'number' | 'time' | 'text' | 'nested';

export interface Column {
  key: string;
  kind: Kind;
}

type Scalar = string | number | boolean | null | undefined;

export function isScalar(value: unknown): value is Scalar {
  return typeof value !== 'object' || value === null;
}

const isoTime = /^\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?)?$/;
const plainNumber = /^-?(0|[1-9]\d{0,14})(\.\d+)?$/;
const timeName = /(^|[._])(time|date|day|timestamp|ts|at)$|(Time|Date|At|Timestamp)$/i;

export function columnOf(key: string, values: readonly unknown[]): Column {
  const given = values.filter((value) => value !== null && value !== undefined && value !== '');
  const all = (fits: (value: unknown) => boolean) => given.length > 0 && given.every(fits);
  if (all((value) => timeOf(key, value) !== undefined)) return { key, kind: 'time' };
  if (all((value) => numberOf(value) !== undefined)) return { key, kind: 'number' };
  return { key, kind: given.every(isScalar) ? 'text' : 'nested' };
}

/** A number, also one that is written as text, as APIs send prices. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'string' && plainNumber.test(value) ? Number(value) : undefined;
}

/** Whether a time is one everywhere: others are the local time of a place that is not said, or a day. */
export function hasZone(value: unknown): boolean {
  return typeof value === 'number' ? value > 3000 : /(Z|\d[+-]\d{2}:?\d{2})$/.test(String(value).slice(10));
}

/** Milliseconds since 1970 of a value in a column of times; undefined for other values. */
export function timeOf(key: string, value: unknown): number | undefined {
  if (typeof value === 'string') {
    if (!isoTime.test(value)) return undefined;
    const text = value.replace(' ', 'T');
    const time = Date.parse(text.includes('T') && !hasZone(text) ? `${text}Z` : text);
    return Number.isNaN(time) ? undefined : time;
  }
  if (typeof value !== 'number' || !Number.isInteger(value)) return undefined;
  if (/(^|[._])year$/i.test(key) && value > 0 && value < 3000) return Date.UTC(value, 0);
  if (!timeName.test(key)) return undefined;
  // Seconds of this and the last decades, or milliseconds.
  if (value > 1e8 && value < 1e10) return value * 1000;
  return value > 1e11 && value < 1e13 ? value : undefined;
}
