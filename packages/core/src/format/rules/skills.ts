import { childPath, type Report } from '../finding.ts';
import { isObject } from '../json.ts';
import type { PromptDefinition } from '../prompt.ts';
import { promptFinding } from '../prompt-codes.ts';
import { readPromptFilePath } from '../prompt-file-path.ts';
import { fieldsOf } from '../schema/fields.generated.ts';
import { reportUnknownFields, textField } from './fields.ts';

const maxSkills = 4;

interface Entry {
  name: string | undefined;
  definition: unknown;
  path: string;
}

/**
 * Reads `skills` (specification 2.1): an object of `{ file }` by name, or an array of `{ name, file, description }`. One whose
 * file could not be named is left out.
 */
export function readSkills(main: Record<string, unknown>, { report }: { report: Report }): readonly PromptDefinition[] {
  const entries = entriesOf(main.skills);
  if (entries === undefined) {
    report(
      promptFinding('SKL019', 'main.skills', 'main.skills must be an object or an array', {
        hint: "Write skills: { 'find-places': { file: './skills/find-places.mjs' } }, or leave it out.",
      }),
    );
    return [];
  }
  if (entries.length > maxSkills) {
    const message = `the schema has ${entries.length} skills; 4 are the usual maximum`;
    report(promptFinding('SKL018', 'main.skills', message, { hint: 'Several schemas may share a namespace.' }));
  }
  const skills = new Map<string, PromptDefinition>();
  for (const entry of entries) {
    const skill = readDefinition(entry, report);
    if (skill === undefined) continue;
    if (!skills.has(skill.name)) skills.set(skill.name, skill);
    else report(promptFinding('SKL003', entry.path, `there is a skill ${JSON.stringify(skill.name)} already`));
  }
  return [...skills.values()];
}

/** Undefined where `skills` is neither an object nor an array. */
function entriesOf(skills: unknown): readonly Entry[] | undefined {
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

function readDefinition({ name, definition, path }: Entry, report: Report): PromptDefinition | undefined {
  if (!isObject(definition)) {
    report(
      promptFinding('SKL019', path, 'a skill must be an object', { hint: "Write { file: './skills/<name>.mjs' }." }),
    );
    return undefined;
  }
  reportUnknownFields(definition, fieldsOf.SkillReference, { path, report });
  if (name === undefined) {
    report(promptFinding('SKL002', path, 'a skill has no name', { severity: 'error' }));
    return undefined;
  }
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(name)) {
    const message = `skill name ${JSON.stringify(name)} is not made of lowercase letters, digits and hyphens`;
    report(promptFinding('SKL002', path, message, { hint: 'It is exposed under a name without other characters.' }));
  }
  const file = readPromptFilePath(definition.file, { code: 'SKL016', path: `${path}.file`, report });
  const description = textField(definition, 'description');
  return file === undefined
    ? undefined
    : { name, kind: 'skill', path, source: { file }, ...(description !== undefined && { description }) };
}
