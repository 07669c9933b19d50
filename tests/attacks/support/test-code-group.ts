import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CodeGroup } from '../attack.ts';
import { type AttackField, openAttackField } from './attack-field.ts';

/** Whether the attacker and its neighbour come from one source, and so share a host. */
const places = ['one source', 'another source'] as const;

/** Lets each attack of a group loose on a program without protection, on the scan, and on the sandbox alone. */
export function testCodeGroup({ title, attacks }: CodeGroup): void {
  describe(title, () => {
    let field: AttackField;
    beforeAll(async () => {
      field = await openAttackField();
    });
    afterAll(() => field?.close());

    const possible = attacks.filter(({ syntax }) => syntax === undefined || isKnown(syntax));
    describe.each(possible.map((attack) => ({ attack, ...attack })))('$name', ({ attack, harm, scan, broken }) => {
      test(`harms who has no protection: ${harm}`, async () => {
        expect(Object.keys(await field.control(attack))).toContain(harm);
      });

      test(`scan: ${scan}`, async () => {
        expect(await field.scan(attack)).toBe(scan);
      });

      if (broken === undefined) {
        test.each(places)('sandbox: no harm, and the neighbour of %s works on', async (place) => {
          expect(await field.sandbox(attack, place)).toEqual({ harms: {}, isLoaded: attack.unreadable !== true });
        });
      } else {
        // Red as soon as the harm is not seen any more: then `broken` has to go.
        test.fails.each(places)(`sandbox: does not hold with a neighbour of %s, ${broken}`, async (place) => {
          const { harms } = await field.sandbox(attack, place);
          expect(harms).toEqual({});
        });
      }
    });
  });
}

function isKnown(syntax: string): boolean {
  try {
    return typeof new Function(syntax) === 'function';
  } catch {
    return false; // A part of the language that came later.
  }
}
