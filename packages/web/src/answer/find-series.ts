import { hasZone, numberOf, timeOf } from './columns.ts';
import type { Table } from './find-tables.ts';

export interface Line {
  name: string;
  points: { time: number; value: number }[];
}

/** Numbers over time: one scale, one line for each group of rows. */
export interface Panel {
  name: string;
  lines: Line[];
  /** Whether its times are those of the reader's zone. */
  hasZone: boolean;
}

const maxPanels = 6;
const maxLines = 6;

/** The charts of a table; none if its rows are not numbers over time. */
export function findSeries({ columns, rows }: Table): Panel[] {
  const timeIndex = columns.findIndex(({ kind }) => kind === 'time');
  const time = columns[timeIndex];
  if (time === undefined || rows.length < 3) return [];
  const times = rows.map((row) => timeOf(time.key, row[timeIndex]));
  const groups = groupsOf({ columns, rows }, times);
  if (groups === undefined) return [];
  return columns
    .flatMap(({ key, kind }, index) => (kind === 'number' && !/(^|[._])id$|Id$/.test(key) ? [{ key, index }] : []))
    .slice(0, maxPanels)
    .map(({ key, index }) => ({
      name: key,
      hasZone: hasZone(rows[0]?.[timeIndex]),
      lines: [...groups].map(([name, members]) => ({ name, points: pointsOf(members, rows, times, index) })),
    }))
    .filter(({ lines }) => lines.some(({ points }) => points.length > 2));
}

function pointsOf(
  members: readonly number[],
  rows: Table['rows'],
  times: readonly (number | undefined)[],
  index: number,
): Line['points'] {
  const points = members.flatMap((row) => {
    const [time, value] = [times[row], numberOf(rows[row]?.[index])];
    return time === undefined || value === undefined ? [] : [{ time, value }];
  });
  return points.sort((one, other) => one.time - other.time);
}

/** Rows by line: all are one, unless several have the same time; then a column of text that tells them apart. */
function groupsOf(
  { columns, rows }: Pick<Table, 'columns' | 'rows'>,
  times: readonly (number | undefined)[],
): Map<string, number[]> | undefined {
  const all = rows.map((_, index) => index);
  // Records that merely have a date, such as that of a survey, are in another order.
  const isOrdered = (members: readonly number[]) => {
    const own = members.map((row) => times[row] ?? Number.NaN);
    const signs = new Set(own.slice(1).map((time, index) => Math.sign(time - (own[index] ?? 0))));
    return signs.size === 1 && !signs.has(0);
  };
  if (isOrdered(all)) return new Map([['', all]]);
  for (const [index, { kind }] of columns.entries()) {
    if (kind !== 'text') continue;
    const groups = Map.groupBy(all, (row) => String(rows[row]?.[index] ?? ''));
    if (groups.size <= maxLines && [...groups.values()].every(isOrdered)) return groups;
  }
  return undefined;
}
