import { type Place, ruleReport } from '../rule-report.ts';
import { buildExpression, type Shape } from './build-expression.ts';
import { createShapeReader, type ShapeReader } from './shape-reader.ts';
import { onlyValue, type ZExpression } from './z-expression.ts';
import { addOption, chainedOptions, hintFor, isOptionName, membersIn, type Options } from './z-options.ts';

const maxLevels = 8;
const maxNodes = 500;
const maxCharacters = 20_000;

/** Whether a primitive is a shape (docs/format.md, "Shapes"), and not one of the forms that every reader of the format knows. */
export function isShape(primitive: unknown): primitive is string {
  return (
    typeof primitive === 'string' &&
    /^\s*(?:(?:record|union|integer|file)\b|(?:array|object)\s*\(\s*[^\s)])/.test(primitive)
  );
}

const examples: Readonly<Record<string, string>> = {
  array: 'array(object({ isbn: string(), count: integer().min(1) }))',
  object: 'object({ isbn: string(), count: integer().min(1) })',
  record: 'record(number())',
  union: 'union(string(), object({ isbn: string() }))',
  integer: 'integer()',
  file: "file(), with options: ['type(image/*)', 'max(1000000)']",
};

interface ShapeText {
  shape: Shape;
  /** The calls that are chained to it. */
  options: Options;
}

interface Context {
  reader: ShapeReader;
  place: Place;
  level: number;
}

/**
 * Parses a shape such as `array(object({ isbn: string(), count: integer().min(1) }))` in linear time. A fault is a finding (VAL044)
 * with its place in the text; `array(…)` and `object(…)` then accept what they do without arguments, because older files have such texts.
 */
export function parseShape(text: string, place: Place): ShapeText | undefined {
  const reader = createShapeReader(text);
  const isTooLong = text.length > maxCharacters;
  const parsed = isTooLong
    ? reader.fail(`a shape has at most ${maxCharacters} characters`)
    : parseNode({ reader, place, level: 0 });
  if (parsed !== undefined && reader.isAtEnd()) {
    const shape = withoutNull(parsed.shape);
    if (acceptsNull(parsed.shape)) {
      place.report('VAL045', place.path, 'null counts as left out here; nullable() is ignored', 'Write optional().');
    }
    return { ...parsed, shape };
  }
  if (parsed !== undefined) reader.fail('expected the end, or a dot and a constraint');
  const { fault = { at: 0, problem: 'cannot be read' } } = reader;
  const primitive = /^\s*(array|object)/.exec(text)?.[1] as 'array' | 'object' | undefined;
  const problem = `z.primitive: at character ${fault.at + 1}, ${fault.problem}`;
  const [word = ''] = /^\s*\w+/.exec(text) ?? [];
  const hint = `Write a shape such as ${examples[word.trim()] ?? examples.array}.`;
  if (primitive === undefined) return place.report('VAL044', place.path, problem, hint);
  place.report('VAL044', place.path, `${problem}; it is read as ${primitive}()`, { severity: 'warning', hint });
  return { shape: { primitive }, options: new Map() };
}

function acceptsNull({ nullable, variants = [] }: Shape): boolean {
  return nullable === true || variants.some(acceptsNull);
}

function withoutNull({ nullable: _, variants, ...shape }: Shape): Shape {
  if (variants === undefined) return shape;
  return { ...shape, variants: variants.map(({ optional, ...each }) => ({ ...withoutNull(each), optional })) };
}

function parseNode(context: Context): ShapeText | undefined {
  const { reader, level } = context;
  const start = reader.skipSpace();
  const name = reader.takeName();
  const parseArguments = name !== undefined && Object.hasOwn(argumentsOf, name) ? argumentsOf[name] : undefined;
  if (parseArguments === undefined) {
    const known = Object.keys(argumentsOf).map((each) => `${each}()`);
    return reader.fail(`expected ${known.slice(0, -1).join(', ')} or ${known.at(-1)}`, start);
  }
  if (level > maxLevels) return reader.fail(`a shape has at most ${maxLevels} levels`, start);
  reader.nodes += 1;
  if (reader.nodes > maxNodes) return reader.fail(`a shape has at most ${maxNodes} parts`, start);
  if (!reader.take('(')) return reader.fail(`expected ( after ${name}`);
  const shape = parseArguments(context);
  if (shape === undefined) return undefined;
  if (!reader.take(')')) return reader.fail(`expected ) to close ${name}(`);
  return parseChain(shape, context);
}

/** The parsers of what stands between the parentheses. */
const argumentsOf: Readonly<Record<string, (context: Context) => Shape | undefined>> = {
  string: () => ({ primitive: 'string' }),
  number: () => ({ primitive: 'number' }),
  integer: () => ({ primitive: 'number', integer: true }),
  boolean: () => ({ primitive: 'boolean' }),
  enum: parseEnum,
  array(context) {
    if (context.reader.peek() === ')') return { primitive: 'array' };
    const items = parseInner(context);
    return items && { primitive: 'array', items };
  },
  object: (context) => (context.reader.peek() === ')' ? { primitive: 'object' } : parseObject(context)),
  record(context) {
    const values = parseInner(context);
    return values && { primitive: 'record', values };
  },
  union: parseUnion,
  file: () => ({ primitive: 'file' }),
};

function parseInner(context: Context): ZExpression | undefined {
  const parsed = parseNode({ ...context, level: context.level + 1 });
  return parsed && buildExpression(parsed.shape, parsed.options, reportingAt(context));
}

/** Findings about constraints say where in the text they stand. */
function reportingAt({ reader, place: { path, report } }: Context): Place {
  const where = `(${path}, before character ${reader.at + 1})`;
  return {
    path,
    report: ruleReport((found) => report({ ...found, message: found.message.replace(`(${path})`, where) })),
  };
}

function parseEnum({ reader, place }: Context): Shape | undefined {
  const start = reader.at;
  const texts = reader.takeList();
  if (texts === undefined) return undefined;
  if (texts.length === 0) return reader.fail('an enum has values', start);
  return { primitive: 'enum', members: membersIn(texts, place) };
}

function parseObject(context: Context): Shape | undefined {
  const { reader } = context;
  if (!reader.take('{')) return reader.fail('expected { and the members of the object');
  const properties = new Map<string, ZExpression>();
  while (!reader.take('}')) {
    const start = reader.skipSpace();
    const name = reader.peek() === '"' || reader.peek() === "'" ? reader.takeQuoted() : reader.takeName();
    if (name === undefined) return reader.fail('expected the name of a member, in quotes if it is not a word', start);
    if (properties.has(name)) return reader.fail(`the member ${JSON.stringify(name)} is given twice`, start);
    if (!reader.take(':')) return reader.fail(`expected : after the member ${JSON.stringify(name)}`);
    const member = parseInner(context);
    if (member === undefined) return undefined;
    properties.set(name, member);
    if (!reader.take(',') && reader.peek() !== '}') return reader.fail('expected , or } after a member');
  }
  return { primitive: 'object', properties: Object.fromEntries(properties) };
}

function parseUnion(context: Context): Shape | undefined {
  const { reader } = context;
  const start = reader.skipSpace();
  const isQuoted = reader.peek() === '"' || reader.peek() === "'";
  const discriminator = isQuoted ? reader.takeQuoted() : undefined;
  if (isQuoted && discriminator === undefined) return undefined;
  if (isQuoted && !reader.take(',')) return reader.fail('expected , after the discriminating member');
  const variants: ZExpression[] = [];
  do {
    const variant = parseInner(context);
    if (variant === undefined) return undefined;
    variants.push(variant);
  } while (reader.take(','));
  if (variants.length < 2) return reader.fail('a union has at least two variants', start);
  if (discriminator === undefined) return { primitive: 'union', variants };
  const values = variants.map(({ properties = {} }) =>
    onlyValue(Object.hasOwn(properties, discriminator) ? properties[discriminator] : undefined),
  );
  if (values.includes(undefined) || new Set(values).size < values.length) {
    const problem = `each variant must be an object with a member ${JSON.stringify(discriminator)} that is an enum of one value of its own`;
    return reader.fail(problem, start);
  }
  return { primitive: 'union', variants, discriminator };
}

function parseChain(shape: Shape, context: Context): ShapeText | undefined {
  const { reader } = context;
  const options: Options = new Map();
  let nullable = false;
  while (reader.take('.')) {
    const start = reader.skipSpace();
    const name = reader.takeName() ?? '';
    if (!reader.take('(')) return reader.fail('expected a constraint such as min(1)', start);
    const argument = reader.takeArgument(name);
    if (argument === undefined) return undefined;
    const { path, report } = reportingAt(context);
    if (name === 'nullable') nullable = true;
    else if (isOptionName(name) && chainedOptions.includes(name))
      addOption(name, { ...argument, path }, options, report);
    else report('VAL045', path, `unknown option ${name}(); it is ignored`, hintFor(name, chainedOptions));
  }
  return { shape: { ...shape, ...(nullable && { nullable }) }, options };
}
