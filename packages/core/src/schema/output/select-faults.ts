import { createRequire } from 'node:module';
import { type Finding, messageOf } from '../finding.ts';
import { nearestWord } from '../nearest-word.ts';

/** Problems of expressions that select a part of an answer, by code. Always errors. */
export const selectCodes: Readonly<Record<SelectCode, string>> = {
  SEL001: 'The expression is not valid JMESPath, or longer than 1,000 characters.',
  SEL002: 'The expression does not fit the data: a function does not exist, or an argument has the wrong type.',
  SEL003: 'The expression exceeds the limits for work or for selected data.',
};

type SelectCode = 'SEL001' | 'SEL002' | 'SEL003';

const maxLength = 1000;
export const selectGuide = 'See jmespath.site for the language; items[].name selects a field of each item.';

/** Checks an expression without data: its syntax, and that its functions exist. At most 1,000 characters, so that it takes no time. */
export function selectFaults(expression: string): Finding[] {
  if (typeof expression !== 'string' || expression.trim() === '') {
    const hint = 'Write a JMESPath expression, such as items[].name.';
    return [selectFinding('SEL001', 'the expression is empty', { hint })];
  }
  if (expression.length > maxLength) {
    const message = `the expression has ${expression.length} characters; the maximum is ${maxLength}`;
    return [selectFinding('SEL001', message)];
  }
  const { compile, getRegisteredFunctions } = loadJmespath();
  try {
    if (compile(expression).type === 'ExpressionReference') {
      const message = 'the expression is only a reference (&), which selects nothing by itself';
      return [selectFinding('SEL002', message, { hint: 'Leave out the & at its beginning.' })];
    }
  } catch (error) {
    return [selectFinding('SEL001', `the expression cannot be read: ${reasonOf(error)}`, { hint: selectGuide })];
  }
  const known = getRegisteredFunctions();
  return callsOf(expression).flatMap(({ name, at }) => {
    if (known.includes(name)) return [];
    const meant = nearestWord(name, known);
    const hint = meant === undefined ? selectGuide : `Did you mean ${meant}()?`;
    return [selectFinding('SEL002', `there is no function ${name}()`, { ...placeOf(expression, at), hint })];
  });
}

export type Jmespath = typeof import('@jmespath-community/jmespath');

const require = createRequire(import.meta.url);

/** Loads the library on first use: most calls select nothing, and most schemas have no test that does. */
export function loadJmespath(): Jmespath {
  return require('@jmespath-community/jmespath') as Jmespath;
}

/** The functions that an expression calls, and where. */
export function callsOf(expression: string): { name: string; at: number }[] {
  const { tokenize } = loadJmespath();
  const tokens = tokenize(expression);
  return tokens.flatMap(({ type, value, start }, index) => {
    const isCall = type === 'UnquotedIdentifier' && tokens[index + 1]?.type === 'Lparen';
    return isCall ? [{ name: String(value), at: start }] : [];
  });
}

export function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

export function reasonOf(error: unknown): string {
  const text = messageOf(error);
  return text.replace(/^(?:Syntax error|Invalid \w+)[:,] /, '');
}

export function selectFinding(code: SelectCode, message: string, place: Partial<Finding> = {}): Finding {
  return { code, severity: 'error', path: 'select', message, ...place };
}
