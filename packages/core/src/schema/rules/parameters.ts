import { fieldsOf } from '../format/fields.generated.ts';
import { exposedInputNames } from '../input/exposed-input-names.ts';
import { isObject } from '../json.ts';
import { nearestWord } from '../nearest-word.ts';
import type { Place, RuleReport } from '../rule-report.ts';
import type { Input, Placement, Style } from '../schema.ts';
import type { RawPart, Template, TemplatePart } from '../template.ts';
import { parseZExpression } from '../z/parse-z-expression.ts';
import type { ZExpression } from '../z/z-expression.ts';
import { reportUnknownFields, textField } from './fields.ts';
import { isServerParam, parsePlaceholders, secretName } from './placeholders.ts';
import { areOneName, parseStyle, reportUnusableName } from './placement.ts';
import { type ParameterItem, parameterItems } from './shorthand-parameters.ts';

export interface Parameters {
  inputs: readonly Input[];
  placements: readonly Placement[];
}

interface ParametersContext extends Place {
  method: string;
  /** The tool's path, as written. */
  route: unknown;
  secrets: ReadonlySet<string>;
}

/** A valid parameter before its placeholders are resolved. */
interface RawParameter {
  key: string;
  value: readonly RawPart[];
  location: Placement['location'] | 'template';
  style?: Style;
  whole?: true;
  z: ZExpression;
  path: string;
  description?: string;
}

const anyText: ZExpression = { primitive: 'string', optional: false };

export function parseParameters(value: unknown, context: ParametersContext): Parameters {
  const parameters = parameterItems(value, context).flatMap((item) => parseParameter(item, context.method) ?? []);
  reportDuplicates(parameters, context.report);
  reportTakenMembers(parameters, context.report);
  const inputs = new Map<string, Input>();
  const placements: Placement[] = [];
  const byWord = Map.groupBy(parameters, ({ key }) => plainWord(key));
  const { secrets, report } = context;
  for (const parameter of parameters) {
    const template = resolveValue(parameter, { byWord, inputs, secrets, report });
    if (parameter.location === 'template') continue;
    const { key, location, style, whole, z } = parameter;
    placements.push({
      key,
      location,
      value: literalByType(template, parameter),
      optional: z.optional,
      ...(style && { style }),
      ...(whole && { whole }),
      ...(isFile(z) && { isFile: true }),
    });
  }
  reportRefusedNames([...inputs.values()], context);
  return { inputs: [...inputs.values()], placements };
}

/** A file, or a list of files. */
function isFile({ primitive, items }: ZExpression): boolean {
  return primitive === 'file' || (items !== undefined && isFile(items));
}

function reportRefusedNames(inputs: readonly Input[], { path, report }: ParametersContext): void {
  const exposed = exposedInputNames(inputs);
  for (const { name } of inputs) {
    const other = exposed.get(name);
    if (other === undefined || other === name) continue;
    const message = `MCP clients see ${JSON.stringify(name)} as ${JSON.stringify(other)} (${path})`;
    report('VAL059', `${path}.parameters`, message, 'No action needed: calls may use either name.');
  }
}

function parseParameter({ item, path, report }: ParameterItem, method: string): RawParameter | undefined {
  if (!isObject(item) || !isObject(item.position) || !isObject(item.z)) {
    const hint =
      "Write { position: { key: 'id', value: '{{USER_PARAM}}', location: 'query' }, z: { primitive: 'string()', options: [] } }.";
    return report('VAL040', path, `parameter must have position and z fields (${path})`, hint);
  }
  reportUnknownFields(item, fieldsOf.Parameter, { path, report });
  reportUnknownFields(item.position, fieldsOf.Position, { path: `${path}.position`, report });
  reportUnknownFields(item.z, fieldsOf.ZBlock, { path: `${path}.z`, report });
  const { position } = item;
  const key = textField(position, 'key');
  if (key === undefined) report('VAL041', `${path}.position.key`, `position.key must be text (${path})`);
  const isLiteral = ['string', 'number', 'boolean'].includes(typeof position.value);
  const value = isLiteral ? String(position.value) : undefined;
  if (value === undefined) {
    const hint = "Write '{{USER_PARAM}}' for a value from the caller, or the literal value.";
    report('VAL042', `${path}.position.value`, `position.value must be text (${path})`, hint);
  }
  const location = parseLocation(position.location, { path, method, report });
  const z = parseZExpression(item.z, { path: `${path}.z`, report });
  const style = location && parseStyle(position, { location, path, report });
  const { whole = false } = position;
  if (whole !== false && (whole !== true || location !== 'body')) {
    const message = `position.whole must be true or false, and is for body parameters; ignored (${path})`;
    report('VAL082', `${path}.position.whole`, message);
  }
  if (key === undefined || value === undefined || location === undefined || z === undefined) return undefined;
  const description = textField(item, 'description') ?? z.description;
  const parts = parsePlaceholders(value, { path: `${path}.position.value`, report });
  const parameter = {
    key,
    value: parts,
    location,
    z,
    path,
    ...(description !== undefined && { description }),
  };
  if (location === 'template') return parameter;
  reportUnusableName(key, { location, path, report });
  return {
    ...parameter,
    ...(style && { style }),
    ...(whole === true && location === 'body' && { whole: true }),
  };
}

const locations = ['query', 'insert', 'body', 'header', 'cookie'] as const;

function parseLocation(
  value: unknown,
  { path, method, report }: Place & { method: string },
): RawParameter['location'] | undefined {
  const place = `${path}.position.location`;
  if (value === 'body' && ['GET', 'HEAD', 'DELETE'].includes(method)) {
    const hint = 'Use location query, or a method with a body, such as POST.';
    report('VAL052', place, `a body parameter in a ${method} request (${path})`, hint);
  }
  const location = locations.find((one) => one === value);
  if (location !== undefined) return location;
  if (value === 'template') {
    report('VAL043', place, `location template is not part of the format (${path})`, {
      severity: 'warning',
      hint: 'Its value is inserted where other parameters use its key.',
    });
    return value;
  }
  const got = `Got ${JSON.stringify(value) ?? 'nothing'}.`;
  const meant = typeof value === 'string' ? nearestWord(value, locations) : undefined;
  const write = meant === undefined ? got : `${got} Write ${meant}.`;
  const hint = value === 'path' ? `${got} Write insert: it puts the value in the path, at {{key}}.` : write;
  const message = `position.location must be query, insert, body, header or cookie (${path})`;
  return report('VAL043', `${path}.position.location`, message, hint);
}

interface Resolution {
  /** Parameters by key, in any spelling. */
  byWord: ReadonlyMap<string, readonly RawParameter[]>;
  inputs: Map<string, Input>;
  secrets: ReadonlySet<string>;
  report: RuleReport;
}

/** Resolves the placeholders of a value to inputs and secrets, and adds the inputs. */
function resolveValue(parameter: RawParameter, resolution: Resolution): Template {
  const { inputs, secrets, report } = resolution;
  const parts = parameter.value;
  const [first] = parts;
  const isExact = parts.length === 1 && first?.kind === 'placeholder';
  return parts.map((part): TemplatePart => {
    if (part.kind === 'text') return part;
    if (isServerParam(part.name, secrets)) {
      const place = `parameter ${JSON.stringify(parameter.key)}`;
      const context = { secrets, path: `${parameter.path}.position.value`, place, owner: parameter.path, report };
      return { kind: 'secret', name: secretName(part.name, context) };
    }
    if (part.name === 'USER_PARAM') {
      reportConflictingZ(parameter, inputs.get(parameter.key), report);
      return addInput(inputs, inputOf(parameter, parameter.key, []));
    }
    const other = parameterNamed(part.name, parameter, resolution);
    if (other) return addInput(inputs, inputOf(other, other.key, aliasesOf(part.name, other.key)));
    // An undeclared name is an input of that name; alone in a value, the input has the parameter's key.
    reportUnfilled(parameter, part.name, isExact ? parameter.key : part.name, report);
    if (isExact) return addInput(inputs, inputOf(parameter, parameter.key, aliasesOf(part.name, parameter.key)));
    const names = new Set(placeholderNames(parts).filter((name) => !isServerParam(name, secrets)));
    const isOnly = names.size === 1;
    const z = isOnly ? parameter.z : { ...anyText, optional: parameter.z.optional };
    const aliases = aliasesOf(part.name);
    if (isOnly && parameter.key !== part.name) aliases.push(parameter.key);
    return addInput(inputs, { ...inputOf(parameter, part.name, [...new Set(aliases)]), z });
  });
}

function placeholderNames(parts: readonly RawPart[]): string[] {
  return parts.flatMap((part) => (part.kind === 'placeholder' ? part.name : []));
}

function reportUnfilled({ path }: RawParameter, placeholder: string, input: string, report: RuleReport): void {
  const message = `{{${placeholder}}} is not declared, so callers must give ${JSON.stringify(input)} (${path})`;
  const hint = 'Write {{USER_PARAM}} for a value from the caller, or declare the name in main.requiredServerParams.';
  report('VAL051', `${path}.position.value`, message, hint);
}

/** In a query both are sent, which some APIs expect; elsewhere one is lost. */
function reportDuplicates(parameters: readonly RawParameter[], report: RuleReport): void {
  const places = new Set<string>();
  for (const { key, location, path } of parameters) {
    const place = `${location} ${key}`;
    if (places.has(place)) {
      const message = `another parameter already has the key ${JSON.stringify(key)} in ${location} (${path})`;
      report('VAL057', `${path}.position.key`, message, 'Leave one of them out.');
    }
    places.add(place);
  }
}

/** Each member of such an object is a pair of its own. Calls with both fail, since the API would read one as the other. */
function reportTakenMembers(parameters: readonly RawParameter[], report: RuleReport): void {
  for (const { key, location, style, z, path } of parameters) {
    if (!style?.explode || !['query', 'body', 'cookie'].includes(location)) continue;
    const isDeep = style.name === 'deepObject';
    const others = parameters.filter((other) => other.location === location && other.key !== key);
    for (const member of Object.keys(z.properties ?? {})) {
      const taken = others.find((other) => areOneName(isDeep ? `${key}[${member}]` : member, other.key));
      if (taken === undefined) continue;
      const message = `the member ${JSON.stringify(member)} of ${key} has the place of the parameter ${JSON.stringify(taken.key)}, so calls with it fail (${path})`;
      report(
        'VAL080',
        `${path}.position.style`,
        message,
        'Leave out the member or the parameter, or write explode: false.',
      );
    }
  }
}

/** One input has one check. Different `optional()` is no conflict. */
function reportConflictingZ({ key, z, path }: RawParameter, known: Input | undefined, report: RuleReport): void {
  if (known === undefined || known.z === z || !hasDifferentRules(known.z, z)) return;
  const message = `another parameter with the key ${JSON.stringify(key)} has a different z; only one of them is checked (${path})`;
  report('VAL066', `${path}.z`, message, 'They share one value: write the same z, or rename one key.');
}

function inputOf({ z, description }: RawParameter, name: string, aliases: readonly string[]): Input {
  return { name, aliases, z, ...(description !== undefined && { description }) };
}

/** Adds an input, or merges it with the one of the same name: one value can go to several positions. */
function addInput(inputs: Map<string, Input>, input: Input): TemplatePart {
  const known = inputs.get(input.name) ?? input;
  const aliases = [...new Set([...known.aliases, ...input.aliases])];
  const z = known.z.optional && !input.z.optional ? input.z : known.z;
  inputs.set(input.name, { ...known, aliases, z });
  return { kind: 'input', name: input.name };
}

/** The other parameter whose key a placeholder names. Within other text, the spelling may differ. */
function parameterNamed(name: string, from: RawParameter, { byWord, secrets }: Resolution): RawParameter | undefined {
  const isPart = from.value.length > 1;
  const named = byWord.get(plainWord(name)) ?? [];
  const others = named.filter((other) => other !== from);
  return (
    others.find(({ key }) => key === name) ??
    others.find((other) => other.location === 'template' || (isPart && takesOwnInput(other, secrets)))
  );
}

function takesOwnInput({ value }: RawParameter, secrets: ReadonlySet<string>): boolean {
  const names = placeholderNames(value);
  return names.includes('USER_PARAM') || (value.length === 1 && names.some((name) => !isServerParam(name, secrets)));
}

/** Normalises spellings: `DATE_FROM` and `dateFrom` become the same. */
function plainWord(word: string): string {
  return word.replace(/[_-]/g, '').toLowerCase();
}

/** Other spellings of a placeholder under which an input is accepted. */
function aliasesOf(placeholder: string, inputName: string = placeholder): string[] {
  const lower = placeholder.toLowerCase();
  const camel = lower.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return [...new Set([placeholder, lower, camel])].filter((alias) => alias !== inputName);
}

/** A literal in a body has the type of its `z` block: `5` for `number()`, not `"5"`. */
function literalByType(template: Template, { location, z }: RawParameter): Template {
  const [only] = template;
  if (location !== 'body' || template.length !== 1 || only?.kind !== 'text') return template;
  return [{ kind: 'text', text: only.text, ...(!['string', 'enum', 'file'].includes(z.primitive) && { json: true }) }];
}

/** Whether two expressions allow different values, apart from `optional()` and descriptions. */
export function hasDifferentRules(one: ZExpression, other: ZExpression): boolean {
  const [rules, others] = [one, other].map(({ optional: _, default: __, description: ___, ...rest }) =>
    JSON.stringify(rest),
  );
  return rules !== others;
}
