import { describe, expect, test } from 'vitest';
import type { Finding, Severity } from '../../finding.ts';

type Examine = () => readonly Finding[] | Promise<readonly Finding[]>;

/** An example that breaks each rule of a family, and a fixed one. The type makes a code without examples an error. */
export type RuleExamples<Code extends string> = Readonly<Record<Code, readonly [breaks: Examine, keeps: Examine]>>;

/** Tests the rules of a family: each failing example must produce its finding, with the severity of the table; the fixed one must not. */
export function testRules<Code extends string>(
  examples: RuleExamples<Code>,
  codes: Readonly<Record<Code, readonly [Severity, string]>>,
): void {
  for (const code of Object.keys(codes) as Code[]) {
    const [breaks, keeps] = examples[code];
    describe(code, () => {
      test('is broken', async () => {
        const found = await breaks();
        expect(found.map((finding) => `${finding.code} ${finding.severity}`)).toContain(`${code} ${codes[code][0]}`);
      });

      test('is kept', async () => {
        expect((await keeps()).filter((finding) => finding.code === code)).toEqual([]);
      });
    });
  }
}
