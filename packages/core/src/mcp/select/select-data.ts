import { type CheckResult, checkResult, type Finding, hasNoErrors } from '../../schema/finding.ts';
import { nearestWord } from '../../schema/nearest-word.ts';

/** Rules about expressions that select a part of an answer, by code. A breach is always an error. */
export const selectCodes: Readonly<Record<SelectCode, string>> = {
  SEL001: 'An expression is one of JMESPath, of at most 1,000 characters.',
  SEL002: 'An expression fits the data: its functions exist and get what they take.',
  SEL003: 'An expression makes no more work, and selects no more data, than is sensible.',
};

type SelectCode = 'SEL001' | 'SEL002' | 'SEL003';

/** What an expression selected. `data` is null where nothing is there, and where `status` is false. */
export interface Selection extends CheckResult {
  data: unknown;
}

const maxLength = 1000;
const maxSelected = 2_000_000;
const guide = 'See jmespath.site for the language; items[].name selects a field of each item.';

/**
 * Selects a part of data with a JMESPath expression (the community's edition, jmespath.site). The same data and expression
 * give the same; work and size are bounded, so that both may come from strangers. Never throws.
 *
 * @param data - Plain data, as the answer of a tool is.
 * @example
 * const { data } = await selectData({ tides: [{ time: '11:20' }] }, 'tides[].time'); // ['11:20']
 */
export async function selectData(data: unknown, expression: string): Promise<Selection> {
  const findings = await checkSelect(expression);
  if (!hasNoErrors(findings)) return selection(findings);
  const { compile } = await loadJmespath();
  const { createSelectInterpreter, spendAll, TooMuchWork } = await import('./select-interpreter.ts');
  const interpreter = createSelectInterpreter();
  try {
    const plain = data as Parameters<typeof interpreter.search>[1];
    const selected: unknown = interpreter.search(compile(expression), plain);
    let left = maxSelected;
    spendAll(selected, (work) => {
      left -= work;
      if (left < 0) throw new TooMuchWork('it selects too much');
    });
    return selection([], selected ?? null);
  } catch (error) {
    // A deep expression, or deep data.
    if (error instanceof TooMuchWork || error instanceof RangeError) {
      const why = error instanceof TooMuchWork ? error.message : 'it nests too deep';
      const hint = 'Select less, or in fewer steps.';
      return selection([selectFinding('SEL003', `the expression cannot be used: ${why}`, { hint })]);
    }
    const reason = reasonOf(error);
    const name = /\b(\w+)\(\)/.exec(reason)?.[1];
    const call = (await callsOf(expression)).find((each) => each.name === name);
    const place = call === undefined ? {} : placeOf(expression, call.at);
    return selection([selectFinding('SEL002', `the expression does not fit the data: ${reason}`, place)]);
  }
}

/** Tells what is wrong with an expression, before there is any data: its syntax, and functions that do not exist. */
export async function checkSelect(expression: string): Promise<Finding[]> {
  if (typeof expression !== 'string' || expression.trim() === '') {
    const hint = 'Write a JMESPath expression, such as items[].name.';
    return [selectFinding('SEL001', 'the expression is empty', { hint })];
  }
  if (expression.length > maxLength) {
    const message = `the expression has ${expression.length} characters, and may have ${maxLength}`;
    return [selectFinding('SEL001', message)];
  }
  const { compile, getRegisteredFunctions } = await loadJmespath();
  try {
    if (compile(expression).type === 'ExpressionReference') {
      const message = 'the expression is a reference to another one, and selects nothing itself';
      return [selectFinding('SEL002', message, { hint: 'Leave out the & at its beginning.' })];
    }
  } catch (error) {
    return [selectFinding('SEL001', `the expression cannot be read: ${reasonOf(error)}`, { hint: guide })];
  }
  const known = getRegisteredFunctions();
  return (await callsOf(expression)).flatMap(({ name, at }) => {
    if (known.includes(name)) return [];
    const meant = nearestWord(name, known);
    const hint = meant === undefined ? guide : `Did you mean ${meant}()?`;
    return [selectFinding('SEL002', `there is no function ${name}()`, { ...placeOf(expression, at), hint })];
  });
}

/** Most calls select nothing, so the library is loaded with the first that does. */
function loadJmespath() {
  return import('@jmespath-community/jmespath');
}

async function callsOf(expression: string): Promise<{ name: string; at: number }[]> {
  const { tokenize } = await loadJmespath();
  const tokens = tokenize(expression);
  return tokens.flatMap(({ type, value, start }, index) => {
    const isCall = type === 'UnquotedIdentifier' && tokens[index + 1]?.type === 'Lparen';
    return isCall ? [{ name: String(value), at: start }] : [];
  });
}

function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/^(?:Syntax error|Invalid \w+)[:,] /, '');
}

function selectFinding(code: SelectCode, message: string, place: Partial<Finding> = {}): Finding {
  return { code, severity: 'error', path: 'select', message, ...place };
}

function selection(findings: Finding[], data: unknown = null): Selection {
  return { ...checkResult(findings), data };
}
