import { fieldsOf } from '../format/fields.generated.ts';
import type { Expectation } from '../format/format-types.generated.ts';
import { quote } from '../input/describe-input.ts';
import { isObject } from '../json.ts';
import { createReferences } from '../json-schema/references.ts';
import { selectFaults, selectGuide } from '../output/select-faults.ts';
import { compilePattern } from '../pattern.ts';
import type { Place } from '../rule-report.ts';
import { reportUnknownFields, textField } from './fields.ts';

/** Parses `_expect` of a test. Undefined if a field of it cannot be used, because the test would then check less than it says. */
export function parseExpectation(value: unknown, { path, report }: Place): Expectation | undefined {
  if (!isObject(value)) {
    const hint = "Write _expect: { status: 404 }, or { select: 'name', equals: 'Leek' }.";
    return report('TST008', path, `_expect must be an object (${path})`, hint);
  }
  reportUnknownFields(value, fieldsOf.Expectation, { path, report });
  const wrong = fieldsOf.Expectation.flatMap((key) => {
    const expected = value[key] === undefined ? undefined : problemOf(key, value[key], value);
    return expected === undefined ? [] : [{ key, expected }];
  });
  for (const { key, expected } of wrong) {
    const hint = key === 'select' ? selectGuide : undefined;
    report('TST008', `${path}.${key}`, `_expect.${key} ${expected} (${path})`, hint);
  }
  if (wrong.length === 0 && fieldsOf.Expectation.every((key) => value[key] === undefined)) {
    report('TST008', path, `_expect expects nothing (${path})`, `Its fields are ${fieldsOf.Expectation.join(', ')}.`);
  }
  return wrong.length === 0 ? (value as Expectation) : undefined;
}

/** Whether a test is about a failure, so that its arguments may be wrong on purpose. */
export function expectsFailure(expectation: unknown): boolean {
  const { error, status } = isObject(expectation) ? expectation : {};
  return (error !== undefined && error !== false) || (typeof status === 'number' && status >= 400);
}

/** Completes the sentence that begins with the field. */
function problemOf(key: keyof Expectation, value: unknown, all: Record<string, unknown>): string | undefined {
  if (key === 'status') {
    const isStatus = Number.isInteger(value) && Number(value) >= 100 && Number(value) <= 599;
    return isStatus ? undefined : 'must be an HTTP status, from 100 to 599';
  }
  if (key === 'error') {
    if (value !== true && textField(all, key) === undefined) return 'must be true, or a code or text of the failure';
    const ofData = dataFields.filter((field) => all[field] !== undefined);
    return ofData.length === 0 ? undefined : `excludes ${ofData.join(', ')}: a failure has no data`;
  }
  if (key === 'select') {
    const expression = textField(all, key);
    if (expression === undefined) return 'must be a JMESPath expression';
    const [fault] = selectFaults(expression);
    return fault && `cannot be used: ${fault.message}`;
  }
  if (key === 'schema') return isObject(value) ? schemaProblem(value) : 'must be a JSON Schema';
  if (key === 'equals') return undefined;
  if (textField(all, key) === undefined) return 'must be a pattern';
  const pattern = compilePattern(String(value));
  return 'problem' in pattern ? `cannot be used: the pattern ${pattern.problem}` : undefined;
}

const dataFields = ['select', 'equals', 'matches', 'schema'] as const;

const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
/** Keywords by what they have: schemas by name, schemas, or something else. */
const named = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'];
const inner = [
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains', 'additionalProperties'],
  ...[
    'unevaluatedProperties',
    'propertyNames',
    'allOf',
    'anyOf',
    'oneOf',
    'not',
    'if',
    'then',
    'else',
    'contentSchema',
  ],
];
const others = [
  ...['type', 'enum', 'const', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum', 'maxLength'],
  ...['minLength', 'pattern', 'format', 'maxItems', 'minItems', 'uniqueItems', 'maxContains', 'minContains'],
  ...['maxProperties', 'minProperties', 'required', 'dependentRequired', 'contentEncoding', 'contentMediaType'],
  ...['title', 'description', 'default', 'examples', 'example', 'deprecated', 'readOnly', 'writeOnly', 'nullable'],
  ...['id', '$id', '$schema', '$anchor', '$ref', '$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor'],
  ...['$comment', '$vocabulary'],
];
const keywords = new Set([...named, ...inner, ...others]);

/** Why a schema would allow anything that it seems to refuse. Completes the sentence that begins with the field. */
function schemaProblem(root: Record<string, unknown>): string | undefined {
  const { referred } = createReferences(root);
  const seen = new Set<unknown>();
  const open: unknown[] = [root];
  while (open.length > 0) {
    const schema = open.pop();
    if (!isObject(schema) || seen.has(schema)) continue;
    seen.add(schema);
    const unknown = Object.keys(schema).find((key) => !keywords.has(key) && !key.startsWith('x-'));
    if (unknown !== undefined) return `has the keyword ${quote(unknown)}, which JSON Schema does not have`;
    const { type, $ref } = schema;
    const given = Array.isArray(type) ? type : [type];
    const isType = type === undefined || (given.length > 0 && given.every((one) => types.includes(one)));
    if (!isType) return `has a type that is none of ${types.join(', ')}`;
    const isElsewhere = typeof $ref === 'string' && !$ref.startsWith('#') && referred(schema).includes(true);
    if (isElsewhere) return `refers to ${quote($ref)}, and other documents are not read`;
    for (const key of inner) open.push(...[schema[key]].flat());
    for (const key of named) if (isObject(schema[key])) open.push(...Object.values(schema[key]));
  }
  return undefined;
}
