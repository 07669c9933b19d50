import { type Call, splitList, unquote } from './call-syntax.ts';
import { childPath, type Report } from './finding.ts';
import type { EnumMember } from './z-expression.ts';
import { zFinding } from './z-finding.ts';
import type { Option, Options } from './z-options.ts';

const REFERENCE = /\{\{\s*(\w+)\s*:\s*(\w+)\s*\}\}/;

interface Context {
  /** Path of the `z` block. */
  path: string;
  report: Report;
}

/**
 * The values that a block allows, or undefined when it is no enum. They stand in the primitive, `enum(a,b)`, or in the
 * options: `values(a,b)`, `enum(a,b)`, `$listName`. A `string()` with such an option is an enum too.
 *
 * Findings: VAL046 no values; VAL047 a shared list outside an enum.
 */
export function readMembers(primitive: Call, options: Options, context: Context): EnumMember[] | undefined {
  const at = childPath(context.path, 'primitive');
  if (primitive.name === 'enum') return membersOfEnum({ args: primitive.args ?? '', path: at }, options, context);
  reportListsOutsideEnum({ args: primitive.args ?? '', path: at }, options, context);
  return membersOfOption(primitive.name, options, context);
}

function membersOfEnum(primitive: Option, options: Options, { report }: Context): EnumMember[] {
  const option = options.get('values') ?? options.get('enum') ?? options.get('$list');
  if (primitive.args !== '' && option !== undefined) {
    report(zFinding('VAL045', option.path, 'the values in z.primitive are used, not those of this option'));
  }
  const source = primitive.args === '' && option !== undefined ? option : primitive;
  const members = parseMembers(source, report);
  if (members.length === 0) {
    const hint = 'Write the values into the parentheses, enum(a,b), or add an option values(a,b).';
    report(zFinding('VAL046', primitive.path, 'enum() must not be empty', { hint }));
  }
  return members;
}

function membersOfOption(primitive: string, options: Options, { report }: Context): EnumMember[] | undefined {
  const option = options.get('values') ?? options.get('enum');
  if (option === undefined || !['string', 'number', 'boolean'].includes(primitive)) return undefined;
  const members = parseMembers(option, report);
  if (members.length === 0) {
    options.delete('values');
    options.delete('enum');
    report(zFinding('VAL045', option.path, 'an option without values is ignored'));
  }
  const isPlainBoolean = primitive === 'boolean' && members.every((member) => member === 'true' || member === 'false');
  return members.length === 0 || isPlainBoolean ? undefined : members;
}

/** Reads `a, 'b', {{list:field}}`; `$list` alone stands for a whole list (specification 2.4). */
function parseMembers({ args, path }: Option, report: Report): EnumMember[] {
  const items = splitList(args);
  const whole = items.length === 1 ? /^\$(\w+)$/.exec(unquote(items[0] ?? ''))?.[1] : undefined;
  if (whole !== undefined) return [{ list: whole, field: '' }];
  return [...new Set(items.filter((item) => item !== '').map((item) => parseMember(item, path, report)))];
}

function parseMember(item: string, path: string, report: Report): EnumMember {
  const text = unquote(item);
  const [reference, list, field] = REFERENCE.exec(text) ?? [];
  if (list === undefined || field === undefined) return text;
  if (reference !== text.trim()) {
    report(zFinding('VAL047', path, `${reference} must be a value of its own, not a part of "${text}"`));
  }
  return { list, field };
}

function reportListsOutsideEnum(primitive: Option, options: Options, { report }: Context): void {
  const constraints = (['default', 'min', 'max', 'length'] as const).map((name) => options.get(name));
  for (const option of [primitive, ...constraints]) {
    const reference = option && REFERENCE.exec(option.args)?.[0];
    if (option !== undefined && reference !== undefined) reportList(reference, option, report);
  }
  const list = options.get('$list');
  if (list !== undefined) reportList(list.args, list, report);
}

function reportList(reference: string, { path }: Option, report: Report): void {
  const hint = `Write enum(${reference}) as the primitive.`;
  report(zFinding('VAL047', path, `the shared list ${reference} can only stand in an enum`, { hint }));
}
