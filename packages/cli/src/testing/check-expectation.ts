import { isDeepStrictEqual } from 'node:util';
import { checkOutput, type Finding, selectData } from '@schemakit/core';
import { compilePattern, createJsonSchemaChecker, parseExpectation, ruleReport } from '@schemakit/core/internal';
import { failureOf } from '../output/command-result.ts';

/** `_expect` of a test; see docs/testing.md, "Assertions". */
export type Expectation = NonNullable<ReturnType<typeof parseExpectation>>;

export interface CallEnd {
  status: boolean;
  data: unknown;
  findings: readonly Finding[];
  /** The HTTP status of the last answer, if there was one. */
  httpStatus: number | undefined;
}

/** Reads `_expect`. A test whose assertions cannot be checked must not pass. */
export function readExpectation(
  value: unknown,
): { ok: true; expectation: Expectation } | { ok: false; findings: Finding[] } {
  if (value === undefined) return { ok: true, expectation: {} };
  const findings: Finding[] = [];
  const expectation = parseExpectation(value, { path: '_expect', report: ruleReport((found) => findings.push(found)) });
  if (expectation !== undefined && findings.length === 0) return { ok: true, expectation };
  return { ok: false, findings: findings.map((finding) => ({ ...finding, severity: 'error' })) };
}

/** The assertions that do not hold. A call that failed against expectation has its own findings. */
export async function checkExpectation(expectation: Expectation, end: CallEnd): Promise<Finding[]> {
  const { status, error } = expectation;
  const failures: Finding[] = [];
  if (status !== undefined && end.httpStatus !== status) {
    failures.push(unmet('status', `expected HTTP ${status}, found ${end.httpStatus ?? 'no answer'}`));
  }
  if (error !== undefined) failures.push(...checkError(error, end));
  return end.status ? [...failures, ...(await checkData(expectation, end.data))] : failures;
}

/** Whether the failure of a call may be what a test is about. */
export function mayFail({ status = 0, error }: Expectation): boolean {
  return error !== undefined || status >= 400;
}

function checkError(expected: NonNullable<Expectation['error']>, { status, data, findings }: CallEnd): Finding[] {
  const wanted = expected === true ? 'a failure' : `a failure with ${shown(expected)}`;
  if (status) return [unmet('error', `expected ${wanted}, found the answer ${shown(data)}`)];
  if (expected === true && isUnanswered(findings)) {
    return [unmet('error', 'expected a failure, and the API did not answer; name its code to expect that')];
  }
  const texts = findings.flatMap(({ code, message }) => [code, message]);
  if (expected === true || texts.some((text) => text.includes(String(expected)))) return [];
  return [unmet('error', `expected ${wanted}, found ${findings.map(({ code }) => code).join(', ')}`)];
}

/** Whether the API did not answer, which says nothing about the call. */
function isUnanswered(findings: readonly Finding[]): boolean {
  return failureOf(findings) === 'upstream' && !findings.some(({ code }) => code.startsWith('HTTP_'));
}

async function checkData(expectation: Expectation, whole: unknown): Promise<Finding[]> {
  const { select, matches, schema } = expectation;
  const selection = select === undefined ? undefined : await selectData(whole, select);
  if (selection?.status === false) return selection.findings.map(({ message }) => unmet('select', message));
  const data = selection === undefined ? whole : selection.data;
  const place = select === undefined ? '' : ` at ${select}`;
  const failures: Finding[] = [];
  const isAlone = !Object.hasOwn(expectation, 'equals') && matches === undefined && schema === undefined;
  if (select !== undefined && isAlone && data === null) failures.push(unmet('select', `found nothing${place}`));
  // As JSON: data of handlers may have other prototypes.
  if (Object.hasOwn(expectation, 'equals') && !isDeepStrictEqual(asJson(data), asJson(expectation.equals))) {
    failures.push(unmet('equals', `expected ${shown(expectation.equals)}, found ${shown(data)}${place}`));
  }
  if (matches !== undefined && !isMatch(data, matches)) {
    failures.push(unmet('matches', `expected text that matches ${matches}, found ${shown(data)}${place}`));
  }
  return [...failures, ...(schema === undefined ? [] : checkFit(data, schema, place))];
}

function isMatch(data: unknown, text: string): boolean {
  const pattern = compilePattern(text);
  const isScalar = ['string', 'number', 'boolean'].includes(typeof data);
  return isScalar && !('problem' in pattern) && pattern.matches(String(data));
}

/** The check of outputs says where a type differs; the complete one knows all keywords. */
function checkFit(data: unknown, schema: NonNullable<Expectation['schema']>, place: string): Finding[] {
  const fit = createJsonSchemaChecker(schema).check(data);
  if (fit === 'fits') return [];
  if (fit === 'unknown') return [unmet('schema', `the schema is too complex to be checked${place}`)];
  const [first] = checkOutput(data, schema);
  const why = first === undefined ? `found ${shown(data)}` : first.message;
  return [unmet('schema', `the data${place} does not fit the schema: ${why}`)];
}

function unmet(field: keyof Expectation, message: string): Finding {
  return { code: 'TST009', severity: 'error', path: `_expect.${field}`, message: `_expect.${field}: ${message}` };
}

function asJson(value: unknown): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}

const maxShown = 120;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= maxShown ? text : `${text.slice(0, maxShown - 1)}…`;
}
