import { childPath, type Report } from '../finding.ts';
import { isObject } from '../json.ts';
import type { PromptDefinition } from '../prompt.ts';
import { promptFinding } from '../prompt-codes.ts';
import { readPromptFilePath } from '../prompt-file-path.ts';
import { readPromptNames, reportPromptMeta } from '../prompt-meta.ts';
import { fieldsOf } from '../schema/fields.generated.ts';
import { reportUnknownFields, textField } from './fields.ts';

/** Those of agents have two more, each with a finding of its own. */
const fields = [...fieldsOf.PromptReference, 'agent', 'testedWith'];
const maxPrompts = 5;

/** Reads `prompts`: an object of `{ contentFile }` by name. One whose text could not be found is left out. */
export function readPrompts(
  main: Record<string, unknown>,
  { report }: { report: Report },
): readonly PromptDefinition[] {
  if (main.prompts === undefined) return [];
  if (!isObject(main.prompts)) {
    report(
      promptFinding('PRM016', 'main.prompts', 'main.prompts must be an object', {
        hint: "Write prompts: { about: { contentFile: './prompts/about.mjs' } }, or leave it out.",
      }),
    );
    return [];
  }
  const entries = Object.entries(main.prompts);
  if (entries.length > maxPrompts) {
    const message = `the schema has ${entries.length} prompts; 5 are the usual maximum`;
    report(promptFinding('PRM012', 'main.prompts', message, { hint: 'Several schemas may share a namespace.' }));
  }
  if (entries.length > 0 && !Object.hasOwn(main.prompts, 'about')) {
    const hint = 'Say in it what the API is good for, and which tool to start with.';
    report(promptFinding('PRM015', 'main.prompts', 'there is no prompt named about', { hint }));
  }
  const namespace = textField(main, 'namespace') ?? '';
  return entries.flatMap(([name, definition]) => readDefinition(name, definition, { namespace, report }) ?? []);
}

function readDefinition(
  name: string,
  definition: unknown,
  { namespace, report }: { namespace: string; report: Report },
): PromptDefinition | undefined {
  const path = childPath('main.prompts', name);
  if (!isObject(definition) || name.trim() === '') {
    const message = isObject(definition) ? 'a prompt has no name' : 'a prompt must be an object';
    report(promptFinding('PRM016', path, message, { hint: "Write { contentFile: './prompts/<name>.mjs' }." }));
    return undefined;
  }
  reportUnknownFields(definition, fields, { path, report });
  if (!/^[a-z][a-zA-Z0-9]*$/.test(name)) {
    report(promptFinding('PRM001', path, `prompt name ${JSON.stringify(name)} is not a camelCase word`));
  }
  reportPromptMeta(definition, { name, namespace, path, report });
  const source = readSource(definition, { path, report });
  if (source === undefined) return undefined;
  const description = textField(definition, 'description');
  const dependsOn = readPromptNames(definition, 'dependsOn', { path, report });
  const references = readPromptNames(definition, 'references', { path, report });
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

function readSource(
  definition: Record<string, unknown>,
  { path, report }: { path: string; report: Report },
): PromptDefinition['source'] | undefined {
  const content = textField(definition, 'content');
  if (content !== undefined) {
    const isIgnored = definition.contentFile !== undefined;
    report(
      promptFinding('PRM010', `${path}.content`, `content stands in main${isIgnored ? '; it is ignored' : ''}`, {
        severity: 'warning',
        hint: isIgnored ? 'The text is read from contentFile.' : 'Move it to a file, and name that as contentFile.',
      }),
    );
    if (!isIgnored) return { content };
  }
  const file = readPromptFilePath(definition.contentFile, { code: 'PRM011', path: `${path}.contentFile`, report });
  return file === undefined ? undefined : { file };
}
