import { numberOf, timeOf } from './columns.ts';
import type { Table } from './find-tables.ts';

export interface Order {
  column: number;
  direction: 'ascending' | 'descending';
}

/** Numbers of rows in an order: numbers and times by their size, text as people sort it, nothing last. */
export function sortRows(
  shown: readonly number[],
  { columns, rows }: Table,
  order: Order | undefined,
): readonly number[] {
  const column = order && columns[order.column];
  if (order === undefined || column === undefined) return shown;
  const { key, kind } = column;
  const sign = order.direction === 'ascending' ? 1 : -1;
  const collator = new Intl.Collator(undefined, { numeric: true });
  const rank = (row: number): number | string | undefined => {
    const value = rows[row]?.[order.column];
    if (value === null || value === undefined || value === '') return undefined;
    if (kind === 'number') return numberOf(value);
    if (kind === 'time') return timeOf(key, value);
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  };
  const ranked = shown.map((row) => ({ row, by: rank(row) }));
  ranked.sort(({ by: one }, { by: other }) => {
    if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
    if (typeof one === 'number' && typeof other === 'number') return sign * (one - other);
    return sign * collator.compare(String(one), String(other));
  });
  return ranked.map(({ row }) => row);
}
