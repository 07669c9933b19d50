import type { BinaryOperator, UnaryOperator } from 'acorn';
import { type Folded, isPrimitive } from './folded-value.ts';

/** The value of `left operator right`; undefined where only running the code can tell. */
export function foldBinary(operator: BinaryOperator, left: Folded, right: Folded): { value: Folded } | undefined {
  if (operator === '===') return { value: left === right };
  if (operator === '!==') return { value: left !== right };
  if (!isPrimitive(left) || !isPrimitive(right)) return undefined;
  // The language's own rules for mixed operands apply, so the types are set aside here.
  const a = left as number;
  const b = right as number;
  switch (operator) {
    case '+':
      return { value: a + b };
    case '-':
      return { value: a - b };
    case '*':
      return { value: a * b };
    case '/':
      return { value: a / b };
    case '%':
      return { value: a % b };
    case '**':
      return { value: a ** b };
    case '==':
      // biome-ignore lint/suspicious/noDoubleEquals: it is the operator that stands in the text
      return { value: a == b };
    case '!=':
      // biome-ignore lint/suspicious/noDoubleEquals: it is the operator that stands in the text
      return { value: a != b };
    case '<':
      return { value: a < b };
    case '<=':
      return { value: a <= b };
    case '>':
      return { value: a > b };
    case '>=':
      return { value: a >= b };
    case '<<':
      return { value: a << b };
    case '>>':
      return { value: a >> b };
    case '>>>':
      return { value: a >>> b };
    case '&':
      return { value: a & b };
    case '|':
      return { value: a | b };
    case '^':
      return { value: a ^ b };
    default:
      return undefined;
  }
}

/** The value of `operator operand`; undefined where only running the code can tell. */
export function foldUnary(operator: UnaryOperator, operand: Folded): { value: Folded } | undefined {
  if (operator === 'void') return { value: undefined };
  if (operator === '!') return { value: !operand };
  if (operator === 'typeof') return { value: typeof operand };
  if (!isPrimitive(operand)) return undefined;
  switch (operator) {
    case '-':
      return { value: -(operand as number) };
    case '+':
      return { value: +(operand as number) };
    case '~':
      return { value: ~(operand as number) };
    default:
      return undefined;
  }
}
