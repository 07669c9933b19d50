import { childPath, type Finding, makeFinding } from '../finding.ts';
import type { valuesOf } from '../format/fields.generated.ts';
import { describeGiven } from '../input/describe-input.ts';
import { isObject, type JsonObject } from '../json.ts';

/** Rules about answers and the schemas that describe them, by code: how severe a breach is, and what the rule asks for. */
export const outputCodes = {
  OUT001: ['error', 'An output schema is inferred from an answer and its media type.'],
  OUT002: ['warning', 'An answer of a JSON media type is JSON.'],
  OUT003: ['info', 'An output schema describes the whole answer.'],
  OUT004: ['warning', 'An answer is what the output schema of its tool says.'],
  OUT005: ['error', 'A tool whose output is written into its file stands there as an object of its own.'],
} as const;

/** Makes a finding of a rule about answers. */
export function outputFinding(code: keyof typeof outputCodes, path: string, message: string, hint?: string): Finding {
  return makeFinding(outputCodes, code, path, message, hint);
}

const maxFindings = 20;

const words: Readonly<Record<OutputType, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

/**
 * Checks an answer against a tool's `output.schema`. What does not fit is a warning with the place in the answer, such as
 * `$.items[0].price`: schemas are often inferred from a few answers, so a difference is worth knowing and no reason to
 * refuse the answer. At most 20 places, and a count of the rest.
 */
export function checkOutput(data: unknown, schema: unknown): Finding[] {
  return isObject(schema) ? outputCheck(schema as JsonObject)(data) : [];
}

/** Makes the same check for many answers of one tool. */
export function outputCheck(schema: JsonObject): (data: unknown) => Finding[] {
  const fit = outputFitter(schema);
  return (data) => findMisfits(data, fit);
}

function findMisfits(data: unknown, fit: FitOutput): Finding[] {
  const findings: Finding[] = [];
  let count = 0;
  fit(data, ({ keys, value, types }) => {
    count += 1;
    if (count > maxFindings) return;
    const path = keys.reduce<string>(childPath, '$');
    const message = `${path}: expected ${types.map((type) => words[type]).join(' or ')}, got ${describeGiven(value)}`;
    findings.push(outputFinding('OUT004', path, message));
  });
  const rest = count - findings.length;
  if (rest > 0) {
    findings.push(
      outputFinding(
        'OUT004',
        '$',
        `${rest} more ${rest === 1 ? 'value differs' : 'values differ'} from the output schema`,
      ),
    );
  }
  return findings;
}

/** A value that is not what its node of an output schema says. */
export interface Misfit {
  /** Where the value stands, from the root. Only valid during the call: it is one array for the whole walk. */
  keys: readonly (string | number)[];
  value: unknown;
  /** What the node allows, such as `['number', 'null']`. */
  types: readonly OutputType[];
}

/** A type that a node of an output schema can name. */
export type OutputType = (typeof valuesOf)['OutputNode.type'][number];

// Deeper nodes than real schemas have; a `schema` that a program builds could contain itself.
const maxDepth = 50;

const misfit = Symbol('misfit');

/**
 * Gives the part of an answer that fits: itself where all of it does. Undefined where the root does not fit.
 */
export type FitOutput = (data: unknown, onMisfit: (misfit: Misfit) => void) => unknown;

/**
 * Makes the function that holds answers against an output schema. What the schema does not name fits; so
 * does null where a node says `nullable` or has null among its types. Nothing is required. The schema is read once.
 */
export function outputFitter(schema: JsonObject): FitOutput {
  const keys: (string | number)[] = [];
  const nodes = new Map<SourceNode, OutputNode>();
  let report: (misfit: Misfit) => void = () => {};

  /** A schema that a program builds may contain itself, so its nodes are read when they are first needed. */
  function nodeOf(child: Child): OutputNode {
    if (child.node !== undefined) return child.node;
    const node = nodes.get(child.source) ?? readNode(child.source);
    nodes.set(child.source, node);
    child.node = node;
    return node;
  }

  /** Whether all of a value fits. It makes nothing, since nearly all answers fit; where it says no, `fit` finds out what does not. */
  function fits(value: unknown, child: Child, depth: number): boolean {
    const { allowed, properties, items } = nodeOf(child);
    if ((allowed & typesOf(value)) === 0) return false;
    if (typeof value !== 'object' || value === null || depth >= maxDepth) return true;
    if (Array.isArray(value)) {
      if (items === undefined) return true;
      for (let index = 0; index < value.length; index += 1) if (!fits(value[index], items, depth + 1)) return false;
      return true;
    }
    if (properties.size === 0) return true;
    // By the keys that are there: to ask a value for each key of the schema takes twice the time.
    for (const key in value) {
      const property = properties.get(key);
      if (property && !fits((value as Record<string, unknown>)[key], property, depth + 1)) return false;
    }
    return true;
  }

  function fit(value: unknown, child: Child): unknown {
    const { types, allowed, properties, items } = nodeOf(child);
    if ((allowed & typesOf(value)) === 0) {
      report({ keys, value, types });
      return misfit;
    }
    if (typeof value !== 'object' || value === null || keys.length >= maxDepth) return value;
    if (Array.isArray(value)) return items === undefined ? value : fitItems(value, items);
    return properties.size === 0 ? value : fitProperties(value as Record<string, unknown>, properties);
  }

  function fitChild(value: unknown, key: string | number, child: Child): unknown {
    keys.push(key);
    const fitted = fit(value, child);
    keys.pop();
    return fitted;
  }

  function fitItems(list: readonly unknown[], child: Child): readonly unknown[] {
    let copy: unknown[] | undefined;
    for (let index = 0; index < list.length; index += 1) {
      const fitted = fitChild(list[index], index, child);
      if (fitted !== list[index]) copy ??= list.slice(0, index);
      if (fitted !== misfit) copy?.push(fitted);
    }
    return copy ?? list;
  }

  function fitProperties(
    value: Record<string, unknown>,
    properties: OutputNode['properties'],
  ): Record<string, unknown> {
    let copy: Record<string, unknown> | undefined;
    for (const [key, child] of properties) {
      if (!Object.hasOwn(value, key)) continue;
      const fitted = fitChild(value[key], key, child);
      if (fitted === value[key]) continue;
      copy ??= { ...value };
      if (fitted === misfit) delete copy[key];
      else copy[key] = fitted;
    }
    return copy ?? value;
  }

  const root: Child = { source: schema, node: undefined };
  return (data, onMisfit) => {
    if (fits(data, root, 0)) return data;
    report = onMisfit;
    const fitted = fit(data, root);
    return fitted === misfit ? undefined : fitted;
  };
}

type SourceNode = Readonly<Record<string, unknown>>;

/** A node of an output schema as it stands in the schema, and what was read from it. */
interface Child {
  source: SourceNode;
  node: OutputNode | undefined;
}

interface OutputNode {
  types: readonly OutputType[];
  /** The types as bits; all of them where the node allows all. */
  allowed: number;
  properties: ReadonlyMap<string, Child>;
  items: Child | undefined;
}

function readNode({ type, nullable, properties, items }: SourceNode): OutputNode {
  const types = readTypes(type, nullable);
  const entries = isObject(properties) ? Object.entries(properties) : [];
  return {
    types: types ?? [],
    allowed: types === undefined ? anyType : types.reduce((bits, name) => bits | typeBits[name], 0),
    properties: new Map(
      entries.flatMap(([key, child]) => (isObject(child) ? [[key, { source: child, node: undefined }]] : [])),
    ),
    items: isObject(items) ? { source: items, node: undefined } : undefined,
  };
}

/** Words that are no type allow all. */
function readTypes(type: unknown, nullable: unknown): readonly OutputType[] | undefined {
  const words: readonly unknown[] = Array.isArray(type) ? type : [type];
  const types = words.filter(isOutputType);
  if (types.length < words.length) return undefined;
  return nullable === true && !types.includes('null') ? [...types, 'null'] : types;
}

function isOutputType(word: unknown): word is OutputType {
  return Object.hasOwn(typeBits, word as string);
}

const typeBits: Readonly<Record<OutputType, number>> = {
  object: 1,
  array: 2,
  string: 4,
  number: 8,
  integer: 16,
  boolean: 32,
  null: 64,
};

/** Has a bit that no type has: values that are none of the types are allowed too. */
const anyType = 255;
const noType = 128;

/** The types that a value has, as bits. */
function typesOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return typeBits.string;
    case 'number':
      return Number.isInteger(value) ? typeBits.number | typeBits.integer : typeBits.number;
    case 'bigint':
      return typeBits.number | typeBits.integer;
    case 'boolean':
      return typeBits.boolean;
    case 'object':
      return value === null ? typeBits.null : Array.isArray(value) ? typeBits.array : typeBits.object;
    default:
      return noType;
  }
}
