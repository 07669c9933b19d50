import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFlightTable, type Entry } from './flight-table.ts';

it('a table has what was added and not removed, at its address', () => {
  const address = fc.constantFrom('/', '/a', '/b', '/a?b=1', '/x-/a?b=1', '/another/and/longer/address?b=1');
  const steps = fc.array(fc.oneof(fc.record({ address }), fc.nat(10)), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (all) => {
      const table = createFlightTable<number>();
      const entries: Entry<number>[] = [];
      const removed: Entry<number>[] = [];
      for (const [value, step] of all.entries()) {
        if (typeof step === 'object') entries.push(table.add(step.address, value));
        else removed.push(...entries.splice(step, 1));
      }
      for (const entry of removed) table.remove(entry);
      for (const { address: at, value } of entries) expect(table.find(at, (found) => found === value)).toBe(value);
      for (const { address: at, value } of removed) expect(table.find(at, (found) => found === value)).toBeUndefined();
    }),
  );
});
