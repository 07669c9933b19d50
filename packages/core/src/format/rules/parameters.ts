import type { Report } from '../finding.ts';
import { schemaFinding } from '../finding-codes.ts';
import { isObject } from '../json.ts';
import { parseZExpression } from '../parse-z-expression.ts';
import { serverParamName, splitPlaceholders, type Template, type TemplatePart } from '../template.ts';
import type { Input, Placement } from '../tool.ts';
import type { ZExpression } from '../z-expression.ts';
import { reportUnknownFields, textField } from './fields.ts';
import { parameterArray } from './shorthand-parameters.ts';

/** What callers may pass to a tool, and where the values go. */
export interface Parameters {
  inputs: readonly Input[];
  placements: readonly Placement[];
}

interface ParametersContext {
  /** Path of the tool. */
  path: string;
  method: string;
  /** The tool's path, as written. */
  route: unknown;
  secrets: ReadonlySet<string>;
  report: Report;
}

/** One parameter whose blocks are there, before its placeholders are resolved. */
interface RawParameter {
  key: string;
  value: string;
  location: Placement['location'] | 'template';
  z: ZExpression;
  path: string;
  description?: string;
}

const anyText: ZExpression = { primitive: 'string', optional: false };

/** Reads `parameters` (specification 2.3): inputs that callers see, and placements of inputs, literals and secrets. */
export function readParameters(value: unknown, context: ParametersContext): Parameters {
  const items = parameterArray(value, context);
  const parameters = items.flatMap(
    (item, index) => readParameter(item, `${context.path}.parameters[${index}]`, context) ?? [],
  );
  const inputs = new Map<string, Input>();
  const placements: Placement[] = [];
  for (const parameter of parameters) {
    const template = resolveValue(parameter, { parameters, inputs, secrets: context.secrets, report: context.report });
    if (parameter.location === 'template') continue;
    const { key, location, z } = parameter;
    placements.push({ key, location, value: literalByType(template, parameter), optional: z.optional });
  }
  return { inputs: [...inputs.values()], placements };
}

function readParameter(item: unknown, path: string, { method, report }: ParametersContext): RawParameter | undefined {
  if (!isObject(item) || !isObject(item.position) || !isObject(item.z)) {
    report(
      schemaFinding('VAL040', path, `parameter must have position and z fields (${path})`, {
        hint: "Write { position: { key: 'id', value: '{{USER_PARAM}}', location: 'query' }, z: { primitive: 'string()', options: [] } }.",
      }),
    );
    return undefined;
  }
  reportUnknownFields(item, ['position', 'z', 'description'], { path, report });
  const { position } = item;
  const key = textField(position, 'key');
  if (key === undefined) report(schemaFinding('VAL041', `${path}.position.key`, `position.key must be text (${path})`));
  const value = literalText(position.value);
  if (value === undefined) {
    report(
      schemaFinding('VAL042', `${path}.position.value`, `position.value must be text (${path})`, {
        hint: "Write '{{USER_PARAM}}' for a value from the caller, or the literal value.",
      }),
    );
  }
  const location = readLocation(position.location, { path, method, report });
  const z = parseZExpression(item.z, { path: `${path}.z`, report });
  if (key === undefined || value === undefined || location === undefined || z === undefined) return undefined;
  const description = textField(item, 'description') ?? z.description;
  return { key, value, location, z, path, ...(description !== undefined && { description }) };
}

function literalText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function readLocation(
  value: unknown,
  { path, method, report }: { path: string; method: string; report: Report },
): RawParameter['location'] | undefined {
  if (value === 'body' && (method === 'GET' || method === 'HEAD' || method === 'DELETE')) {
    report(
      schemaFinding('VAL052', `${path}.position.location`, `a body parameter in a ${method} request (${path})`, {
        hint: 'Use location query, or a method that carries a body.',
      }),
    );
  }
  if (value === 'query' || value === 'insert' || value === 'body') return value;
  if (value === 'template') {
    report(
      schemaFinding('VAL043', `${path}.position.location`, `location template is not part of the format (${path})`, {
        severity: 'warning',
        hint: 'Its value is filled in where other parameters name its key.',
      }),
    );
    return value;
  }
  report(
    schemaFinding('VAL043', `${path}.position.location`, `position.location must be query, insert or body (${path})`, {
      hint: `It is ${JSON.stringify(value) ?? 'missing'}.`,
    }),
  );
  return undefined;
}

interface Resolution {
  parameters: readonly RawParameter[];
  inputs: Map<string, Input>;
  secrets: ReadonlySet<string>;
  report: Report;
}

/** Turns the placeholders of one value into inputs and secrets, and adds the inputs. */
function resolveValue(parameter: RawParameter, resolution: Resolution): Template {
  const { inputs, secrets, report } = resolution;
  const parts = splitPlaceholders(parameter.value);
  const [first] = parts;
  const isExact = parts.length === 1 && first?.kind === 'placeholder';
  const names = parts.flatMap((part) => (part.kind === 'placeholder' ? [part.name] : []));
  const callerNames = new Set(names.filter((name) => serverParamName(name) === undefined && !secrets.has(name)));
  return parts.map((part): TemplatePart => {
    if (part.kind === 'text') return part;
    const declared = serverParamName(part.name) ?? (secrets.has(part.name) ? part.name : undefined);
    if (declared !== undefined) {
      if (!secrets.has(declared)) reportUndeclared(parameter, part.name, report);
      return { kind: 'secret', name: declared };
    }
    if (part.name === 'USER_PARAM') return addInput(inputs, inputOf(parameter, parameter.key, []));
    const other = parameterNamed(part.name, parameter, resolution.parameters);
    if (other) return addInput(inputs, inputOf(other, other.key, aliasesOf(part.name, other.key)));
    // An undeclared name is a value from the caller under its own name; a value that is nothing else keeps the key's.
    if (isExact) return addInput(inputs, inputOf(parameter, parameter.key, aliasesOf(part.name, parameter.key)));
    const z = callerNames.size === 1 ? parameter.z : { ...anyText, optional: parameter.z.optional };
    const aliases = callerNames.size === 1 ? [...aliasesOf(part.name), parameter.key] : aliasesOf(part.name);
    return addInput(inputs, { ...inputOf(parameter, part.name, aliases), z });
  });
}

function reportUndeclared(parameter: RawParameter, placeholder: string, report: Report): void {
  const path = `${parameter.path}.position.value`;
  const message = `serverParams not declared: parameter ${JSON.stringify(parameter.key)} uses {{${placeholder}}} (${parameter.path})`;
  const name = serverParamName(placeholder) ?? placeholder;
  report(schemaFinding('VAL027', path, message, { hint: `Add ${JSON.stringify(name)} to main.requiredServerParams.` }));
}

function inputOf({ z, description }: RawParameter, name: string, aliases: readonly string[]): Input {
  return { name, aliases, z, ...(description !== undefined && { description }) };
}

/** Adds an input, or joins it with the one of the same name: one value of the caller may go to several places. */
function addInput(inputs: Map<string, Input>, input: Input): TemplatePart {
  const known = inputs.get(input.name);
  if (known) {
    const aliases = [...new Set([...known.aliases, ...input.aliases])];
    const z = known.z.optional && !input.z.optional ? input.z : known.z;
    inputs.set(input.name, { ...known, aliases, z });
  } else {
    inputs.set(input.name, input);
  }
  return { kind: 'input', name: input.name };
}

function parameterNamed(
  name: string,
  from: RawParameter,
  parameters: readonly RawParameter[],
): RawParameter | undefined {
  const others = parameters.filter((parameter) => parameter !== from);
  return (
    others.find(({ key }) => key === name) ??
    others.find(({ key, location }) => location === 'template' && sameWord(key, name))
  );
}

function sameWord(left: string, right: string): boolean {
  const plain = (word: string) => word.replace(/[_-]/g, '').toLowerCase();
  return plain(left) === plain(right);
}

/** Callers know such an input by the placeholder's name too, in the spellings in use. */
function aliasesOf(placeholder: string, inputName: string = placeholder): readonly string[] {
  const lower = placeholder.toLowerCase();
  const camel = lower.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return [...new Set([placeholder, lower, camel])].filter((alias) => alias !== inputName);
}

/** A literal in a body has the type that its `z` block says: `5` for `number()`, not `"5"`. */
function literalByType(template: Template, { location, z }: RawParameter): Template {
  const [only] = template;
  if (location !== 'body' || template.length !== 1 || only?.kind !== 'text') return template;
  return [{ kind: 'text', text: only.text, ...(z.primitive !== 'string' && z.primitive !== 'enum' && { json: true }) }];
}
