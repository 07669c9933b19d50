import { expect, test } from 'vitest';
import { ruleOf } from './rule-of.ts';

test('rules come from the tables of all families', () => {
  const codes = ['VAL014', 'SEC001', 'MOD001', 'LCK004', 'OUT005', 'TST001'];
  expect(codes.map((code) => ruleOf(code)?.code)).toEqual(codes);
  expect(ruleOf('VAL020')).toEqual({ code: 'VAL020', severity: 'warning', text: '`docs` is an array of links.' });
  expect(ruleOf('SEC001')?.help).toMatch(/^A schema depends only on its arguments/);
});

test.each(['NOPE', '', 'toString', '__proto__'])('%j is no rule', (code) => {
  expect(ruleOf(code)).toBeUndefined();
});
