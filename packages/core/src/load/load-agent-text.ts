import { dirname, relative, resolve } from 'node:path';
import type { Finding, Report } from '../schema/finding.ts';
import { type RuleCode, ruleFinding } from '../schema/finding-codes.ts';
import { isObject } from '../schema/json.ts';
import { describeExports } from '../schema/main-of.ts';
import type { Prompt, PromptPart } from '../schema/prompts/prompt.ts';
import { parsePromptContent } from '../schema/prompts/prompt-content.ts';
import type { PromptScope } from '../schema/prompts/prompt-targets.ts';
import { parseSkill } from '../schema/prompts/skill.ts';
import { textField } from '../schema/rules/fields.ts';
import { readData } from './exported-data.ts';
import { locateInside, readModuleFile } from './read-file.ts';
import { openTextModule, type TextModule } from './read-prompt-files.ts';

export interface AgentText extends Omit<Prompt, 'content'> {
  /** Absolute path. */
  file: string;
  /** With placeholders. */
  content: string;
  /** The text split at its placeholders. */
  parts: readonly PromptPart[];
}

interface TextContext {
  kind: 'prompt' | 'skill';
  /** The key in the manifest. */
  name: string;
  agent: string;
  /** Folder of the agent, which contains the file. */
  folder: string;
  /** Path in the manifest. */
  path: string;
  scope: PromptScope;
  report: Report;
}

/** Reads and checks the file of an agent's prompt or skill (docs/agents.md), without running it. */
export async function loadAgentText(file: string, context: TextContext): Promise<AgentText | undefined> {
  const opened = await openModule(file, context);
  if (opened === undefined) return undefined;
  return context.kind === 'skill' ? readSkillModule(opened, context) : readPromptModule(opened, context);
}

async function openModule(name: string, { folder, path, report }: TextContext): Promise<TextModule | undefined> {
  const refuse = (problem: string, hint?: string): undefined => {
    report(ruleFinding('AGT016', path, `${problem} (${path})`, hint));
  };
  const located = await locateInside(name, folder);
  if (name.includes('\\') || !name.endsWith('.mjs') || (!located.ok && located.reason === 'outside')) {
    const hint = "Write a path from the agent's folder, with forward slashes: './skills/plan.mjs'.";
    return refuse(`${JSON.stringify(name)} is not a .mjs file in the folder of the agent`, hint);
  }
  const read = readModuleFile(located.file);
  if (!read.ok) return refuse(read.finding.message, `${read.finding.hint} Paths begin in the folder of the agent.`);
  return openTextModule(read.source, { file: resolve(folder, name), report });
}

async function readSkillModule(opened: TextModule, context: TextContext): Promise<AgentText | undefined> {
  const { file, reading, report } = opened;
  const skill = await readData(reading, 'skill');
  if (skill.status === 'failed') return reportAll(skill.findings, file, context.report);
  if (skill.status === 'absent' || !isObject(skill.value)) return reportExports(opened, context);
  const read = parseSkill(skill.value, { definition: definitionOf(file, context), scope: context.scope, report });
  return read && textOf(read, { file, content: textField(skill.value, 'content') ?? '' });
}

async function readPromptModule(opened: TextModule, context: TextContext): Promise<AgentText | undefined> {
  const { file, reading } = opened;
  const { agent, scope, report } = context;
  const prompt = await readData(reading, 'prompt');
  const content = await readData(reading, 'content');
  for (const read of [prompt, content]) if (read.status === 'failed') reportAll(read.findings, file, report);
  const meta = prompt.status === 'read' && isObject(prompt.value) ? prompt.value : undefined;
  const own = meta && textField(meta, 'content');
  const exported = content.status === 'read' ? textField({ content: content.value }, 'content') : undefined;
  const elsewhere =
    own === undefined && exported === undefined ? await readContentFile(meta, file, context) : undefined;
  const text = own ?? exported ?? elsewhere?.content;
  if (text === undefined) return reportExports(opened, context);
  const inText = elsewhere?.opened ?? opened;
  const read = parsePromptContent(
    { ...(own === undefined && { content: text }), ...(meta && { prompt: meta }) },
    {
      definition: definitionOf(file, context),
      scope,
      agent,
      report: (finding) => (finding.path === 'content' ? inText : opened).report(finding),
    },
  );
  return read && textOf(read, { file, content: text });
}

/** The text of a prompt may be in another file (`contentFile`), relative to the prompt's folder. */
async function readContentFile(
  prompt: Record<string, unknown> | undefined,
  file: string,
  context: TextContext,
): Promise<{ content: string; opened: TextModule } | undefined> {
  const name = prompt && textField(prompt, 'contentFile');
  if (name === undefined) return undefined;
  const fromFolder = relative(context.folder, resolve(dirname(file), name));
  const opened = await openModule(fromFolder.replaceAll('\\', '/'), context);
  const content = opened && (await readData(opened.reading, 'content'));
  if (content?.status === 'failed') reportAll(content.findings, opened?.file ?? file, context.report);
  const text = content?.status === 'read' ? textField({ content: content.value }, 'content') : undefined;
  return opened && text !== undefined ? { content: text, opened } : undefined;
}

function definitionOf(file: string, { name, kind, path }: TextContext) {
  return { name, kind, path, source: { file } };
}

function textOf({ content: parts, ...prompt }: Prompt, own: { file: string; content: string }): AgentText {
  return { ...prompt, ...own, parts };
}

const expected: Readonly<Record<TextContext['kind'], readonly [RuleCode, string]>> = {
  prompt: ['AGT017', 'export const content, or export const prompt = { content }'],
  skill: ['AGT018', 'export const skill = { name, description, content }'],
};

/** Reports a missing export. */
function reportExports({ file, reading }: TextModule, { kind, path, report }: TextContext): undefined {
  const [code, form] = expected[kind];
  const message = `the file of the ${kind} needs ${form}; ${describeExports(reading.exports)} (${path})`;
  report({ ...ruleFinding(code, path, message), file });
}

function reportAll(findings: readonly Finding[], file: string, report: Report): undefined {
  for (const finding of findings) report({ ...finding, file });
}
