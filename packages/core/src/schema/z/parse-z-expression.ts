import type { Report } from '../finding.ts';
import { childPath } from '../finding.ts';
import { valuesOf } from '../format/fields.generated.ts';
import { type ValueFault, valueCheck } from '../input/check-value.ts';
import { isObject } from '../json.ts';
import { type Place, ruleReport } from '../rule-report.ts';
import { type Call, parseCall, splitChain, unquote } from './call-syntax.ts';
import type { Primitive, ZExpression } from './z-expression.ts';
import {
  membersOf,
  type OptionName,
  type Options,
  parseDefault,
  parseNumber,
  parseOptions,
  parsePattern,
} from './z-options.ts';

const PRIMITIVES: readonly string[] = valuesOf.ZPrimitive;

/** The primitives that an option applies to. */
const TAKEN_BY: Partial<Record<OptionName, readonly Primitive[]>> = {
  min: ['number', 'string', 'array'],
  max: ['number', 'string', 'array'],
  length: ['string', 'array'],
  regex: ['string'],
  values: ['enum', 'boolean'],
  enum: ['enum', 'boolean'],
};

/**
 * Parses a `z` block; the order of options does not matter. Findings have the codes VAL044 to VAL047. Only an unknown
 * primitive is an error; unusable options are ignored with a warning. Never throws.
 */
export function parseZExpression(z: unknown, context: { path: string; report: Report }): ZExpression | undefined {
  const block = copyBlock(z);
  const text = textOf(block);
  const known = text === undefined ? undefined : faultless.get(text);
  if (known !== undefined) return known;
  let faults = 0;
  const report = ruleReport((finding) => {
    faults += 1;
    context.report(finding);
  });
  const expression = parseBlock(block, { path: context.path, report });
  if (text !== undefined && expression !== undefined && faults === 0 && faultless.size < maxFaultless) {
    faultless.set(text, expression);
  }
  return expression;
}

/** A cache: thousands of parameters have one of a few texts. Expressions with findings are not cached. */
const faultless = new Map<string, ZExpression>();
const maxFaultless = 2000;
const maxTextLength = 500;

/** The cache key of a block; undefined if it is not plain text. */
function textOf({ primitive, options }: Block): string | undefined {
  if (typeof primitive !== 'string' || !Array.isArray(options)) return undefined;
  let text = primitive;
  for (const option of options) {
    if (typeof option !== 'string') return undefined;
    text += `\0${option}`;
  }
  return text.length <= maxTextLength ? text : undefined;
}

function parseBlock(block: Block, context: Place): ZExpression | undefined {
  const primitive = parsePrimitive(block.primitive, context);
  if (primitive === undefined) return undefined;
  const elements = parseElements(block.options, context);
  const options = parseOptions(elements, childPath(context.path, 'options'), context.report);
  const members = membersOf(primitive, options, context);
  const kind = members === undefined ? primitive.name : 'enum';
  dropForeignOptions(kind, options, context);
  const written = { ...defaultOf(kind, options, context), ...boundsOf(kind, options, context) };
  const regex = options.get('regex');
  const pattern = regex && parsePattern(regex, context.report);
  const description = options.get('describe');
  const expression: ZExpression = {
    primitive: kind,
    ...(members !== undefined && { members }),
    optional: options.has('optional') || options.has('default'),
    ...written,
    ...(pattern !== undefined && { pattern }),
    ...(description && { description: unquote(description.args) }),
  };
  reportContradictions(expression, context);
  return expression;
}

interface Block {
  primitive?: unknown;
  options?: unknown;
}

/** Copies the block once: objects of a program can have getters or proxies that throw. */
function copyBlock(z: unknown): Block {
  try {
    if (!isObject(z)) return {};
    const { primitive, options } = z;
    return { primitive, options: Array.isArray(options) ? Array.from(options) : options };
  } catch {
    return {}; // Reported as a primitive that is missing.
  }
}

function parsePrimitive(text: unknown, { path, report }: Place): (Call & { name: Primitive }) | undefined {
  const at = childPath(path, 'primitive');
  const chain = typeof text === 'string' ? splitChain(text) : undefined;
  const call = typeof text === 'string' ? parseCall(chain?.first ?? text) : undefined;
  if (call === undefined || !isPrimitive(call.name)) {
    const problem = typeof text === 'string' ? `unknown z.primitive "${text}"` : 'z.primitive must be text';
    return report('VAL044', at, problem, 'Use string(), number(), boolean(), array(), object() or enum(a,b).');
  }
  if (chain !== undefined) {
    const options = splitChained(chain.chained).map((option) =>
      option.includes("'") ? JSON.stringify(option) : `'${option}'`,
    );
    const problem = `z.primitive "${text}" is read as ${chain.first.trim()}, without ${chain.chained}`;
    const hint = `Constraints belong in options. Write options: [${options.join(', ')}].`;
    report('VAL044', at, problem, { severity: 'warning', hint });
  } else if (call.name !== 'enum' && call.args !== '') {
    const problem = `z.primitive "${text}" is read as ${call.name}(); constraints belong in options`;
    report('VAL044', at, problem, { severity: 'warning' });
  }
  return { name: call.name, args: call.args };
}

/** More than any primitive has. */
const maxChained = 10;

/** `.min(3).optional()` as `min(3)` and `optional()`. */
function splitChained(chained: string): string[] {
  const calls: string[] = [];
  let rest: string | undefined = chained;
  while (rest !== undefined && calls.length < maxChained) {
    const text: string = rest.replace(/^\.\s*/, '');
    const next = splitChain(text);
    calls.push(next?.first ?? text);
    rest = next?.chained;
  }
  return calls;
}

function isPrimitive(name: string): name is Primitive {
  return PRIMITIVES.includes(name);
}

function parseElements(options: unknown, { path, report }: Place): readonly unknown[] {
  if (Array.isArray(options)) return options;
  const severity = options === undefined || typeof options === 'string' ? 'warning' : 'error';
  const problem = 'z.options must be an array of text, empty if there are none';
  report('VAL045', childPath(path, 'options'), problem, { severity });
  return typeof options === 'string' ? [options] : [];
}

function dropForeignOptions(kind: Primitive, options: Options, { report }: Place): void {
  for (const [name, { path }] of options) {
    if (TAKEN_BY[name]?.includes(kind) !== false) continue;
    options.delete(name);
    report('VAL045', path, `option ${name}() does not apply to ${kind}(); it is ignored`);
  }
}

function defaultOf(kind: Primitive, options: Options, { report }: Place): Pick<ZExpression, 'default'> {
  const option = options.get('default');
  if (option === undefined) return {};
  const value = parseDefault(kind, option.args);
  if (value !== undefined) return { default: value };
  report('VAL045', option.path, `default(${option.args}) is not a valid ${kind}(); it is ignored`);
  return {};
}

type Bounds = Pick<ZExpression, 'min' | 'max' | 'length'>;

function boundsOf(kind: Primitive, options: Options, { report }: Place): Bounds {
  const bounds: Bounds = {};
  for (const name of ['min', 'max', 'length'] as const) {
    const option = options.get(name);
    if (option === undefined) continue;
    const bound = parseNumber(option.args);
    const fits = bound !== undefined && (kind === 'number' || (Number.isInteger(bound) && bound >= 0));
    if (fits) bounds[name] = bound;
    else report('VAL045', option.path, `${name}(${option.args}) needs a valid number; it is ignored`);
  }
  return bounds;
}

const FAULT_OF_DEFAULT: Readonly<Record<ValueFault, string>> = {
  type: 'has the wrong type',
  bounds: 'is out of bounds',
  enum: 'is not one of the values of the enum',
  pattern: 'does not match regex()',
};

/** Reports contradicting options as warnings (VAL045). */
function reportContradictions(z: ZExpression, { path, report }: Place): void {
  const say = (problem: string): void => report('VAL045', childPath(path, 'options'), problem);
  const { min, max, length } = z;
  if (min !== undefined && max !== undefined && min > max) say(`no value satisfies both min(${min}) and max(${max})`);
  if (length !== undefined && min !== undefined && length < min) say(`length(${length}) is below min(${min})`);
  if (length !== undefined && max !== undefined && length > max) say(`length(${length}) is above max(${max})`);
  if (z.default === undefined) return;
  const check = valueCheck(z);
  if (check.accept(z.default) !== undefined) return;
  const shown = JSON.stringify(z.default);
  const fault = FAULT_OF_DEFAULT[check.faultOf(z.default)];
  say(`default ${shown} ${fault}: calls without a value send it, but calls that pass it fail`);
}
