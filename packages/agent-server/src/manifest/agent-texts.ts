import { exposeSchemaPrompts, type Finding, type LoadedAgent, parseReference } from '@schemakit/core';
import { configFinding } from './config-codes.ts';

/** A manifest with its defaults. */
export type Manifest = NonNullable<LoadedAgent['agent']>;

type Part = LoadedAgent['prompts'][string]['parts'][number];

/** A part of a schema, or, without a namespace, of the agent itself. */
export interface PartId {
  namespace: string;
  name: string;
}

/** The name by which the model calls a tool, or the tools of a resource; undefined if the agent does not have it. */
export type NameOf = (kind: 'tool' | 'resource', part: PartId) => string | undefined;

export interface AgentTexts {
  /** What the system prompt says about tools and skills, after the persona. */
  instructions: string;
  /** Texts of skills by name, for `read_skill`. */
  skills: Record<string, string>;
  findings: Finding[];
}

/** The prompts and skills of an agent as the model reads them: prompts in its instructions, skills by name. */
export function agentTexts(
  { agent, prompts, skills }: { agent: Manifest } & Pick<LoadedAgent, 'prompts' | 'skills'>,
  { schemas, nameOf }: { schemas: readonly unknown[]; nameOf: NameOf },
): AgentTexts {
  const render = (parts: readonly Part[], namespace = '') =>
    parts.map((part) => partText(part, namespace, nameOf)).join('');
  const findings: Finding[] = [];
  const exposed = exposeSchemaPrompts(schemas);
  const external = Object.entries(agent.prompts).flatMap(([id, own]) => {
    if (own !== null) return [];
    const { namespace, name } = parseId(id);
    const found = exposed.find(
      ({ prompt, ...its }) => its.namespace === namespace && prompt.name === name && prompt.kind === 'prompt',
    );
    if (found !== undefined) return { name: id, text: render(found.prompt.content, found.namespace) };
    findings.push(missing('prompts', id));
    return [];
  });
  const own = Object.values(prompts).map(({ name, parts }) => ({ name, text: render(parts) }));
  const explained = [...own, ...external].map(({ name, text }) => `## ${name}\n${text}`);
  const offered = Object.values(skills).map(({ name, description }) => `- ${name}: ${description}`);
  const sections = [
    ...(explained.length > 0 ? [`# How the tools work\n\n${explained.join('\n\n')}`] : []),
    ...(offered.length > 0
      ? [`# Skills\n\nRead a skill with read_skill before you do such a task.\n${offered.join('\n')}`]
      : []),
  ];
  return {
    instructions: sections.map((section) => `\n\n${section}`).join(''),
    skills: Object.fromEntries(Object.values(skills).map(({ name, parts }) => [name, render(parts)])),
    findings,
  };
}

/** What a placeholder becomes. The caller's values are in its message, so an input is named only. */
function partText(part: Part, namespace: string, nameOf: NameOf): string {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'input') return `<${part.name}>`;
  if (part.kind !== 'tool' && part.kind !== 'resource') return part.name;
  const id = parseId(part.name);
  return nameOf(part.kind, { ...id, namespace: id.namespace || namespace }) ?? part.name;
}

/** Parses `<namespace>/<type>/<name>` and `<namespace>/<name>`; a name without a slash is one of the agent's own. */
export function parseId(id: string): PartId {
  const { reference } = id.includes('/') ? parseReference(id) : {};
  return reference?.form === 'id' ? reference : { namespace: '', name: id };
}

/** A part that the manifest names and that no schema has, or more than one. */
export function missing(
  kind: 'tools' | 'prompts' | 'resources',
  id: string,
  {
    why = 'is in none of the schemas',
    hint = 'Pass the schema that has it in schemas.',
  }: { why?: string; hint?: string | undefined } = {},
): Finding {
  return configFinding('AGS005', `agent.${kind}.${id}`, `agent.${kind} names ${id}, which ${why}`, hint);
}
