import type { Report } from '../finding.ts';
import { fieldsOf, valuesOf } from '../format/fields.generated.ts';
import { isObject } from '../json.ts';
import { type RuleReport, ruleReport } from '../rule-report.ts';
import { reportUnknownFields, textArray, textField } from '../rules/fields.ts';
import {
  type Prompt,
  type PromptArgument,
  type PromptDefinition,
  type PromptPart,
  type PromptReference,
  parsePromptText,
} from './prompt.ts';
import { parsePromptDescription } from './prompt-meta.ts';
import { namesIn, type PromptScope, reportUnknownParts, reportUnknownTarget } from './prompt-targets.ts';

const versions = valuesOf['Skill.version'];

interface SkillContext {
  definition: PromptDefinition;
  scope: PromptScope;
  report: Report;
}

/** Parses the `skill` of a skill file. Undefined without content. */
export function parseSkill(skill: unknown, { definition, scope, report: onFinding }: SkillContext): Prompt | undefined {
  const report = ruleReport(onFinding);
  if (!isObject(skill)) return report('SKL001', 'skill', 'skill must be an object');
  reportUnknownFields(skill, fieldsOf.Skill, { path: 'skill', report });
  reportIdentity(skill, definition, report);
  const meta = { code: 'SKL007', path: 'skill', report } as const;
  const description = parsePromptDescription(skill, definition.description, meta);
  const text = textField(skill, 'content');
  if (text === undefined) {
    return report('SKL010', 'skill.content', 'a skill needs content', 'Write the steps as text.');
  }
  const onMisspelt = (source: string, meant: string) =>
    report('SKL022', 'skill.content', `${source} is not a placeholder`, {
      severity: 'warning',
      hint: `Did you mean ${meant}?`,
    });
  const content = parsePromptText(text, { onMisspelt });
  const codes = { tool: 'SKL005', resource: 'SKL006', skill: 'SKL022', prompt: 'SKL022' } as const;
  reportUnknownParts(content, { codes, scope, path: 'skill.content', report });
  reportRequirements(skill.requires, { content, text, scope, report });
  return {
    name: definition.name,
    kind: 'skill',
    description,
    arguments: argumentsOf(skill.input, content, report),
    content,
    references: referencesIn(content),
  };
}

/** The skills and prompts that a text names. */
export function referencesIn(content: readonly PromptPart[]): readonly PromptReference[] {
  return (['skill', 'prompt'] as const).flatMap((kind) => namesIn(content, kind).map((name) => ({ kind, name })));
}

function reportIdentity(skill: Record<string, unknown>, { name }: PromptDefinition, report: RuleReport): void {
  if (skill.name !== name) {
    const message =
      skill.name === undefined
        ? 'name is missing'
        : `name ${JSON.stringify(skill.name)} is not the key ${JSON.stringify(name)}`;
    report('SKL003', 'skill.name', message, `Write name: ${JSON.stringify(name)}.`);
  }
  if (!versions.some((version) => version === skill.version)) {
    const message =
      skill.version === undefined ? 'version is missing' : `unknown version ${JSON.stringify(skill.version)}`;
    report('SKL004', 'skill.version', message, `Write '${versions[0]}'.`);
  }
  if (textField(skill, 'output') === undefined) {
    report('SKL011', 'skill.output', 'output is missing', 'Describe the result of the skill.');
  }
}

/** The declared inputs, and the undeclared ones in the text. */
function argumentsOf(input: unknown, content: readonly PromptPart[], report: RuleReport): Prompt['arguments'] {
  const declared = parseSkillInputs(input, report);
  const undeclared = inputsInText(content).filter(({ name }) => !declared?.some((argument) => argument.name === name));
  for (const { name } of undeclared) {
    report('SKL008', 'skill.content', `{{input:${name}}} is not declared in input`, {
      hint: `Add { key: ${JSON.stringify(name)}, type: 'string', description: '…', required: true } to input.`,
      ...(declared === undefined && { severity: 'warning' }),
    });
  }
  return [...(declared ?? []), ...undeclared];
}

interface RequirementContext {
  content: readonly PromptPart[];
  text: string;
  scope: PromptScope;
  report: RuleReport;
}

function reportRequirements(requires: unknown, context: RequirementContext): void {
  if (requires === undefined) return;
  if (!isObject(requires)) {
    context.report('SKL026', 'skill.requires', 'requires must be an object of arrays of names');
    return;
  }
  reportUnknownFields(requires, fieldsOf.SkillRequirements, { path: 'skill.requires', report: context.report });
  const codes = { tool: ['SKL005', 'SKL020', 'SKL024'], resource: ['SKL006', 'SKL021', 'SKL025'] } as const;
  for (const kind of ['tool', 'resource'] as const) {
    const field = `${kind}s`;
    if (requires[field] !== undefined) reportRequired(requires[field], { ...context, kind, field, codes: codes[kind] });
  }
  if (requires.external !== undefined && textArray(requires.external) === undefined) {
    context.report('SKL026', 'skill.requires.external', 'external must be an array of names');
  }
}

interface RequiredContext extends RequirementContext {
  kind: 'tool' | 'resource';
  field: string;
  codes: readonly [exists: 'SKL005' | 'SKL006', unlisted: 'SKL020' | 'SKL021', unused: 'SKL024' | 'SKL025'];
}

function reportRequired(value: unknown, { kind, field, codes, content, text, scope, report }: RequiredContext): void {
  const path = `skill.requires.${field}`;
  const listed = textArray(value);
  if (listed === undefined) {
    report('SKL026', path, `${field} must be an array of names`);
    return;
  }
  const [exists, unlisted, unused] = codes;
  const named = namesIn(content, kind);
  const namedKeys = new Set(named.map((name) => scope.keyOf(name, kind)));
  for (const [index, name] of listed.entries()) {
    reportUnknownTarget(name, kind, { scope, code: exists, path: `${path}[${index}]`, report });
    if (!namedKeys.has(scope.keyOf(name, kind)) && !text.includes(name))
      report(unused, `${path}[${index}]`, `the text does not use ${name}`);
  }
  const listedKeys = new Set(listed.map((name) => scope.keyOf(name, kind)));
  for (const name of named.filter((candidate) => !listedKeys.has(scope.keyOf(candidate, kind)))) {
    const hint = `Add it to requires.${field}.`;
    report(unlisted, 'skill.content', `${kind} ${JSON.stringify(name)} is not listed in requires`, hint);
  }
}

const types = valuesOf['SkillInput.type'];
const hint = "Write { key: 'city', type: 'string', description: 'The city to look at.', required: true }.";

/** Reads `input` of a skill; undefined where it has none. */
function parseSkillInputs(input: unknown, report: RuleReport): readonly PromptArgument[] | undefined {
  if (input === undefined) return undefined;
  if (!Array.isArray(input)) return report('SKL026', 'skill.input', 'input must be an array', hint);
  const read = new Map<string, PromptArgument>();
  for (const [index, item] of input.entries()) {
    const path = `skill.input[${index}]`;
    const argument = parseInput(item, path, report);
    if (argument === undefined) continue;
    if (read.has(argument.name)) {
      const message = `the input ${JSON.stringify(argument.name)} is declared twice; the first one is used`;
      report('SKL012', `${path}.key`, message, { severity: 'warning' });
    } else {
      read.set(argument.name, argument);
    }
  }
  return [...read.values()];
}

/** The inputs in a text as required text arguments, in order. */
export function inputsInText(content: readonly PromptPart[]): readonly PromptArgument[] {
  const names = new Set(content.flatMap((part) => (part.kind === 'input' ? part.name : [])));
  return [...names].map((name) => ({ name, required: true, type: 'string' }));
}

function parseInput(item: unknown, path: string, report: RuleReport): PromptArgument | undefined {
  const name = isObject(item) ? textField(item, 'key') : undefined;
  if (!isObject(item) || name === undefined) return report('SKL012', path, 'an input needs a key', hint);
  if (!/^[a-z][a-zA-Z0-9]*$/.test(name)) {
    const message = `input key ${JSON.stringify(name)} is not a camelCase word`;
    report('SKL012', `${path}.key`, message, { severity: 'warning' });
  }
  const description = textField(item, 'description');
  if (description === undefined) report('SKL014', `${path}.description`, `input ${name} has no description`, hint);
  if (typeof item.required !== 'boolean') {
    report('SKL015', `${path}.required`, `required of input ${name} must be true or false`, 'False is assumed.');
  }
  const values = [...new Set(textArray(item.values) ?? [])];
  if (item.type === 'enum' && values.length === 0) {
    report('SKL009', `${path}.values`, `input ${name} is an enum without values`, "Write values: ['day', 'week'].");
  } else if (item.type !== 'enum' && item.values !== undefined) {
    const message = `input ${name} has values but is not an enum; they are only suggestions`;
    report('SKL009', `${path}.values`, message, { severity: 'warning', hint: "Write type: 'enum'." });
  }
  const type = types.find((candidate) => candidate === item.type);
  if (type === undefined) {
    report('SKL013', `${path}.type`, `type of input ${name} must be one of ${types.join(', ')}; string is assumed`);
  }
  return {
    name,
    ...(description !== undefined && { description }),
    required: item.required === true,
    // An enum without values could never be filled, so it is taken for text.
    type: type === undefined || (type === 'enum' && values.length === 0) ? 'string' : type,
    ...(values.length > 0 && { values }),
  };
}
