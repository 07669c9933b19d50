import { childPath, type Finding } from '../finding.ts';
import { type Fields, isObject, type JsonValue } from '../json.ts';
import { nearestWord } from '../nearest-word.ts';
import type { Input } from '../schema.ts';
import type { ZExpression } from '../z/z-expression.ts';
import { checkValue, type ValueFault } from './check-value.ts';
import { describeExpected, describeFile, describeGiven, describeNames, listWords, quote } from './describe-input.ts';
import { exposedInputNames } from './exposed-input-names.ts';
import { parseFileValue } from './file-value.ts';

/** The checked values by input name, or one finding for each invalid argument. */
export type InputCheckResult = { ok: true; values: Record<string, JsonValue> } | { ok: false; findings: Finding[] };

export type InputCheck = (args: unknown) => InputCheckResult;

interface Argument {
  input: Input;
  /** The input's name, the name that MCP clients see, and its unambiguous aliases. */
  names: readonly string[];
  /** Aliases that other inputs have too: the value goes to each of them that has no other. */
  shared: readonly string[];
  /** All names in lookup order. */
  accepted: readonly string[];
}

/**
 * Makes the function that checks a caller's arguments for a tool and applies its defaults. It is built at the first call,
 * and accepts the same values as `inputsZodShape`, also under aliases and the names that MCP clients see. `null` and
 * `undefined` count as missing, also for the arguments as a whole. `values` has no prototype.
 *
 * Findings have the codes in `inputCodes`; their path is the name of the argument.
 */
export function createInputCheck(inputs: readonly Input[]): InputCheck {
  let table: readonly Argument[] | undefined;
  let names: ReadonlySet<string> = new Set();
  return (args) => {
    if (args !== undefined && args !== null && !isObject(args)) return { ok: false, findings: [notAnObject(args)] };
    if (table === undefined) {
      const exposed = exposedInputNames(inputs);
      table = inputs.map((input) => buildArgument(input, inputs, exposed));
      names = new Set(table.flatMap(({ accepted }) => accepted));
    }
    return checkArguments(args ?? {}, table, names);
  };
}

function buildArgument(input: Input, inputs: readonly Input[], exposed: ReadonlyMap<string, string>): Argument {
  const taken = new Set(inputs.map(({ name }) => name));
  const others = new Set(inputs.flatMap((other) => (other === input ? [] : other.aliases)));
  const aliases = new Set([exposed.get(input.name) ?? input.name, ...input.aliases]);
  const free = [...aliases].filter((alias) => !taken.has(alias));
  const names = [input.name, ...free.filter((alias) => !others.has(alias))];
  const shared = free.filter((alias) => others.has(alias));
  return { input, names, shared, accepted: [...names, ...shared] };
}

function checkArguments(args: Fields, table: readonly Argument[], names: ReadonlySet<string>): InputCheckResult {
  const values: Record<string, JsonValue> = Object.create(null);
  const findings: Finding[] = [];
  const used = new Set<string>();
  for (const argument of table) {
    const { input } = argument;
    const name = argument.accepted.find((candidate) => isGiven(args, candidate));
    if (name === undefined) {
      if (input.z.default !== undefined) values[input.name] = copyOf(input.z.default);
      else if (!input.z.optional) findings.push(missing(input));
      continue;
    }
    used.add(name);
    const { value, faults } = checkValue(input.z, args[name]);
    const other = argument.names.length > 1 ? conflictingName(argument, name, args) : undefined;
    if (other !== undefined) findings.push(conflict(name, other));
    else if (value === undefined) findings.push(...faults.map((fault) => refused(name, fault)));
    else values[input.name] = value;
  }
  if (table.some(({ shared }) => shared.length > 0)) findings.push(...unusedAliases(table, args, used));
  const unknown = Object.keys(args).filter((key) => !names.has(key));
  if (unknown.length > 0) findings.push(...unknownArguments(unknown, table));
  return findings.length > 0 ? { ok: false, findings } : { ok: true, values };
}

/** Shared aliases without effect, because all of their inputs have a different value. */
function unusedAliases(table: readonly Argument[], args: Fields, used: ReadonlySet<string>): Finding[] {
  const conflicts = table.flatMap(({ input: { z }, names, shared }) => {
    const name = names.find((candidate) => isGiven(args, candidate));
    if (name === undefined) return [];
    const isOther = (alias: string) =>
      isGiven(args, alias) && !used.has(alias) && textOf(z, args[alias]) !== textOf(z, args[name]);
    return shared.filter(isOther).map((alias): [string, Finding] => [alias, conflict(name, alias)]);
  });
  return [...new Map(conflicts).values()];
}

function textOf(z: ZExpression, value: unknown): string | undefined {
  return JSON.stringify(checkValue(z, value).value);
}

/** Only own keys: an input may be called `constructor`. */
function isGiven(args: Fields, name: string): boolean {
  return Object.hasOwn(args, name) && args[name] !== undefined && args[name] !== null;
}

/** Another name under which the caller gave a different value. */
function conflictingName({ names, input: { z } }: Argument, name: string, args: Fields): string | undefined {
  const own = textOf(z, args[name]);
  return names.find((other) => other !== name && isGiven(args, other) && textOf(z, args[other]) !== own);
}

/** Copies lists and objects, so that no call can change the default. */
function copyOf(value: JsonValue): JsonValue {
  return typeof value === 'object' ? structuredClone(value) : value;
}

/** Problems of a caller's arguments, by code. All are errors. */
export const inputCodes = {
  INP001: 'A required argument or member of one, without a default, is missing.',
  INP002: 'An argument has the wrong type.',
  INP003: 'A number is out of bounds, or a text or list is too short or too long.',
  INP004: 'An argument is not one of the allowed values.',
  INP005: 'A text does not match the pattern of its input.',
  INP006: 'The tool has no such argument, or the argument no such member.',
  INP007: 'The arguments are not an object.',
  INP008: 'An argument is given under two names with different values.',
} as const;

type InputCode = keyof typeof inputCodes;

const codeOfFault = {
  type: 'INP002',
  bounds: 'INP003',
  enum: 'INP004',
  pattern: 'INP005',
  missing: 'INP001',
  unknown: 'INP006',
} as const;

const MAX_UNKNOWN = 20;

function missing({ name, z }: Input): Finding {
  return finding('INP001', name, `required argument is missing, expected ${describeExpected(z)}.`);
}

/** @param name the name that the caller used */
function refused(name: string, fault: ValueFault): Finding {
  const place = (start: string): string => fault.at.reduce<string>(pathInto, start);
  const message = `${place(label(name))}: ${problemOf(fault)}`;
  return { code: codeOfFault[fault.kind], severity: 'error', path: place(name), message };
}

/** Names of members come from callers, so long ones are cut. */
function pathInto(path: string, key: string | number): string {
  return childPath(path, typeof key === 'string' ? key.slice(0, 60) : key);
}

function problemOf({ kind, at, z, value }: ValueFault): string {
  if (kind === 'missing') return `required member is missing, expected ${describeExpected(z)}.`;
  if (kind === 'unknown') return `unknown member. ${suggestName(String(at.at(-1)), Object.keys(z.properties ?? {}))}`;
  const isFile = z.primitive === 'file';
  const suggestion = kind === 'enum' ? suggestMember(z, String(value)) : isFile ? suggestBase64(value) : '';
  const flaw = kind === 'type' && isContainer(z, value) ? ' with parts that JSON cannot carry' : '';
  // A number may come as text; only its size is wrong.
  const isNumber = z.primitive === 'number' && kind !== 'type' && typeof value === 'string';
  const given = isNumber ? value : describeFor(z, value);
  return `expected ${describeExpected(z)}, got ${given}${flaw}.${suggestion}`;
}

/** What was given, as far as it matters for what was expected. */
function describeFor(z: ZExpression, value: unknown): string {
  if (z.primitive === 'file') return describeFile(value);
  if (z.primitive === 'union' && isObject(value)) return describeNames(Object.keys(value));
  return describeGiven(value);
}

function conflict(name: string, other: string): Finding {
  return finding('INP008', name, `also given as ${label(other)} with a different value; give only one.`);
}

function notAnObject(args: unknown): Finding {
  return { ...finding('INP007', '', ''), message: `Expected the arguments as an object, got ${describeGiven(args)}.` };
}

function unknownArguments(names: readonly string[], table: readonly Argument[]): Finding[] {
  const known = table.map(({ input }) => input.name);
  const findings = names.slice(0, MAX_UNKNOWN).map((name) => {
    return finding('INP006', name, `unknown to this tool. ${suggestName(name, known)}`);
  });
  const rest = names.length - findings.length;
  return rest === 0 ? findings : [...findings, finding('INP006', '', `${rest} more unknown arguments.`)];
}

function suggestName(name: string, known: readonly string[]): string {
  const nearest = sharingStart(name, known) ?? nearestWord(name, known);
  if (nearest !== undefined) return `Did you mean ${quote(nearest)}?`;
  return known.length === 0 ? 'It takes none.' : `It takes ${listWords(known)}.`;
}

/** The only name that begins the word, or that it begins: `lat` for `latitude`. */
function sharingStart(word: string, names: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  const found = names.filter((name) => {
    const [short = '', long = ''] = [lower, name.toLowerCase()].sort((left, right) => left.length - right.length);
    return short.length >= 2 && long.startsWith(short);
  });
  return found.length === 1 ? found[0] : undefined;
}

/** Whether the type is right, so that only the contents can be wrong. */
function isContainer({ primitive, properties }: ZExpression, value: unknown): boolean {
  if (primitive === 'array') return Array.isArray(value);
  if (primitive === 'object' && properties === undefined) return typeof value === 'object';
  return (primitive === 'object' || primitive === 'record') && isObject(value);
}

function suggestMember({ members = [] }: ZExpression, word: string): string {
  const words = members.filter((member) => typeof member === 'string');
  const nearest = nearestWord(word, words);
  return nearest === undefined ? '' : ` Did you mean ${quote(nearest)}?`;
}

function suggestBase64(value: unknown): string {
  const isOther = typeof value === 'string' && /^data:/i.test(value) && parseFileValue(value) === undefined;
  return isOther ? ' Write its content in base64, such as data:text/plain;base64,aGVsbG8= for the text hello.' : '';
}

function finding(code: InputCode, path: string, message: string): Finding {
  return { code, severity: 'error', path, message: path === '' ? message : `${label(path)}: ${message}` };
}

/** The name, quoted and shortened if it is unusual. */
function label(name: string): string {
  return /^[\w.$[\]-]{1,60}$/.test(name) ? name : quote(name);
}
