import type { Report } from '../finding.ts';
import { childPath } from '../finding.ts';
import { valuesOf } from '../format/fields.generated.ts';
import { isObject } from '../json.ts';
import { type Place, ruleReport } from '../rule-report.ts';
import { buildExpression, type Shape } from './build-expression.ts';
import { type Call, parseCall, splitChain } from './call-syntax.ts';
import { isShape, parseShape } from './parse-shape.ts';
import type { Primitive, ZExpression } from './z-expression.ts';
import { membersOf, parseOptions } from './z-options.ts';

const PRIMITIVES: readonly string[] = valuesOf.ZPrimitive;

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

function parseBlock({ primitive: text, options }: Block, { path, report }: Place): ZExpression | undefined {
  const inOptions = { path: childPath(path, 'options'), report };
  if (isShape(text)) {
    const parsed = parseShape(text, { path: childPath(path, 'primitive'), report });
    if (parsed === undefined) return undefined;
    parseOptions(parseElements(options, inOptions), { ...inOptions, options: parsed.options });
    return buildExpression(parsed.shape, parsed.options, inOptions);
  }
  const primitive = parsePrimitive(text, { path, report });
  if (primitive === undefined) return undefined;
  const parsed = parseOptions(parseElements(options, inOptions), inOptions);
  const members = membersOf(primitive, parsed, { path, report });
  const shape: Shape = members === undefined ? { primitive: primitive.name } : { primitive: 'enum', members };
  return buildExpression(shape, parsed, inOptions);
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
    return report(
      'VAL044',
      at,
      problem,
      'Use string(), number(), integer(), boolean(), enum(a,b), array(…), object({…}), record(…), union(…) or file().',
    );
  }
  if (chain !== undefined) {
    // Outside of shapes, null counts as left out.
    const options = splitChained(chain.chained)
      .map((option) => (option === 'nullable()' ? 'optional()' : option))
      .map((option) => (option.includes("'") ? JSON.stringify(option) : `'${option}'`));
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
  report('VAL045', path, problem, { severity });
  return typeof options === 'string' ? [options] : [];
}
