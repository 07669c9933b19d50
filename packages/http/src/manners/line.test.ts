import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLine, type Place } from './line.ts';

interface Person extends Place {
  name: number;
}

it('a line is as an array from which people are taken out', () => {
  const steps = fc.array(fc.oneof(fc.constant('add' as const), fc.nat(20)), { maxLength: 100 });
  fc.assert(
    fc.property(steps, (all) => {
      const line = createLine<Person>();
      const expected: Person[] = [];
      for (const [name, step] of all.entries()) {
        if (step === 'add') {
          const person = { name };
          line.add(person);
          expected.push(person);
        } else {
          const [gone] = expected.splice(step, 1);
          if (gone !== undefined) line.remove(gone);
        }
        expect(line.first()).toBe(expected[0]);
        expect(line.length).toBe(expected.length);
        expect(line.all().map((person) => person.name)).toEqual(expected.map((person) => person.name));
      }
    }),
  );
});
