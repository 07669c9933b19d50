import type { JsonValue } from '../../schema/json.ts';
import type { Placement, Tool } from '../../schema/schema.ts';
import type { Template } from '../../schema/template.ts';

export type InputValues = Readonly<Record<string, JsonValue>>;

export type SecretValues = Readonly<Record<string, string>>;

/** The values of parameters: of all, or of those with a location. Missing values are left out. */
export function placedValues(
  tool: Tool,
  values: InputValues,
  secrets: SecretValues,
  only?: Placement['location'],
): [placement: Placement, value: JsonValue][] {
  const placed: [Placement, JsonValue][] = [];
  for (const placement of tool.placements) {
    const isWanted = only === undefined || placement.location === only;
    const result = isWanted ? evaluate(placement.value, values, secrets) : undefined;
    if (result !== undefined) placed.push([placement, result]);
  }
  return placed;
}

/** A template's value: of any type for a single part, text for several; undefined when an input is missing. */
export function evaluate(template: Template, values: InputValues, secrets: SecretValues): JsonValue | undefined {
  const [first] = template;
  if (first === undefined) return undefined;
  if (template.length === 1) return evaluatePart(first, values, secrets);
  let text = '';
  for (const part of template) {
    const value = evaluatePart(part, values, secrets);
    if (value === undefined || value === null) return undefined;
    text += toText(value);
  }
  return text;
}

function evaluatePart(part: Template[number], values: InputValues, secrets: SecretValues): JsonValue | undefined {
  switch (part.kind) {
    case 'text':
      return part.json ? parseLiteral(part.text) : part.text;
    case 'input':
      return Object.hasOwn(values, part.name) ? values[part.name] : undefined;
    case 'secret':
      return secrets[part.name] ?? '';
    case 'insert':
      return undefined;
  }
}

function parseLiteral(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text; // A literal that is not JSON is the text itself.
  }
}

/** A value as text: lists joined by commas, objects and nested lists as JSON. */
export function toText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null)) {
    return value.filter((item) => item !== null).join(',');
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
