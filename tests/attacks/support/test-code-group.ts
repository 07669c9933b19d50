import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CodeGroup } from '../attack.ts';
import { type AttackField, openAttackField } from './attack-field.ts';

/** Lets each attack of a group loose three times: on a program without protection, on the scan, and on the sandbox alone. */
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
        test('sandbox: no harm, and the neighbour works on', async () => {
          expect(await field.sandbox(attack)).toEqual({ harms: {}, isLoaded: attack.unreadable !== true });
        });
      } else {
        // Red as soon as the harm is not seen any more: then `broken` has to go.
        test.fails(`sandbox: does not hold, ${broken}`, async () => {
          const { harms } = await field.sandbox(attack);
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
