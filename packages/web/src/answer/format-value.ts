import { type Column, hasZone, numberOf, timeOf } from './columns.ts';

export interface Place {
  locale?: string | undefined;
  timeZone?: string | undefined;
}

const isName = /(^|[._])(id|code|zip|year)$|Id$/i;

/** A scalar as people read it. */
export function formatValue(value: unknown, { key, kind }: Column, place: Place): string {
  if (value === null || value === undefined) return '';
  if (kind === 'number' && !isName.test(key)) {
    const number = numberOf(value);
    return number === undefined ? String(value) : formatNumber(number, place);
  }
  if (kind === 'time') return formatTime(value, timeOf(key, value), place);
  return String(value);
}

export function formatNumber(value: number, { locale }: Place, digits = 8): string {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: digits, useGrouping: 'min2' }).format(value);
}

/** Times with a zone in that of the reader. Days, years and local times are written as they are. */
function formatTime(value: unknown, time: number | undefined, { locale, timeZone }: Place): string {
  if (time === undefined || !hasZone(value)) return String(value).replace('T', ' ');
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(time);
}
