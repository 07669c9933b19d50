import { childPath } from '../finding.ts';
import { fieldsOf } from '../format/fields.generated.ts';
import { type Fields, isObject } from '../json.ts';
import type { PromptDefinition } from '../prompts/prompt.ts';
import { parsePromptFilePath, parsePromptNames, reportPromptMeta } from '../prompts/prompt-meta.ts';
import type { Place, RuleReport } from '../rule-report.ts';
import { reportUnknownFields, textField } from './fields.ts';

/** The last two are fields of agents' prompts; they have their own findings. */
const fields = [...fieldsOf.PromptReference, 'agent', 'testedWith'];
const maxPrompts = 5;

/** Reads `prompts`: an object of `{ contentFile }` by name. One whose text could not be found is left out. */
export function parsePrompts(main: Fields, report: RuleReport): readonly PromptDefinition[] {
  if (main.prompts === undefined) return [];
  if (!isObject(main.prompts)) {
    const hint = "Write prompts: { about: { contentFile: './prompts/about.mjs' } }, or leave it out.";
    report('PRM016', 'main.prompts', 'main.prompts must be an object', hint);
    return [];
  }
  const entries = Object.entries(main.prompts);
  if (entries.length > maxPrompts) {
    const message = `the schema has ${entries.length} prompts; at most 5 are recommended`;
    report('PRM012', 'main.prompts', message, 'Split it: several schemas can share a namespace.');
  }
  if (entries.length > 0 && !Object.hasOwn(main.prompts, 'about')) {
    const hint = 'Add one that says what the API is good for and which tool to start with.';
    report('PRM015', 'main.prompts', 'no prompt is named about', hint);
  }
  const namespace = textField(main, 'namespace') ?? '';
  return entries.flatMap(([name, definition]) => parsePromptDefinition(name, definition, { namespace, report }) ?? []);
}

function parsePromptDefinition(
  name: string,
  definition: unknown,
  { namespace, report }: { namespace: string; report: RuleReport },
): PromptDefinition | undefined {
  const path = childPath('main.prompts', name);
  if (!isObject(definition) || name.trim() === '') {
    const message = isObject(definition) ? 'a prompt has no name' : 'a prompt must be an object';
    return report('PRM016', path, message, "Write { contentFile: './prompts/<name>.mjs' }.");
  }
  reportUnknownFields(definition, fields, { path, report });
  if (!/^[a-z][a-zA-Z0-9]*$/.test(name)) {
    report('PRM001', path, `prompt name ${JSON.stringify(name)} is not a camelCase word`);
  }
  reportPromptMeta(definition, { name, namespace, path, report });
  const source = parsePromptSource(definition, { path, report });
  if (source === undefined) return undefined;
  const description = textField(definition, 'description');
  const dependsOn = parsePromptNames(definition, 'dependsOn', { path, report });
  const references = parsePromptNames(definition, 'references', { path, report });
  return {
    name,
    kind: 'prompt',
    path,
    source,
    ...(description !== undefined && { description }),
    ...(dependsOn && { dependsOn }),
    ...(references && { references }),
  };
}

type Source = PromptDefinition['source'];

function parsePromptSource(definition: Fields, { path, report }: Place): Source | undefined {
  const content = textField(definition, 'content');
  if (content !== undefined) {
    const isIgnored = definition.contentFile !== undefined;
    report('PRM010', `${path}.content`, `content is in main${isIgnored ? '; it is ignored' : ''}`, {
      severity: 'warning',
      hint: isIgnored ? 'The text is read from contentFile.' : 'Move it to a file and set contentFile.',
    });
    if (!isIgnored) return { content };
  }
  const file = parsePromptFilePath(definition.contentFile, { code: 'PRM011', path: `${path}.contentFile`, report });
  return file === undefined ? undefined : { file };
}

const maxSkills = 4;

interface SkillEntry {
  name: string | undefined;
  definition: unknown;
  path: string;
}

/** Reads `skills`: an object of `{ file }` by name, or an array of `{ name, file, description }`. Leaves out those without a file. */
export function parseSkills(main: Fields, report: RuleReport): readonly PromptDefinition[] {
  const entries = skillEntries(main.skills);
  if (entries === undefined) {
    const hint = "Write skills: { 'find-places': { file: './skills/find-places.mjs' } }, or leave it out.";
    report('SKL019', 'main.skills', 'main.skills must be an object or an array', hint);
    return [];
  }
  if (entries.length > maxSkills) {
    const message = `the schema has ${entries.length} skills; at most 4 are recommended`;
    report('SKL018', 'main.skills', message, 'Split it: several schemas can share a namespace.');
  }
  const skills = new Map<string, PromptDefinition>();
  for (const entry of entries) {
    const skill = parseSkillDefinition(entry, report);
    if (skill === undefined) continue;
    if (!skills.has(skill.name)) skills.set(skill.name, skill);
    else report('SKL003', entry.path, `the skill ${JSON.stringify(skill.name)} is listed twice`);
  }
  return [...skills.values()];
}

/** Undefined if `skills` is neither an object nor an array. */
function skillEntries(skills: unknown): readonly SkillEntry[] | undefined {
  if (skills === undefined) return [];
  if (Array.isArray(skills)) {
    return skills.map((definition: unknown, index) => ({
      name: isObject(definition) ? textField(definition, 'name') : undefined,
      definition,
      path: `main.skills[${index}]`,
    }));
  }
  if (!isObject(skills)) return undefined;
  return Object.entries(skills).map(([name, definition]) => ({
    name: name.trim() === '' ? undefined : name,
    definition,
    path: childPath('main.skills', name),
  }));
}

function parseSkillDefinition(
  { name, definition, path }: SkillEntry,
  report: RuleReport,
): PromptDefinition | undefined {
  if (!isObject(definition)) {
    return report('SKL019', path, 'a skill must be an object', "Write { file: './skills/<name>.mjs' }.");
  }
  reportUnknownFields(definition, fieldsOf.SkillReference, { path, report });
  if (name === undefined) return report('SKL002', path, 'a skill has no name', { severity: 'error' });
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(name)) {
    const message = `skill name ${JSON.stringify(name)} must have only lowercase letters, digits and hyphens`;
    report('SKL002', path, message, 'It is exposed without the other characters.');
  }
  const file = parsePromptFilePath(definition.file, { code: 'SKL016', path: `${path}.file`, report });
  const description = textField(definition, 'description');
  return file === undefined
    ? undefined
    : { name, kind: 'skill', path, source: { file }, ...(description !== undefined && { description }) };
}
