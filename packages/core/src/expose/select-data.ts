import { type Finding, hasNoErrors } from '../format/finding.ts';

/** Rules about expressions that select a part of an answer, by code. A breach is always an error. */
export const selectCodes: Readonly<Record<SelectCode, string>> = {
  SEL001: 'An expression is one of JMESPath, of at most 1,000 characters.',
  SEL002: 'An expression fits the data: its functions exist and get what they take.',
  SEL003: 'An expression makes no more work, and selects no more data, than is sensible.',
};

type SelectCode = 'SEL001' | 'SEL002' | 'SEL003';

/** What an expression selected. `data` is null where nothing is there, and where `status` is false. */
export interface Selection {
  status: boolean;
  messages: string[];
  findings: Finding[];
  data: unknown;
}

const maxLength = 1000;

/**
 * Selects a part of data with a JMESPath expression (the community's edition, jmespath.site). The same data and expression
 * give the same; work and size are bounded, so that both may come from strangers. Never throws.
 *
 * @param data - Plain data, as the answer of a tool is.
 * @example
 * const { data } = await selectData({ tides: [{ time: '11:20' }] }, 'tides[].time'); // ['11:20']
 */
export async function selectData(data: unknown, expression: string): Promise<Selection> {
  const { selectParsed } = await import('./select-parsed.ts');
  const findings = await checkSelect(expression);
  return hasNoErrors(findings) ? selectParsed(data, expression) : selection(findings);
}

/** Tells what is wrong with an expression, before there is any data. The place is in `line` and `column`, from 1. */
export async function checkSelect(expression: string): Promise<Finding[]> {
  if (typeof expression !== 'string' || expression.trim() === '') {
    return [selectFinding('SEL001', 'the expression is empty', { hint })];
  }
  if (expression.length > maxLength) {
    const message = `the expression has ${expression.length} characters, and may have ${maxLength}`;
    return [selectFinding('SEL001', message)];
  }
  const { parseFindings } = await import('./select-parsed.ts');
  return parseFindings(expression);
}

const hint = 'Write a JMESPath expression, such as items[].name.';

export function selectFinding(code: SelectCode, message: string, place: Partial<Finding> = {}): Finding {
  return { code, severity: 'error', path: 'select', message, ...place };
}

export function selection(findings: Finding[], data: unknown = null): Selection {
  return { status: hasNoErrors(findings), messages: findings.map(({ message }) => message), findings, data };
}
