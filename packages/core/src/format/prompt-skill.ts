import type { Report } from './finding.ts';
import { isObject } from './json.ts';
import type { Prompt, PromptDefinition, PromptPart, PromptReference } from './prompt.ts';
import { promptFinding } from './prompt-codes.ts';
import { readPromptDescription } from './prompt-meta.ts';
import { inputsInText, readSkillInputs } from './prompt-skill-inputs.ts';
import { namesIn, reportUnknownParts, reportUnknownTarget } from './prompt-target-findings.ts';
import type { PromptScope } from './prompt-targets.ts';
import { parsePromptText } from './prompt-text.ts';
import { reportUnknownFields, textArray, textField } from './rules/fields.ts';
import { fieldsOf, valuesOf } from './schema/fields.generated.ts';

const versions = valuesOf['Skill.version'];

interface SkillContext {
  definition: PromptDefinition;
  scope: PromptScope;
  report: Report;
}

/** Reads the `skill` of a skill file. Undefined where there is no text to hand out. */
export function readSkill(skill: unknown, { definition, scope, report }: SkillContext): Prompt | undefined {
  if (!isObject(skill)) {
    report(promptFinding('SKL001', 'skill', 'skill must be an object'));
    return undefined;
  }
  reportUnknownFields(skill, fieldsOf.Skill, { path: 'skill', report });
  reportIdentity(skill, definition, report);
  const meta = { code: 'SKL007', path: 'skill', report } as const;
  const description = readPromptDescription(skill, definition.description, meta);
  const text = textField(skill, 'content');
  if (text === undefined) {
    report(promptFinding('SKL010', 'skill.content', 'a skill needs content', { hint: 'Write the steps as text.' }));
    return undefined;
  }
  const onMisspelt = (source: string, meant: string) =>
    report(
      promptFinding('SKL022', 'skill.content', `${source} stays text`, {
        severity: 'warning',
        hint: `Did you mean ${meant}?`,
      }),
    );
  const content = parsePromptText(text, { onMisspelt });
  const codes = { tool: 'SKL005', resource: 'SKL006', skill: 'SKL022', prompt: 'SKL022' } as const;
  reportUnknownParts(content, { codes, scope, path: 'skill.content', report });
  reportRequirements(skill.requires, { content, text, scope, report });
  const args = argumentsOf(skill.input, content, report);
  return {
    name: definition.name,
    kind: 'skill',
    description,
    arguments: args,
    content,
    references: referencesIn(content),
  };
}

/** The skills and prompts that a text names. */
export function referencesIn(content: readonly PromptPart[]): readonly PromptReference[] {
  return (['skill', 'prompt'] as const).flatMap((kind) => namesIn(content, kind).map((name) => ({ kind, name })));
}

function reportIdentity(skill: Record<string, unknown>, { name }: PromptDefinition, report: Report): void {
  if (skill.name !== name) {
    const message = `name ${JSON.stringify(skill.name) ?? 'is missing; it'} is not the key ${JSON.stringify(name)}`;
    report(promptFinding('SKL003', 'skill.name', message, { hint: 'The skill is known by the key of its file.' }));
  }
  if (!versions.some((version) => version === skill.version)) {
    const message = `version ${JSON.stringify(skill.version) ?? 'is missing; it'} is not known`;
    report(promptFinding('SKL004', 'skill.version', message, { hint: `Write '${versions[0]}'.` }));
  }
  if (textField(skill, 'output') === undefined) {
    report(promptFinding('SKL011', 'skill.output', 'there is no output', { hint: 'Say what the skill results in.' }));
  }
}

/** The declared inputs, and those that only the text names. A skill without `input` leaves it to its text. */
function argumentsOf(input: unknown, content: readonly PromptPart[], report: Report): Prompt['arguments'] {
  const declared = readSkillInputs(input, report);
  const undeclared = inputsInText(content).filter(({ name }) => !declared?.some((argument) => argument.name === name));
  for (const { name } of undeclared) {
    report(
      promptFinding('SKL008', 'skill.content', `{{input:${name}}} is not declared in input`, {
        hint: `Add { key: ${JSON.stringify(name)}, type: 'string', description: '…', required: true } to input.`,
        ...(declared === undefined && { severity: 'warning' }),
      }),
    );
  }
  return [...(declared ?? []), ...undeclared];
}

interface RequirementContext {
  content: readonly PromptPart[];
  text: string;
  scope: PromptScope;
  report: Report;
}

function reportRequirements(requires: unknown, context: RequirementContext): void {
  if (requires === undefined) return;
  if (!isObject(requires)) {
    context.report(promptFinding('SKL026', 'skill.requires', 'requires must be an object of arrays of names'));
    return;
  }
  reportUnknownFields(requires, fieldsOf.SkillRequirements, { path: 'skill.requires', report: context.report });
  const codes = { tool: ['SKL005', 'SKL020', 'SKL024'], resource: ['SKL006', 'SKL021', 'SKL025'] } as const;
  for (const kind of ['tool', 'resource'] as const) {
    const field = `${kind}s`;
    if (requires[field] !== undefined) reportRequired(requires[field], { ...context, kind, field, codes: codes[kind] });
  }
  if (requires.external !== undefined && textArray(requires.external) === undefined) {
    context.report(promptFinding('SKL026', 'skill.requires.external', 'external must be an array of names'));
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
    report(promptFinding('SKL026', path, `${field} must be an array of names`));
    return;
  }
  const [exists, unlisted, unused] = codes;
  const named = namesIn(content, kind);
  const namedKeys = new Set(named.map((name) => scope.keyOf(name, kind)));
  for (const [index, name] of listed.entries()) {
    reportUnknownTarget(name, kind, { scope, code: exists, path: `${path}[${index}]`, report });
    if (!namedKeys.has(scope.keyOf(name, kind)) && !text.includes(name))
      report(promptFinding(unused, `${path}[${index}]`, `the text does not name ${name}`));
  }
  const listedKeys = new Set(listed.map((name) => scope.keyOf(name, kind)));
  for (const name of named.filter((candidate) => !listedKeys.has(scope.keyOf(candidate, kind)))) {
    const hint = `Add it to requires.${field}.`;
    report(
      promptFinding(unlisted, 'skill.content', `${kind} ${JSON.stringify(name)} is not listed in requires`, { hint }),
    );
  }
}
