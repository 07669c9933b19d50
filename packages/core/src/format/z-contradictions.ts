import { type ValueFault, valueCheck } from './check-value.ts';
import { childPath, type Report } from './finding.ts';
import type { ZExpression } from './z-expression.ts';
import { zFinding } from './z-finding.ts';

const FAULT_OF_DEFAULT: Readonly<Record<ValueFault, string>> = {
  type: 'has the wrong type',
  bounds: 'is out of bounds',
  enum: 'is not one of the values of the enum',
  pattern: 'does not match regex()',
};

/** Reports options that cannot be met together, each as a warning (VAL045). Nothing is changed. */
export function reportContradictions(z: ZExpression, { path, report }: { path: string; report: Report }): void {
  const say = (problem: string): void => report(zFinding('VAL045', childPath(path, 'options'), problem));
  const { min, max, length } = z;
  if (min !== undefined && max !== undefined && min > max) say(`no value meets both min(${min}) and max(${max})`);
  if (length !== undefined && min !== undefined && length < min) say(`length(${length}) is below min(${min})`);
  if (length !== undefined && max !== undefined && length > max) say(`length(${length}) is above max(${max})`);
  if (z.default === undefined) return;
  const check = valueCheck(z);
  if (check.accept(z.default) !== undefined) return;
  const shown = JSON.stringify(z.default);
  const fault = FAULT_OF_DEFAULT[check.faultOf(z.default)];
  say(`default ${shown} ${fault}: a call without a value sends it all the same, a call that gives it is refused`);
}
