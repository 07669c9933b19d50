import { childPath } from '../finding.ts';
import { valuesOf } from '../format/fields.generated.ts';
import type { JsonValue } from '../json.ts';
import { nearestWord } from '../nearest-word.ts';
import { compilePattern } from '../pattern.ts';
import type { Place, RuleReport } from '../rule-report.ts';
import { type Call, parseCall, splitCalls, splitList, unquote } from './call-syntax.ts';
import type { EnumMember, Primitive } from './z-expression.ts';

export type OptionName =
  | (typeof valuesOf.ZOption)[number]
  /** An element such as `$evmChains`. */
  | '$list';

export interface Option {
  /** The text between the parentheses, or `$evmChains` itself. */
  args: string;
  path: string;
  /** Whether `args` is the content of a quoted text, with its escapes decoded. */
  isDecoded?: true;
}

/** The options of one block by name, so that their order cannot matter. */
export type Options = Map<OptionName, Option>;

const KNOWN: readonly string[] = valuesOf.ZOption;

/** The options that are chained inside shapes, where the values of an enum stand in `enum(…)`. */
export const chainedOptions: readonly string[] = [
  ...KNOWN.filter((name) => name !== 'values' && name !== 'enum'),
  'nullable',
];

/** Parses the elements of `options`. Invalid ones are ignored with a warning (VAL045). */
export function parseOptions(
  elements: readonly unknown[],
  { path, report, options = new Map() }: Place & { options?: Options },
): Options {
  elements.forEach((element, index) => {
    const at = childPath(path, index);
    if (typeof element === 'string') parseElement(element, at, options, report);
    else report('VAL045', at, 'an option must be text such as "optional()"; it is ignored');
  });
  return options;
}

function parseElement(element: string, path: string, options: Options, report: RuleReport): void {
  if (/^\$\w+$/.test(element.trim())) {
    addOption('$list', { args: element.trim(), path }, options, report);
    return;
  }
  for (const text of splitCalls(element)) {
    const call = parseCall(text);
    if (call !== undefined && call.args === undefined && call.name !== 'optional' && isOptionName(call.name)) {
      report('VAL045', path, `option "${text}" has no parentheses; it is ignored`, `Write ${call.name}(…).`);
    } else if (call !== undefined && isOptionName(call.name)) {
      addOption(call.name, { args: call.args ?? '', path }, options, report);
    } else report('VAL045', path, `unknown option "${text}"; it is ignored`, hintFor(call?.name));
  }
}

export function addOption(name: OptionName, option: Option, options: Options, report: RuleReport): void {
  const earlier = options.get(name);
  if (earlier === undefined) options.set(name, option);
  else if (earlier.args !== option.args) {
    report('VAL045', option.path, `option ${name}(${option.args}) is given twice; the first one is used`);
  }
}

export function isOptionName(name: string): name is OptionName {
  return KNOWN.includes(name);
}

export function hintFor(name: string = '', known: readonly string[] = KNOWN): string {
  const nearest = nearestWord(name, known);
  if (nearest !== undefined) return `Did you mean ${nearest}()?`;
  return `Known options: ${known.map((each) => `${each}()`).join(', ')}.`;
}

const REFERENCE = /\{\{\s*(\w+)\s*:\s*(\w+)\s*\}\}/;

/** The values of an enum, from the primitive `enum(a,b)` or the options `values(a,b)`, `enum(a,b)` and `$listName`, also of a `string()`. */
export function membersOf(primitive: Call, options: Options, context: Place): EnumMember[] | undefined {
  const at = childPath(context.path, 'primitive');
  if (primitive.name === 'enum') return membersOfEnum({ args: primitive.args ?? '', path: at }, options, context);
  reportListsOutsideEnum({ args: primitive.args ?? '', path: at }, options, context);
  return membersOfOption(primitive.name, options, context);
}

function membersOfEnum(primitive: Option, options: Options, { report }: Place): EnumMember[] {
  const option = options.get('values') ?? options.get('enum') ?? options.get('$list');
  if (primitive.args !== '' && option !== undefined) {
    report('VAL045', option.path, 'the values in z.primitive are used; this option is ignored');
  }
  const source = primitive.args === '' && option !== undefined ? option : primitive;
  const members = parseMembers(source, report);
  if (members.length === 0) {
    const hint = 'Write the values into the parentheses, enum(a,b), or add an option values(a,b).';
    report('VAL046', primitive.path, 'enum() must not be empty', hint);
  }
  return members;
}

function membersOfOption(primitive: string, options: Options, { report }: Place): EnumMember[] | undefined {
  const option = options.get('values') ?? options.get('enum');
  if (option === undefined || !['string', 'number', 'boolean'].includes(primitive)) return undefined;
  const members = parseMembers(option, report);
  if (members.length === 0) {
    options.delete('values');
    options.delete('enum');
    report('VAL045', option.path, 'the option has no values; it is ignored');
  }
  const isPlainBoolean = primitive === 'boolean' && members.every((member) => member === 'true' || member === 'false');
  return members.length === 0 || isPlainBoolean ? undefined : members;
}

/** Parses `a, 'b', {{list:field}}`; `$list` alone is a whole list. */
function parseMembers({ args, path }: Option, report: RuleReport): EnumMember[] {
  const items = splitList(args);
  const texts = items.filter((item) => item !== '').map(unquote);
  return membersIn(texts, { path, report, isAlone: items.length === 1 });
}

/** Enum members from their texts without quotes; `$list` alone is a whole list. */
export function membersIn(
  texts: readonly string[],
  { path, report, isAlone = texts.length === 1 }: Place & { isAlone?: boolean },
): EnumMember[] {
  const whole = isAlone ? /^\$(\w+)$/.exec(texts[0] ?? '')?.[1] : undefined;
  if (whole !== undefined) return [{ list: whole, field: '' }];
  return [...new Set(texts.map((text) => parseMember(text, path, report)))];
}

function parseMember(text: string, path: string, report: RuleReport): EnumMember {
  const [reference, list, field] = REFERENCE.exec(text) ?? [];
  if (list === undefined || field === undefined) return text;
  if (reference !== text.trim()) {
    report('VAL047', path, `${reference} must be a separate value, not part of "${text}"`);
  }
  return { list, field };
}

function reportListsOutsideEnum(primitive: Option, options: Options, { report }: Place): void {
  const constraints = (['default', 'min', 'max', 'length'] as const).map((name) => options.get(name));
  for (const option of [primitive, ...constraints]) {
    const reference = option && REFERENCE.exec(option.args)?.[0];
    if (option !== undefined && reference !== undefined) reportList(reference, option, report);
  }
  const list = options.get('$list');
  if (list !== undefined) reportList(list.args, list, report);
}

function reportList(reference: string, { path }: Option, report: RuleReport): void {
  const hint = `Write enum(${reference}) as the primitive.`;
  report('VAL047', path, `the shared list ${reference} can only be used in an enum`, hint);
}

/** The text of an option, without quotes. */
export function plainText({ args, isDecoded }: Option): string {
  return isDecoded ? args : unquote(args);
}

/** Converts the text of `default(...)` to the type of the primitive. Undefined if invalid. */
export function parseDefault(primitive: Primitive, option: Option): JsonValue | undefined {
  const text = option.args;
  switch (primitive) {
    case 'string':
    case 'enum':
    case 'file':
      return plainText(option);
    case 'union':
      return option.isDecoded ? text : (parseJson(text) ?? text);
    case 'number':
      return parseNumber(text);
    case 'boolean':
      return parseBoolean(unquote(text));
    case 'array':
    case 'object':
    case 'record': {
      const value = parseJson(text);
      const fits = primitive === 'array' ? Array.isArray(value) : typeof value === 'object' && value !== null;
      return fits ? value : undefined;
    }
  }
}

export function parseNumber(text: string): number | undefined {
  const bare = unquote(text).trim();
  const number = Number(bare);
  return bare === '' || !Number.isFinite(number) ? undefined : number;
}

function parseBoolean(text: string): boolean | undefined {
  const bare = text.toLowerCase();
  return bare === 'true' ? true : bare === 'false' ? false : undefined;
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined; // Not JSON, so not a default; the caller reports it.
  }
}

/** The pattern of `regex(...)`. Undefined, with a warning (VAL045), if the engine cannot run it, so that the tool still works. */
export function parsePattern({ args, path, isDecoded }: Option, report: RuleReport): string | undefined {
  const written = isDecoded ? args : withoutSlashes(args);
  // `\\d` would match a backslash and a `d`: the author escaped twice.
  const pattern = !isDecoded && /\\\\[dDwWsSbB.]/.test(written) ? written.replaceAll('\\\\', '\\') : written;
  if (pattern !== written) {
    report('VAL045', path, `doubled backslashes in regex() are read as single backslashes: ${pattern}`);
  }
  const compiled = compilePattern(pattern);
  if ('matches' in compiled) return pattern;
  return report('VAL045', path, `the pattern ${compiled.problem}; values are not checked against it`);
}

/** `/^a$/i` becomes `(?i)^a$`. Flags that do not change what matches are dropped. */
function withoutSlashes(text: string): string {
  const [, source, flags = ''] = /^\/([\s\S]*)\/([dgimsuvy]*)$/.exec(text) ?? [];
  if (source === undefined) return unquote(text);
  const used = [...new Set(flags)].filter((flag) => 'ims'.includes(flag)).join('');
  return used === '' ? source : `(?${used})${source}`;
}
