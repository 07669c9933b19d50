import type { ZExpression } from '../z-expression.ts';

/** Whether two expressions take different values; which of them may be left out, and their descriptions, aside. */
export function hasOtherRules(one: ZExpression, other: ZExpression): boolean {
  return rulesOf(one) !== rulesOf(other);
}

function rulesOf({ primitive, members, min, max, length, integer, pattern }: ZExpression): string {
  return JSON.stringify([primitive, members, min, max, length, integer, pattern]);
}
