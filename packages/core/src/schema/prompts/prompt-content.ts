import type { Report } from '../finding.ts';
import { isObject } from '../json.ts';
import { type RuleReport, ruleReport } from '../rule-report.ts';
import { textField } from '../rules/fields.ts';
import {
  type Prompt,
  type PromptDefinition,
  type PromptReference,
  parsePromptText,
  promptTargetKind,
} from './prompt.ts';
import { parsePromptDescription, parsePromptNames, reportAgentPromptMeta } from './prompt-meta.ts';
import { type PromptScope, reportUnknownParts, reportUnknownTarget } from './prompt-targets.ts';
import { inputsInText, referencesIn } from './skill.ts';

export interface PromptExports {
  content?: unknown;
  prompt?: unknown;
}

interface PromptContext {
  definition: PromptDefinition;
  scope: PromptScope;
  /** Name of the agent, for its prompts. Their metadata is in the file, not in `main`. */
  agent?: string;
  report: RuleReport;
}

const codes = { tool: 'PRM009', resource: 'PRM009', skill: 'PRM009', prompt: 'PRM009' } as const;

/** Parses the module of a prompt. Metadata in `main` wins over the module. Undefined without content. */
export function parsePromptContent(
  exports: PromptExports,
  { report: onFinding, ...owner }: Omit<PromptContext, 'report'> & { report: Report },
): Prompt | undefined {
  const report = ruleReport(onFinding);
  const context = { ...owner, report };
  const { definition, scope } = owner;
  const meta = isObject(exports.prompt) ? exports.prompt : {};
  const path = exports.content === undefined ? 'prompt.content' : 'content';
  const text = textField({ content: exports.content ?? meta.content }, 'content');
  if (text === undefined) {
    return report('PRM010', path, 'a prompt needs content', 'Write export const content = `…` in its file.');
  }
  const description = parseMeta(exports, context);
  const onMisspelt = (source: string, meant: string) =>
    report('PRM009', path, `${source} is not a placeholder`, { severity: 'warning', hint: `Did you mean ${meant}?` });
  const content = parsePromptText(text, { brackets: true, onMisspelt });
  reportUnknownParts(content, { codes, scope, path, report });
  const tools = namesOf('dependsOn', meta, context);
  for (const [index, name] of tools.names.entries()) {
    reportUnknownTarget(name, 'tool', { scope, code: 'PRM006', path: `${tools.path}[${index}]`, report });
  }
  const references = [...parseReferences(meta, context), ...referencesIn(content)];
  return {
    name: definition.name,
    kind: 'prompt',
    description,
    arguments: inputsInText(content),
    content,
    references,
  };
}

function parseMeta({ prompt }: PromptExports, { definition, agent, report }: PromptContext): string {
  const meta = isObject(prompt) ? prompt : {};
  if (agent === undefined) {
    return parsePromptDescription(meta, definition.description, { code: 'PRM014', path: definition.path, report });
  }
  // The file exports only its text.
  if (!isObject(prompt)) return '';
  reportAgentPromptMeta(prompt, { name: definition.name, agent, report });
  return parsePromptDescription(prompt, undefined, { code: 'PRM014', path: 'prompt', report });
}

/** Names of prompts, or `namespace/type/name`. Tools and resources are only checked. */
function parseReferences(meta: Record<string, unknown>, context: PromptContext): readonly PromptReference[] {
  const { names, path } = namesOf('references', meta, context);
  return names.flatMap((name, index) => {
    const kind = promptTargetKind(name.split('/')[1]) ?? 'prompt';
    const { scope, report } = context;
    reportUnknownTarget(name, kind, { scope, code: 'PRM007', path: `${path}[${index}]`, report });
    return kind === 'prompt' || kind === 'skill' ? { kind, name } : [];
  });
}

function namesOf(
  key: 'dependsOn' | 'references',
  meta: Record<string, unknown>,
  { definition, report }: PromptContext,
): { names: readonly string[]; path: string } {
  const known = definition[key];
  if (known !== undefined) return { names: known, path: `${definition.path}.${key}` };
  return { names: parsePromptNames(meta, key, { path: 'prompt', report }) ?? [], path: `prompt.${key}` };
}
