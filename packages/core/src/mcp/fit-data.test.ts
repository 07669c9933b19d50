import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitData } from './fit-data.ts';

const lengthOf = (data: unknown) => JSON.stringify(data).length;
const rows = Array.from({ length: 100 }, (_, id) => ({ id, name: `row ${id}` }));

describe('fitData', () => {
  test('does not change data that fits', () => {
    const data = { items: [1, 2, 3] };
    expect(fitData(data, lengthOf(data))).toEqual({ data, cuts: [] });
  });

  test('keeps the first items of a list and says how many there are', () => {
    const { data, cuts } = fitData(rows, 500);
    const { length } = data as unknown[];
    expect(data).toEqual(rows.slice(0, length));
    expect(length).toBeGreaterThan(10);
    expect(cuts).toEqual([{ path: '$', kind: 'items', returned: length, total: 100, omitted: 100 - length }]);
  });

  test('keeps small values next to a large list', () => {
    const { data, cuts } = fitData({ total: 100, rows, next: '/rows?page=2' }, 400);
    expect(data).toMatchObject({ total: 100, next: '/rows?page=2', rows: expect.arrayContaining([rows[0], rows[1]]) });
    expect(cuts).toMatchObject([{ path: '$.rows', kind: 'items', total: 100 }]);
  });

  test('divides the room between two large lists', () => {
    const { data } = fitData({ a: rows, b: rows }, 1000);
    const { a, b } = data as Record<'a' | 'b', unknown[]>;
    expect(a.length).toBe(b.length);
  });

  test('never cuts a text, but leaves it out completely', () => {
    const { data, cuts } = fitData({ id: 1, page: 'x'.repeat(1000) }, 100);
    expect(data).toEqual({ id: 1 });
    expect(cuts).toEqual([{ path: '$.page', kind: 'value', length: 1002 }]);
  });

  test('shortens the first item if not even that fits', () => {
    const { data, cuts } = fitData([{ id: 1, tags: rows }, { id: 2 }], 200);
    expect(data).toEqual([{ id: 1, tags: rows.slice(0, 7) }]);
    expect(cuts.map(({ path }) => path)).toEqual(['$[0].tags', '$']);
  });

  test('returns null if nothing fits', () => {
    expect(fitData('x'.repeat(100), 10)).toEqual({ data: null, cuts: [{ path: '$', kind: 'value', length: 102 }] });
  });

  test('fits any data, and reports every list that is shorter', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 2, max: 300 }), (value, room) => {
        const { data, cuts } = fitData(value, room);
        // Where nothing of it fits there is a null.
        expect(lengthOf(data)).toBeLessThanOrEqual(Math.max(room, 4));
        if (cuts.length === 0) expect(data).toEqual(value);
        for (const cut of cuts) if (cut.kind !== 'value') expect(cut.returned + cut.omitted).toBe(cut.total);
      }),
    );
  });
});
