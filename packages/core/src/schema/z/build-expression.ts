import { checkValue, type ValueFault } from '../input/check-value.ts';
import type { Place } from '../rule-report.ts';
import { splitList, unquote } from './call-syntax.ts';
import { type Primitive, partsOf, type ZExpression } from './z-expression.ts';
import { type OptionName, type Options, parseDefault, parseNumber, parsePattern, plainText } from './z-options.ts';

/** The primitives that an option applies to. */
const TAKEN_BY: Partial<Record<OptionName, readonly Primitive[]>> = {
  min: ['number', 'string', 'array', 'record'],
  max: ['number', 'string', 'array', 'record', 'file'],
  length: ['string', 'array'],
  regex: ['string'],
  values: ['enum', 'boolean'],
  enum: ['enum', 'boolean'],
  type: ['file'],
};

/** What the text before the options says. */
export type Shape = Omit<ZExpression, 'optional' | 'default' | 'min' | 'max' | 'length' | 'pattern' | 'description'>;

/** Applies options to a shape. Those that do not fit are ignored with a warning (VAL045). `path` is where contradictions are reported. */
export function buildExpression(shape: Shape, options: Options, context: Place): ZExpression {
  const kind = shape.primitive;
  dropForeignOptions(kind, options, context);
  const written = { ...defaultOf(kind, options, context), ...boundsOf(kind, options, context) };
  const regex = options.get('regex');
  const pattern = regex && parsePattern(regex, context.report);
  const description = options.get('describe');
  const types = options.get('type');
  const expression: ZExpression = {
    ...shape,
    optional: options.has('optional') || options.has('default'),
    ...written,
    ...(pattern !== undefined && { pattern }),
    ...(description && { description: plainText(description) }),
    ...(types && { types: splitList(types.args).map((type) => unquote(type).toLowerCase()) }),
  };
  reportContradictions(expression, context);
  // What a default leaves out of a shape has its own default, as in a value of a caller.
  const isShape = expression.default !== undefined && partsOf(expression).length > 0;
  const { value } = isShape ? checkValue(expression, expression.default) : {};
  return value === undefined ? expression : { ...expression, default: value };
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
  const value = parseDefault(kind, option);
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

const FAULT_OF_DEFAULT: Readonly<Record<ValueFault['kind'], string>> = {
  type: 'has the wrong type',
  bounds: 'is out of bounds',
  enum: 'is not one of the values of the enum',
  pattern: 'does not match regex()',
  missing: 'lacks a member',
  unknown: 'has an unknown member',
};

/** Reports contradicting options as warnings (VAL045). */
function reportContradictions(z: ZExpression, { path, report }: Place): void {
  const say = (problem: string): void => report('VAL045', path, problem);
  const { min, max, length } = z;
  if (min !== undefined && max !== undefined && min > max) say(`no value satisfies both min(${min}) and max(${max})`);
  if (length !== undefined && min !== undefined && length < min) say(`length(${length}) is below min(${min})`);
  if (length !== undefined && max !== undefined && length > max) say(`length(${length}) is above max(${max})`);
  if (z.default === undefined) return;
  const [first] = checkValue(z, z.default).faults;
  if (first === undefined) return;
  const shown = JSON.stringify(z.default);
  const fault = FAULT_OF_DEFAULT[first.kind];
  say(`default ${shown} ${fault}: calls without a value send it, but calls that pass it fail`);
}
