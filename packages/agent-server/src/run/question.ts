import { isObject } from '@schemakit/core/internal';
import type { JsonObject, ToolCall } from '../model/model.ts';
import { createValueCheck } from './check-value.ts';
import type { Question } from './events.ts';

/** The tool by which the model asks the user. */
export const askUser = 'ask_user';

/** The question of a call of `ask_user`; undefined for other calls, and for one that cannot be asked. */
export function questionOf({ name, args, problem }: ToolCall): Question | undefined {
  if (name !== askUser || problem !== undefined || questionProblems(args).length > 0) return undefined;
  const { message, fields } = args as Question;
  return { message, ...(isObject(fields) && { fields }) };
}

/** The fields of a question that names none: one text. */
const oneText = { answer: { type: 'string', title: 'Your answer' } };

/** JSON Schema of the answer to a question. All of its fields are required. */
export function questionSchema({ fields = oneText }: Question): JsonObject {
  return { type: 'object', properties: fields, required: Object.keys(fields) };
}

/** Why a question cannot be asked, and what can. Empty if it can. */
export function questionProblems(args: unknown): string[] {
  const { message, fields } = Object(args) as Partial<Record<keyof Question, unknown>>;
  if (typeof message !== 'string' || message === '') return ['message is required: the question as text.'];
  if (fields === undefined || fields === null) return [];
  if (!isObject(fields))
    return ['fields must be an object of JSON Schemas, by the names of the fields.', allowedFields];
  const problems = Object.entries(fields).flatMap(([name, field]) =>
    fieldProblems(field).map((problem) => problem.replace('$', `fields.${name}`)),
  );
  return problems.length === 0 ? [] : [...problems, allowedFields];
}

function fieldProblems(field: unknown): string[] {
  const type = isObject(field) ? String(field.type) : '';
  return (Object.hasOwn(checks, type) ? checks[type] : anyField)?.(field) ?? [];
}

const text = { type: 'string' };
const number = { type: 'number' };
const count = { type: 'integer', minimum: 0 };
const choices = { type: 'array', items: text, minItems: 1 };
const titledChoices = {
  type: 'array',
  minItems: 1,
  items: { type: 'object', properties: { const: text, title: text }, required: ['const', 'title'] },
};
const range = { minimum: number, maximum: number, default: number };

/** What forms can show: flat fields only (MCP specification, `PrimitiveSchemaDefinition`). */
const keywords: Readonly<Record<string, JsonObject>> = {
  string: {
    minLength: count,
    maxLength: count,
    format: { enum: ['email', 'uri', 'date', 'date-time'] },
    enum: choices,
    enumNames: choices,
    oneOf: titledChoices,
    default: text,
  },
  number: range,
  integer: range,
  boolean: { default: { type: 'boolean' } },
  array: {
    minItems: count,
    maxItems: count,
    items: {
      type: 'object',
      properties: { type: text, enum: choices, anyOf: titledChoices },
      additionalProperties: false,
      anyOf: [{ required: ['type', 'enum'] }, { required: ['anyOf'] }],
    },
    default: { type: 'array', items: text },
  },
};

const checks = Object.fromEntries(
  Object.entries(keywords).map(([type, own]) => [
    type,
    createValueCheck({
      type: 'object',
      properties: { type: text, title: text, description: text, ...own },
      required: type === 'array' ? ['items'] : [],
      additionalProperties: false,
    }),
  ]),
);

const anyField = createValueCheck({
  type: 'object',
  properties: { type: { enum: Object.keys(keywords) } },
  required: ['type'],
});

const allowedFields =
  'Allowed are flat fields with title and description: {"type":"string"} with minLength, maxLength, format (email, uri, date, date-time), enum or default; {"type":"number"} or {"type":"integer"} with minimum, maximum or default; {"type":"boolean"}; and for several choices {"type":"array","items":{"type":"string","enum":["a","b"]}}.';
