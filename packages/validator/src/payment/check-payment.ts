import { type Finding, finding, isClean } from '../findings/finding.ts';
import { field, isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import { NOT_KEPT } from '../probe/payment-signal.ts';
import type { FieldProblem } from './check-amount.ts';
import { type CheckedOption, checkOption } from './check-option.ts';
import { checkResource } from './check-resource.ts';

/** What was found out about what one tool asks for. */
export interface CheckedPayment {
  findings: Finding[];
  /** One for each entry of `accepts`, in its order. */
  options: CheckedOption[];
}

/** More ways to pay than anybody reads are not looked at. */
const MAX_OPTIONS = 50;

/** Checks a PaymentRequired object of x402 version 1 or 2. `location` is where it stands in the snapshot. */
export function checkPayment(required: unknown, location: string): CheckedPayment {
  const found = (problems: readonly FieldProblem[]): Finding[] =>
    problems.map(([code, text]) => finding(code, location, text));
  if (required === undefined || required === null) {
    return { findings: found([['PAY-001', 'Payment is asked for, but not which']]), options: [] };
  }
  if (NOT_KEPT.includes(required as string)) {
    const text = 'The requirement is too large, or nested too deeply, to be looked at: more than 64 KiB or 50 levels';
    return { findings: found([['PAY-002', text]]), options: [] };
  }
  if (!isPlainObject(required))
    return { findings: found([['PAY-002', 'The requirement must be an object']]), options: [] };
  // What says nothing of its version is checked as the current one.
  const version = field(required, 'x402Version') === 1 ? 1 : 2;
  const { problems, accepts } = acceptsOf(required);
  const options = accepts.map((option, index) => checkOption(option, `${location}.accepts[${index}]`, version));
  const own = found([
    ...versionProblems(required),
    ...(version === 2 ? checkResource(field(required, 'resource')) : []),
    ...otherProblems(required),
    ...problems,
  ]);
  // What is wrong with the whole cannot be paid in any of its ways.
  const isUsable = isClean(own);
  return {
    findings: [...own, ...options.flatMap(({ findings }) => findings)],
    options: options.map((option) => ({ ...option, isValid: option.isValid && isUsable })),
  };
}

function versionProblems(required: PlainObject): FieldProblem[] {
  const version = field(required, 'x402Version');
  if (version === 2) return [];
  if (version === undefined) return [['PAY-010', '`x402Version` is missing']];
  if (typeof version !== 'number') return [['PAY-011', `\`x402Version\` must be a number, not ${typeof version}`]];
  if (version === 1) return [['PAY-013', 'Legacy: the requirement is of x402 version 1']];
  return [['PAY-012', `\`x402Version\` is ${version}; versions are 1 and 2`]];
}

function otherProblems(required: PlainObject): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const error = field(required, 'error');
  if (error !== undefined && typeof error !== 'string') problems.push(['PAY-025', '`error` should be a string']);
  const extensions = field(required, 'extensions');
  if (extensions !== undefined && !isPlainObject(extensions))
    problems.push(['PAY-033', '`extensions` should be an object']);
  return problems;
}

function acceptsOf(required: PlainObject): { problems: FieldProblem[]; accepts: unknown[] } {
  const accepts = field(required, 'accepts');
  if (accepts === undefined) return { problems: [['PAY-030', '`accepts` is missing']], accepts: [] };
  if (!Array.isArray(accepts)) return { problems: [['PAY-031', '`accepts` must be an array']], accepts: [] };
  if (accepts.length === 0) return { problems: [['PAY-032', '`accepts` is empty']], accepts: [] };
  return { problems: [], accepts: accepts.slice(0, MAX_OPTIONS) };
}
