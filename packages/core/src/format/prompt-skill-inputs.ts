import type { Report } from './finding.ts';
import { isObject } from './json.ts';
import type { PromptArgument, PromptPart } from './prompt.ts';
import { promptFinding } from './prompt-codes.ts';
import { textArray, textField } from './rules/fields.ts';
import { valuesOf } from './schema/fields.generated.ts';

const types = valuesOf['SkillInput.type'];
const hint = "Write { key: 'city', type: 'string', description: 'The city to look at.', required: true }.";

/** Reads `input` of a skill; undefined where it has none. */
export function readSkillInputs(input: unknown, report: Report): readonly PromptArgument[] | undefined {
  if (input === undefined) return undefined;
  if (!Array.isArray(input)) {
    report(promptFinding('SKL026', 'skill.input', 'input must be an array', { hint }));
    return undefined;
  }
  const read = new Map<string, PromptArgument>();
  for (const [index, item] of input.entries()) {
    const path = `skill.input[${index}]`;
    const argument = readInput(item, path, report);
    if (argument === undefined) continue;
    if (read.has(argument.name)) {
      const message = `there is an input ${JSON.stringify(argument.name)} already; this one is ignored`;
      report(promptFinding('SKL012', `${path}.key`, message, { severity: 'warning' }));
    } else {
      read.set(argument.name, argument);
    }
  }
  return [...read.values()];
}

/** What a text asks for without saying more: required texts, in the order in which they first stand there. */
export function inputsInText(content: readonly PromptPart[]): readonly PromptArgument[] {
  const names = new Set(content.flatMap((part) => (part.kind === 'input' ? part.name : [])));
  return [...names].map((name) => ({ name, required: true, type: 'string' }));
}

function readInput(item: unknown, path: string, report: Report): PromptArgument | undefined {
  const name = isObject(item) ? textField(item, 'key') : undefined;
  if (!isObject(item) || name === undefined) {
    report(promptFinding('SKL012', path, 'an input needs a key', { hint }));
    return undefined;
  }
  if (!/^[a-z][a-zA-Z0-9]*$/.test(name)) {
    const message = `input key ${JSON.stringify(name)} is not a camelCase word`;
    report(promptFinding('SKL012', `${path}.key`, message, { severity: 'warning' }));
  }
  const description = textField(item, 'description');
  if (description === undefined) {
    report(promptFinding('SKL014', `${path}.description`, `input ${name} has no description`, { hint }));
  }
  if (typeof item.required !== 'boolean') {
    const message = `required of input ${name} is not true or false`;
    report(promptFinding('SKL015', `${path}.required`, message, { hint: 'It is taken for false.' }));
  }
  const values = readValues(item, { name, path, report });
  return {
    name,
    ...(description !== undefined && { description }),
    required: item.required === true,
    type: readType(item.type, { hasValues: values !== undefined, name, path, report }),
    ...(values && { values }),
  };
}

interface InputContext {
  name: string;
  path: string;
  report: Report;
}

/** An enum without values could never be filled, so it is taken for text. */
function readType(
  type: unknown,
  { hasValues, name, path, report }: InputContext & { hasValues: boolean },
): PromptArgument['type'] {
  const known = types.find((candidate) => candidate === type);
  if (known === undefined) {
    const message = `type of input ${name} is not ${types.join(', ')}; it is taken for string`;
    report(promptFinding('SKL013', `${path}.type`, message));
  }
  return known === undefined || (known === 'enum' && !hasValues) ? 'string' : known;
}

function readValues(
  item: Record<string, unknown>,
  { name, path, report }: InputContext,
): readonly string[] | undefined {
  const values = textArray(item.values) ?? [];
  if (item.type === 'enum' && values.length === 0) {
    const message = `input ${name} is an enum without values`;
    report(promptFinding('SKL009', `${path}.values`, message, { hint: "Write values: ['day', 'week']." }));
  } else if (item.type !== 'enum' && item.values !== undefined) {
    const message = `input ${name} has values and is no enum; they are only suggested`;
    report(promptFinding('SKL009', `${path}.values`, message, { severity: 'warning', hint: "Write type: 'enum'." }));
  }
  return values.length === 0 ? undefined : [...new Set(values)];
}
