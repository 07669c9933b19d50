import { childPath, type Finding, makeFinding } from '../finding.ts';
import type { valuesOf } from '../format/fields.generated.ts';
import { describeGiven } from '../input/describe-input.ts';
import { type Fields, isObject, type JsonObject } from '../json.ts';

/** Rules about answers and the schemas that describe them, by code. */
export const outputCodes = {
  OUT001: ['error', 'An output schema is inferred from an answer and its media type.'],
  OUT002: ['warning', 'An answer with a JSON media type is JSON.'],
  OUT003: ['info', 'An output schema describes the whole answer.'],
  OUT004: ['warning', 'An answer matches the output schema of its tool.'],
  OUT005: ['error', 'A tool whose output is written into its file is an object literal in that file.'],
} as const;

export function outputFinding(code: keyof typeof outputCodes, path: string, message: string, hint?: string): Finding {
  return makeFinding(outputCodes, code, path, message, hint);
}

/** A type that a node of an output schema can name. */
export type OutputType = (typeof valuesOf)['OutputNode.type'][number];

const maxFindings = 20;

const typeNames: Readonly<Record<OutputType, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

/**
 * Checks an answer against a tool's `output.schema`. Mismatches are warnings with the path in the answer, such as
 * `$.items[0].price`, because schemas are often inferred from a few answers. At most 20, and a count of the rest.
 *
 * @example
 * const findings = checkOutput({ count: 'two' }, { type: 'object', properties: { count: { type: 'number' } } });
 * console.log(findings[0]?.path); // $.count
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
    const expected = types.map((type) => typeNames[type]).join(' or ');
    findings.push(outputFinding('OUT004', path, `${path}: expected ${expected}, got ${describeGiven(value)}`));
  });
  const rest = count - findings.length;
  if (rest > 0) {
    const message = `${rest} more ${rest === 1 ? 'value differs' : 'values differ'} from the output schema`;
    findings.push(outputFinding('OUT004', '$', message));
  }
  return findings;
}

/** A value that does not match its node of an output schema. */
export interface Misfit {
  /** Path of the value from the root. Only valid during the call: the array is reused. */
  keys: readonly (string | number)[];
  value: unknown;
  /** The types that the node allows, such as `['number', 'null']`. */
  types: readonly OutputType[];
}

/** Returns the part of an answer that matches, or the answer itself if all of it does. Undefined if the root does not match. */
export type FitOutput = (data: unknown, onMisfit: (misfit: Misfit) => void) => unknown;

/** Real schemas are not as deep; one that a program builds could contain itself. */
const maxDepth = 50;

const misfit = Symbol('misfit');

/** Compares answers with an output schema. Unknown properties match, and null where a node allows it. No property is required. */
export function outputFitter(schema: JsonObject): FitOutput {
  const nodes = new Map<SourceNode, OutputNode>();

  function nodeOf(source: SourceNode): OutputNode {
    const node = nodes.get(source) ?? parseNode(source);
    nodes.set(source, node);
    return node;
  }

  return (data, onMisfit) => {
    const keys: (string | number)[] = [];

    function fit(value: unknown, source: SourceNode): unknown {
      const { types, properties, items } = nodeOf(source);
      if (types !== undefined && !types.some((type) => isOfType(value, type))) {
        onMisfit({ keys, value, types });
        return misfit;
      }
      if (typeof value !== 'object' || value === null || keys.length >= maxDepth) return value;
      if (Array.isArray(value)) return items === undefined ? value : fitItems(value, items);
      return fitProperties(value as Fields, properties);
    }

    function fitChild(value: unknown, key: string | number, source: SourceNode): unknown {
      keys.push(key);
      const fitted = fit(value, source);
      keys.pop();
      return fitted;
    }

    function fitItems(list: readonly unknown[], source: SourceNode): readonly unknown[] {
      let copy: unknown[] | undefined;
      for (const [index, item] of list.entries()) {
        const fitted = fitChild(item, index, source);
        if (fitted !== item) copy ??= list.slice(0, index);
        if (fitted !== misfit) copy?.push(fitted);
      }
      return copy ?? list;
    }

    function fitProperties(value: Fields, properties: OutputNode['properties']): Fields {
      let copy: Fields | undefined;
      for (const [key, source] of properties) {
        if (!Object.hasOwn(value, key)) continue;
        const fitted = fitChild(value[key], key, source);
        if (fitted === value[key]) continue;
        copy ??= { ...value };
        if (fitted === misfit) delete copy[key];
        else copy[key] = fitted;
      }
      return copy ?? value;
    }

    const fitted = fit(data, schema);
    return fitted === misfit ? undefined : fitted;
  };
}

type SourceNode = Readonly<Fields>;

interface OutputNode {
  /** Undefined if the node allows every type. */
  types: readonly OutputType[] | undefined;
  properties: readonly (readonly [key: string, source: SourceNode])[];
  items: SourceNode | undefined;
}

function parseNode({ type, nullable, properties, items }: SourceNode): OutputNode {
  return {
    types: parseTypes(type, nullable),
    properties: isObject(properties)
      ? Object.entries(properties).flatMap(([key, source]) => (isObject(source) ? [[key, source] as const] : []))
      : [],
    items: isObject(items) ? items : undefined,
  };
}

/** A node with an unknown type allows every type. */
function parseTypes(type: unknown, nullable: unknown): readonly OutputType[] | undefined {
  const words: readonly unknown[] = Array.isArray(type) ? type : [type];
  const types = words.filter((word): word is OutputType => typeof word === 'string' && Object.hasOwn(typeNames, word));
  if (types.length < words.length) return undefined;
  return nullable === true && !types.includes('null') ? [...types, 'null'] : types;
}

function isOfType(value: unknown, type: OutputType): boolean {
  switch (type) {
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'integer':
      return Number.isInteger(value) || typeof value === 'bigint';
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}
