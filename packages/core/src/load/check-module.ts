import { basename } from 'node:path';
import { analyzeModule } from '../module/analyze-module.ts';
import type { AgentManifest } from '../schema/agent/agent-manifest.ts';
import { type CheckResult, checkResult, type Finding } from '../schema/finding.ts';
import { ruleFinding } from '../schema/finding-codes.ts';
import { hashForms } from '../schema/hash.ts';
import { isObject } from '../schema/json.ts';
import type { PromptDefinition } from '../schema/prompts/prompt.ts';
import type { PromptScope } from '../schema/prompts/prompt-targets.ts';
import { textField } from '../schema/rules/fields.ts';
import { readData } from './exported-data.ts';
import { readListModule } from './lists/list-module.ts';
import { loadAgent } from './load-agent.ts';
import type { LoadedSchema } from './load-schema.ts';
import type { ModuleKind } from './module-kind.ts';
import { readModuleFile } from './read-file.ts';
import { openTextModule, readPromptModule, readSkillModule } from './read-prompt-files.ts';

/** A checked file that is no schema. */
export interface CheckedModule extends CheckResult {
  file: string;
  kind: Exclude<ModuleKind, 'schema'>;
  /** Null where the file does not say it. */
  name: string | null;
  /** The files of an agent's prompts and skills, which are checked with it. */
  texts: readonly string[];
}

/**
 * Checks an agent, a list, a prompt or a skill by itself. The parts of schemas that a text names are not checked, and an agent's hash
 * only if `schemas` have all the tools that it takes from schemas.
 */
export async function checkModule(
  file: string,
  kind: CheckedModule['kind'],
  { schemas = [] }: { schemas?: readonly Pick<LoadedSchema, 'main'>[] } = {},
): Promise<CheckedModule> {
  const none = { file, kind, name: null, texts: [] };
  if (kind === 'agent') {
    const { agent, prompts, skills, findings } = await loadAgent({ filePath: file });
    const texts = [prompts, skills].flatMap((parts) => Object.values(parts).map((text) => text.file));
    const wrong = agent === null ? [] : wrongHash(agent, { file, schemas });
    return { ...none, ...checkResult([...findings, ...wrong]), name: agent?.name ?? null, texts };
  }
  if (kind === 'list') {
    const { list, findings } = await readListModule(file);
    return { ...none, ...checkResult(findings), name: list?.name ?? null };
  }
  const findings: Finding[] = [];
  const name = await checkText(file, kind, findings);
  return { ...none, ...checkResult(findings.map((finding) => ({ ...finding, file }))), name };
}

function wrongHash(
  { tools, hash }: AgentManifest,
  { file, schemas }: { file: string; schemas: readonly Pick<LoadedSchema, 'main'>[] },
): Finding[] {
  if (hash === undefined) return [];
  const taken = Object.keys(tools).filter((id) => id.includes('/'));
  const hashed = taken.map((id) => {
    const [namespace, name = ''] = id.split(/\/(?:tool\/)?/);
    const own = schemas.flatMap(({ main }) =>
      main?.namespace === namespace ? hashForms({ tool: { main, name } }) : [],
    );
    return { id, ...own.find(({ canonical }) => canonical !== null) };
  });
  const forms = (['canonical', 'plain'] as const).map(
    (form) => hashForms({ agent: { tools: hashed.map((tool) => ({ id: tool.id, hash: tool[form] ?? '' })) } })[form],
  );
  if (hashed.some(({ canonical }) => canonical === undefined) || forms.includes(hash)) return [];
  const hint = `They changed since the hash was recorded. Review them, then write hash: '${forms[0]}'.`;
  const finding = ruleFinding('AGT034', 'agent.hash', 'the tools of the agent do not have its hash', hint);
  const read = readModuleFile(file);
  return [{ ...finding, file, ...(read.ok && analyzeModule(read.source, { file }).locate('agent.hash')) }];
}

async function checkText(file: string, kind: 'prompt' | 'skill', findings: Finding[]): Promise<string | null> {
  const report = (finding: Finding) => void findings.push(finding);
  const read = readModuleFile(file);
  if (!read.ok || /\.md$/i.test(file)) {
    const hint = 'Write export const skill = { …, content } in an .mjs file, with the text as content.';
    report(read.ok ? ruleFinding('SKL001', 'skill', 'a skill is a module, not a Markdown file', hint) : read.finding);
    return null;
  }
  const opened = openTextModule(read.source, { file, report });
  if (opened === undefined) return null;
  const exported = await readData(opened.reading, kind);
  const value = exported.status === 'read' && isObject(exported.value) ? exported.value : {};
  const name = textField(value, 'name') ?? null;
  // The text of an agent's prompt may be in another file, which is a module of its own.
  if (kind === 'prompt' && value.content === undefined && textField(value, 'contentFile') !== undefined) return name;
  const agent = textField(value, 'agent');
  // The schema or the agent may have the description.
  const described = { name: name ?? basename(file, '.mjs'), description: textField(value, 'description') ?? '' };
  const definition: PromptDefinition = { ...described, kind, path: kind, source: { file } };
  const context = { definition, scope: anyPart, scan: 'enforce', report: opened.report } as const;
  const inFile = { ...context, ...(agent !== undefined && { agent }) };
  const text = await (kind === 'skill' ? readSkillModule : readPromptModule)(opened.reading, inFile);
  return name ?? text?.name ?? null;
}

/** Only the schema or the agent knows the parts that its texts may name. */
const anyPart: PromptScope = {
  owner: 'schema',
  names: { tool: new Set(), resource: new Set(), skill: new Set(), prompt: new Set() },
  placeOf: () => 'elsewhere',
  keyOf: (name) => name,
};
