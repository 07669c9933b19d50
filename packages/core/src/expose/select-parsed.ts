import { compile, getRegisteredFunctions, tokenize } from '@jmespath-community/jmespath';
import type { Finding } from '../format/finding.ts';
import { nearestWord } from '../format/nearest-word.ts';
import { type Selection, selectFinding, selection } from './select-data.ts';
import { createSelectInterpreter, spendAll, TooMuchWork } from './select-interpreter.ts';

type Interpreter = ReturnType<typeof createSelectInterpreter>;

const guide = 'See jmespath.site for the language; items[].name selects a field of each item.';
const tooMuch = 'Select less, or in fewer steps.';

/** Selects with an expression without faults. */
export function selectParsed(data: unknown, expression: string): Selection {
  const interpreter = createSelectInterpreter();
  try {
    const selected: unknown = interpreter.search(compile(expression), data as Parameters<Interpreter['search']>[1]);
    let left = 2_000_000;
    spendAll(selected, (work) => {
      left -= work;
      if (left < 0) throw new TooMuchWork('it selects too much');
    });
    return selection([], selected ?? null);
  } catch (error) {
    // A deep expression, or deep data.
    if (error instanceof TooMuchWork || error instanceof RangeError) {
      const why = error instanceof TooMuchWork ? error.message : 'it nests too deep';
      return selection([selectFinding('SEL003', `the expression cannot be used: ${why}`, { hint: tooMuch })]);
    }
    const reason = reasonOf(error);
    const name = /\b(\w+)\(\)/.exec(reason)?.[1];
    const at = name === undefined ? undefined : callsOf(expression).find((call) => call.name === name)?.at;
    const place = at === undefined ? {} : placeOf(expression, at);
    return selection([selectFinding('SEL002', `the expression does not fit the data: ${reason}`, place)]);
  }
}

/** What is wrong with an expression as such: its syntax, and functions that there are not. */
export function parseFindings(expression: string): Finding[] {
  const fault = faultOf(expression);
  if (fault !== undefined) {
    const at = faultAt(expression, fault);
    const place = placeOf(expression, at);
    const where = place.line === 1 ? `character ${place.column}` : `line ${place.line}, character ${place.column}`;
    const found = at >= expression.length ? 'the expression ends too early' : `there is ${wordAt(expression, at)}`;
    return [selectFinding('SEL001', `the expression cannot be read at ${where}: ${found}`, { ...place, hint: guide })];
  }
  if (compile(expression).type === 'ExpressionReference') {
    const message = 'the expression is a reference to another one, and selects nothing itself';
    return [selectFinding('SEL002', message, { ...placeOf(expression, 0), hint: 'Leave out the & at its beginning.' })];
  }
  const known = getRegisteredFunctions();
  return callsOf(expression).flatMap(({ name, at }) => {
    if (known.includes(name)) return [];
    const meant = nearestWord(name, known);
    const hint = meant === undefined ? guide : `Did you mean ${meant}()?`;
    return [selectFinding('SEL002', `there is no function ${name}()`, { ...placeOf(expression, at), hint })];
  });
}

function faultOf(expression: string): string | undefined {
  try {
    compile(expression);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** The parser does not say where it stopped: at the end of the shortest beginning that it refuses with the same words. */
function faultAt(expression: string, fault: string): number {
  for (let length = 1; length <= expression.length; length += 1) {
    if (faultOf(expression.slice(0, length)) !== fault) continue;
    // With nothing behind it, the beginning is only not finished yet.
    if (/(?<!")\bEOF\b/.test(fault)) return expression.length;
    return startOfToken(expression, length - 1);
  }
  return expression.length;
}

function startOfToken(expression: string, at: number): number {
  try {
    const starts = tokenize(expression).map(({ start }) => start);
    return starts.findLast((start) => start <= at) ?? at;
  } catch {
    return at;
  }
}

function callsOf(expression: string): { name: string; at: number }[] {
  try {
    const tokens = tokenize(expression);
    return tokens.flatMap(({ type, value, start }, index) => {
      const isCall = type === 'UnquotedIdentifier' && tokens[index + 1]?.type === 'Lparen';
      return isCall ? [{ name: String(value), at: start }] : [];
    });
  } catch {
    return [];
  }
}

function wordAt(expression: string, at: number): string {
  return JSON.stringify(/^(?:\w{1,30}|.)/su.exec(expression.slice(at))?.[0] ?? '');
}

function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/^(Syntax error|Invalid \w+): /, '');
}
