import { fieldsOf } from '../format/fields.generated.ts';
import { coerceInput } from '../input/check-value.ts';
import { isObject } from '../json.ts';
import { type Place, type RuleReport, ruleReport } from '../rule-report.ts';
import type { Input, QueryBinding } from '../schema.ts';
import { splitPlaceholders } from '../template.ts';
import { parseZExpression } from '../z/parse-z-expression.ts';
import type { ZExpression } from '../z/z-expression.ts';
import { reportUnknownFields, textField } from './fields.ts';
import { hasDifferentRules } from './parameters.ts';
import { isServerParam } from './placeholders.ts';
import { type ParameterItem, parameterItems } from './shorthand-parameters.ts';

/** The inputs of a query, and the values of its `?` in order. */
export interface QueryParameters {
  inputs: readonly Input[];
  bindings: readonly QueryBinding[];
  /** False if a parameter is invalid, so that not all inputs are known. */
  isReadable: boolean;
}

interface ParametersContext extends Place {
  secrets: ReadonlySet<string>;
}

interface QueryParameter {
  binding: QueryBinding;
  input?: Input;
}

/** Parses `parameters` of a query: like those of tools, but without a location and only scalars. Those with one key share a value. */
export function parseQueryParameters(value: unknown, { report, ...rest }: ParametersContext): QueryParameters {
  let isReadable = true;
  const context: ParametersContext = {
    ...rest,
    report: ruleReport((finding) => {
      if (finding.severity === 'error') isReadable = false;
      report(finding);
    }),
  };
  const parameters = itemsOf(value, context).map((item) => ({
    ...parseParameter(item, context.secrets),
    path: item.path,
  }));
  const inputs = new Map<string, Input>();
  for (const { input, path } of parameters) {
    const known = input && inputs.get(input.name);
    if (input && known === undefined) inputs.set(input.name, input);
    if (input && known && hasDifferentRules(known.z, input.z)) {
      const message = `another parameter with the key ${JSON.stringify(input.name)} has a different z; the first one is used`;
      report('RES028', `${path}.z`, message, 'Write the same z, or rename one key.');
    }
  }
  return { inputs: [...inputs.values()], bindings: parameters.map(({ binding }) => binding), isReadable };
}

/** The parameters as an array, without the locations that converting the shorthand adds. */
function itemsOf(value: unknown, { path, report }: ParametersContext): readonly ParameterItem[] {
  const items = { path, method: 'GET', route: '', report };
  if (Array.isArray(value)) return parameterItems(value, items);
  if (isObject(value)) {
    return parameterItems(value, items).map(({ item, ...place }) => {
      const { position, ...rest } = item as { position: Record<string, unknown> };
      return { ...place, item: { ...rest, position: { key: position.key, value: position.value } } };
    });
  }
  const isMissing = value === undefined;
  report('RES010', `${path}.parameters`, `parameters ${isMissing ? 'is missing' : 'must be an array'}`, {
    severity: isMissing ? 'warning' : 'error',
    hint: 'Write [] if the query has none.',
  });
  return [];
}

/** An invalid parameter still counts, so that the others keep their positions. */
const unreadable: QueryParameter = { binding: { kind: 'literal', value: '' } };

function parseParameter({ item, path, report }: ParameterItem, secrets: ReadonlySet<string>): QueryParameter {
  if (!isObject(item) || !isObject(item.position) || !isObject(item.z)) {
    const hint =
      "Write { position: { key: 'name', value: '{{USER_PARAM}}' }, z: { primitive: 'string()', options: [] } }.";
    report('RES010', path, 'a parameter must have position and z fields', hint);
    return unreadable;
  }
  reportUnknownFields(item, fieldsOf.QueryParameter, { path, report });
  const { position } = item;
  if (position.location !== undefined) {
    const hint = 'Remove it: values are bound to the ? in order.';
    report('RES015', `${path}.position.location`, 'a parameter of a query must not have a location', hint);
  }
  const parsed = parseZExpression(item.z, { path: `${path}.z`, report });
  if (parsed === undefined || !isScalar(parsed, path, report)) return unreadable;
  const description = textField(item, 'description') ?? parsed.description;
  const input = { aliases: [], z: parsed, ...(description !== undefined && { description }) };
  return parseValue(position, input, { path, secrets, report });
}

function isScalar({ primitive }: ZExpression, path: string, report: RuleReport): boolean {
  if (['string', 'number', 'boolean', 'enum'].includes(primitive)) return true;
  const hint =
    'Use string(), number(), boolean() or enum(…). Pass a list as JSON text: … IN (SELECT value FROM json_each(?)).';
  report(
    'RES019',
    `${path}.z.primitive`,
    `${/^[aou]/.test(primitive) ? 'an' : 'a'} ${primitive} cannot be bound in SQL`,
    hint,
  );
  return false;
}

function parseValue(
  position: Record<string, unknown>,
  input: Omit<Input, 'name'>,
  { path: parameter, secrets, report }: ParametersContext,
): QueryParameter {
  const { value } = position;
  const path = `${parameter}.position.value`;
  const parts = typeof value === 'string' ? splitPlaceholders(value) : [];
  const names = parts.flatMap((part) => (part.kind === 'placeholder' ? [part.name] : []));
  const [name] = names;
  if (name === undefined) return parseLiteral(value, input.z, { path, report });
  if (names.some((each) => isServerParam(each, secrets))) {
    const hint = "Write '{{USER_PARAM}}' for a value from the caller, or the literal value.";
    report('RES016', path, 'a query cannot use server parameters', hint);
    return unreadable;
  }
  if (parts.length > 1) {
    const hint = "Write '{{USER_PARAM}}', and put the text in the sql: LIKE '%' || ? || '%'.";
    report('RES010', path, `the value ${JSON.stringify(value)} mixes text and a placeholder`, hint);
    return unreadable;
  }
  // Any other placeholder is the name of the input.
  const key = name === 'USER_PARAM' ? textField(position, 'key') : name;
  if (key === undefined) {
    report('RES010', `${parameter}.position.key`, 'position.key must be text');
    return unreadable;
  }
  return { binding: { kind: 'input', name: key }, input: { name: key, ...input } };
}

/** A literal value, converted to the type of `z` if possible. */
function parseLiteral(value: unknown, z: ZExpression, { path, report }: Place): QueryParameter {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    const hint = "Write '{{USER_PARAM}}' for a value from the caller, or the literal value.";
    report('RES010', path, 'position.value must be text', hint);
    return unreadable;
  }
  const typed = coerceInput(z, value);
  const fits = typeof typed === 'string' || typeof typed === 'number' || typeof typed === 'boolean';
  return { binding: { kind: 'literal', value: fits ? typed : value } };
}
