import { fieldsOf, valuesOf } from '../format/fields.generated.ts';
import type { Place, RuleReport } from '../rule-report.ts';
import { reportUnknownFields, textArray, textField } from '../rules/fields.ts';

/** In UTF-16 code units. */
const maxDescriptionLength = 1024;

const versions = valuesOf['Prompt.version'];

function reportIdentity(prompt: Record<string, unknown>, { name, path, report }: Place & { name: string }): void {
  if (prompt.name !== undefined && prompt.name !== name) {
    const message = `name ${JSON.stringify(prompt.name)} is not the key ${JSON.stringify(name)}`;
    report('PRM001', `${path}.name`, message, `Write name: ${JSON.stringify(name)}.`);
  }
  if (prompt.version !== undefined && !versions.some((version) => version === prompt.version)) {
    const message = `unknown version ${JSON.stringify(prompt.version)}`;
    report('PRM002', `${path}.version`, message, `Write '${versions[0]}'.`);
  }
}

/** Reports invalid metadata of a prompt. All of it is optional. */
export function reportPromptMeta(
  definition: Record<string, unknown>,
  { name, namespace, path, report }: Place & { name: string; namespace: string },
): void {
  reportIdentity(definition, { name, path, report });
  if (definition.namespace !== undefined && definition.namespace !== namespace) {
    const message = `namespace ${JSON.stringify(definition.namespace)} is not the namespace of the schema`;
    report('PRM003', `${path}.namespace`, message, `Write ${JSON.stringify(namespace)}.`);
  }
  if (definition.agent !== undefined) {
    report('PRM003', `${path}.agent`, 'agent is ignored: the prompt belongs to a schema');
  }
  if (definition.testedWith !== undefined) {
    report('PRM004', `${path}.testedWith`, 'testedWith is ignored: the prompt belongs to a schema');
  }
}

/** Reports invalid metadata in the `prompt` of an agent's file. */
export function reportAgentPromptMeta(
  prompt: Record<string, unknown>,
  { name, agent, report }: { name: string; agent: string; report: RuleReport },
): void {
  reportUnknownFields(prompt, fieldsOf.Prompt, { path: 'prompt', report });
  reportIdentity(prompt, { name, path: 'prompt', report });
  if (prompt.agent !== undefined && prompt.agent !== agent) {
    const message = `agent ${JSON.stringify(prompt.agent)} is not the agent of this prompt`;
    report('PRM003', 'prompt.agent', message, `Write ${JSON.stringify(agent)}.`);
  }
  if (prompt.namespace !== undefined) {
    const hint = `Write agent: ${JSON.stringify(agent)} instead.`;
    report('PRM003', 'prompt.namespace', 'namespace is ignored: the prompt belongs to an agent', hint);
  }
  const testedWith = "Write testedWith: '<provider>/<model id>'.";
  if (textField(prompt, 'testedWith') === undefined) {
    const message = 'testedWith is missing';
    report('PRM004', 'prompt.testedWith', message, testedWith);
  } else if (!/^[^/\s]+\/\S+$/.test(String(prompt.testedWith))) {
    const message = `testedWith has no provider: ${JSON.stringify(prompt.testedWith)}`;
    report('PRM005', 'prompt.testedWith', message, testedWith);
  }
  if (prompt.content !== undefined && prompt.contentFile !== undefined) {
    const message = 'a prompt has content and contentFile; contentFile is ignored';
    report('PRM010', 'prompt.contentFile', message, { severity: 'warning' });
  }
}

export function parsePromptNames(
  value: Record<string, unknown>,
  key: 'dependsOn' | 'references',
  { path, report }: Place,
): readonly string[] | undefined {
  if (value[key] === undefined) return undefined;
  const names = textArray(value[key]);
  if (names === undefined) report('PRM013', `${path}.${key}`, `${key} must be an array of names`);
  return names;
}

/** The description from `main` or the file; reports a missing or a long one. */
export function parsePromptDescription(
  value: Record<string, unknown>,
  known: string | undefined,
  { code, path, report }: { code: 'SKL007' | 'PRM014'; path: string; report: RuleReport },
): string {
  const description = known ?? textField(value, 'description');
  const place = `${path}.description`;
  if (description === undefined) {
    report(code, place, 'description is missing', 'Describe its purpose in one sentence.');
    return '';
  }
  if (description.length > maxDescriptionLength) {
    const message = `the description has ${description.length} characters; at most ${maxDescriptionLength} are recommended`;
    report(code, place, message, { severity: 'warning' });
  }
  return description;
}

/** Parses the path of a skill or prompt file: relative, inside the folder of the schema, and a `.mjs` module. */
export function parsePromptFilePath(
  value: unknown,
  { code, path, report }: Place & { code: 'SKL016' | 'PRM011' },
): string | undefined {
  const file = typeof value === 'string' ? value.trim() : '';
  const flaw = flawOf(file);
  if (flaw === undefined) return file;
  const shown = file === '' ? 'the path of the file' : JSON.stringify(file);
  const example = code === 'SKL016' ? './skills/find-places.mjs' : './prompts/about.mjs';
  return report(code, path, `${shown} ${flaw}`, `Write a path such as '${example}'.`);
}

function flawOf(file: string): string | undefined {
  if (file === '') return 'is missing';
  if (/^([\\/~]|[A-Za-z]:|[a-z]+:\/\/)/.test(file)) return 'is not relative to the schema';
  if (file.split(/[\\/]/).includes('..') || file.includes('\0')) return "leaves the schema's folder";
  return file.endsWith('.mjs') ? undefined : 'is not a .mjs file';
}
