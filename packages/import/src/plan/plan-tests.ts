import { isObject } from '@schemakit/core/internal';
import type { JsonObject } from '../read/read-document.ts';
import type { PlannedParameter } from './planned-parameter.ts';
import type { NamedExample } from './read-examples.ts';

const maxTests = 3;

/** Tests from the examples of the document. Deletions have none: `schemakit test` would carry them out. `origin`: where the examples are from. */
export function planTests(
  { method, parameters }: { method: string; parameters: readonly PlannedParameter[] },
  bodies: readonly NamedExample[],
  origin = 'the example of the documentation',
): JsonObject[] {
  if (method === 'DELETE') return [];
  const inputs = parameters.filter(({ value }) => value === undefined);
  const outside = argumentsOf(inputs.filter(({ location }) => location !== 'body'));
  const body = inputs.filter(({ location }) => location === 'body');
  const examples = bodies.length > 0 && body.length > 0 ? bodies : [{ value: undefined }];
  const tests = examples.slice(0, maxTests).flatMap(({ value, summary }): JsonObject[] => {
    const given = value === undefined ? argumentsOf(body) : bodyArguments(body, value);
    if (outside === undefined || given === undefined) return [];
    const args = { ...outside, ...given };
    const usual = Object.keys(args).length === 0 ? 'Without arguments' : `With ${origin}`;
    return [{ _description: summary ?? usual, ...args }];
  });
  return [...new Map(tests.map((test) => [JSON.stringify({ ...test, _description: '' }), test])).values()];
}

/** The examples of required inputs, and of those optional ones that have some. Undefined if a required one has none. */
function argumentsOf(inputs: readonly PlannedParameter[]): JsonObject | undefined {
  const args: JsonObject = {};
  for (const { key, shape, examples } of inputs) {
    const isOptional = shape.optional || shape.default !== undefined;
    const [example = isOptional ? undefined : shape.values?.[0]] = examples;
    if (example !== undefined && example !== null) args[key] = example;
    else if (!isOptional) return undefined;
  }
  return args;
}

function bodyArguments(body: readonly PlannedParameter[], value: unknown): JsonObject | undefined {
  const [first] = body;
  if (first?.whole) return { [first.key]: value };
  if (!isObject(value)) return undefined;
  const keys = body.map(({ key }) => key);
  const args = Object.fromEntries(Object.entries(value).filter(([key, each]) => keys.includes(key) && each !== null));
  const isComplete = body.every(({ key, shape }) => key in args || shape.optional || shape.default !== undefined);
  return isComplete ? args : undefined;
}
