import type { ValueFault } from './check-value.ts';
import { describeExpected, describeGiven, listWords, quote } from './describe-input.ts';
import type { Finding } from './finding.ts';
import { nearestWord } from './nearest-word.ts';
import type { Input } from './tool.ts';
import type { ZExpression } from './z-expression.ts';

/** Rules about a caller's arguments, by code. A breach is always an error. */
export const inputCodes: Readonly<Record<InputCode, string>> = {
  INP001: 'An argument without a default is given, unless it is optional.',
  INP002: 'An argument has the type that its input asks for.',
  INP003: 'A number is within its bounds; text and lists have an allowed length.',
  INP004: 'An argument is one of the allowed values.',
  INP005: 'Text matches the pattern of its input.',
  INP006: 'Every argument is known to the tool.',
  INP007: 'The arguments are an object.',
  INP008: 'An argument that is given under two names has one value.',
};

export type InputCode = `INP00${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}`;

const CODE_OF_FAULT: Readonly<Record<ValueFault, InputCode>> = {
  type: 'INP002',
  bounds: 'INP003',
  enum: 'INP004',
  pattern: 'INP005',
};

/** Unknown arguments that are reported one by one. */
const MAX_UNKNOWN = 20;

export function missing({ name, z }: Input): Finding {
  return finding('INP001', name, `required argument is missing, expected ${describeExpected(z)}.`);
}

/** @param name the name that the caller used */
export function refused({ z }: Input, name: string, value: unknown, fault: ValueFault): Finding {
  const suggestion = fault === 'enum' ? suggestMember(z, String(value)) : '';
  const flaw = fault === 'type' && isContainer(z, value) ? ' with parts that JSON cannot carry' : '';
  const message = `expected ${describeExpected(z)}, got ${describeGiven(value)}${flaw}.${suggestion}`;
  return finding(CODE_OF_FAULT[fault], name, message);
}

export function conflict(name: string, other: string): Finding {
  return finding('INP008', name, `also given as ${label(other)} with another value; give one of them.`);
}

export function notAnObject(args: unknown): Finding {
  return { ...finding('INP007', '', ''), message: `Expected the arguments as an object, got ${describeGiven(args)}.` };
}

export function unknownArguments(names: readonly string[], known: readonly string[]): Finding[] {
  const findings = names.slice(0, MAX_UNKNOWN).map((name) => {
    const nearest = nearestWord(name, known);
    const takes = known.length === 0 ? 'It takes none.' : `It takes ${listWords(known)}.`;
    return finding('INP006', name, `unknown to this tool. ${nearest ? `Did you mean ${quote(nearest)}?` : takes}`);
  });
  const rest = names.length - findings.length;
  return rest === 0 ? findings : [...findings, finding('INP006', '', `${rest} more unknown arguments.`)];
}

/** The right kind of value, so that only what is in it can be wrong. */
function isContainer({ primitive }: ZExpression, value: unknown): boolean {
  return primitive === 'array' ? Array.isArray(value) : primitive === 'object' && typeof value === 'object';
}

function suggestMember({ members = [] }: ZExpression, word: string): string {
  const nearest = nearestWord(
    word,
    members.filter((member) => typeof member === 'string'),
  );
  return nearest === undefined ? '' : ` Did you mean ${quote(nearest)}?`;
}

function finding(code: InputCode, path: string, message: string): Finding {
  return { code, severity: 'error', path, message: path === '' ? message : `${label(path)}: ${message}` };
}

/** The name as it is where that reads well, quoted and shortened where it does not. */
function label(name: string): string {
  return /^[\w.$[\]-]{1,60}$/.test(name) ? name : quote(name);
}
