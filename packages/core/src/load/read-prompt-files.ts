import { dirname } from 'node:path';
import { analyzeModule, type ModuleAnalysis } from '../module/analyze-module.ts';
import type { ModuleText } from '../module/module-text.ts';
import { type Finding, type FindingDetail, hasNoErrors, type Report } from '../schema/finding.ts';
import { type RuleCode, ruleFinding } from '../schema/finding-codes.ts';
import type { Prompt, PromptDefinition } from '../schema/prompts/prompt.ts';
import { parsePromptContent } from '../schema/prompts/prompt-content.ts';
import { type PromptScope, reportPromptDepth, schemaScope } from '../schema/prompts/prompt-targets.ts';
import { parseSkill } from '../schema/prompts/skill.ts';
import { type DataResult, readData } from './exported-data.ts';
import { locateInside, readModuleFile } from './read-file.ts';

export interface ReadPromptFilesOptions {
  /** The schema's file: paths are relative to its folder and may not leave it. */
  schemaFile: string;
  namespace: string;
  /** Names of the schema's tools. */
  tools: Iterable<string>;
  /** Names of the schema's resources. */
  resources: Iterable<string>;
  /** `report` continues if the scan rejects a file. Default `enforce`. */
  scan?: 'enforce' | 'report';
}

export interface PromptFilesResult {
  /** In the order of the definitions, without those that have no usable text. */
  prompts: readonly Prompt[];
  /** Those about a file have `file` and `line`; those about `main` have neither. */
  findings: Finding[];
}

interface FileContext extends Omit<ModuleContext, 'definition'> {
  schemaFile: string;
}

/** Reads the files of skills and prompts and checks their references. Never throws; problems are findings. */
export async function readPromptFiles(
  definitions: readonly PromptDefinition[],
  { schemaFile, namespace, tools, resources, scan = 'enforce' }: ReadPromptFilesOptions,
): Promise<PromptFilesResult> {
  if (definitions.length === 0) return { prompts: [], findings: [] };
  const namesOf = (kind: Prompt['kind']) =>
    new Set(definitions.flatMap((definition) => (definition.kind === kind ? definition.name : [])));
  const names = {
    tool: new Set(tools),
    resource: new Set(resources),
    skill: namesOf('skill'),
    prompt: namesOf('prompt'),
  };
  const scope = schemaScope({ namespace, names });
  const findings: Finding[] = [];
  const report = (finding: Finding) => void findings.push(finding);
  const read: { prompt: Prompt; path: string }[] = [];
  for (const definition of definitions) {
    const prompt = await readDefinition(definition, { schemaFile, scope, scan, report });
    if (prompt) read.push({ prompt, path: definition.path });
  }
  const prompts = read.map(({ prompt }) => prompt);
  for (const { prompt, path } of read) reportPromptDepth(prompt, { path, prompts, scope, report });
  return { prompts, findings };
}

async function readDefinition(definition: PromptDefinition, context: FileContext): Promise<Prompt | undefined> {
  const { source, kind, path } = definition;
  const { schemaFile, scope, scan, report } = context;
  if ('content' in source)
    return parsePromptContent({ prompt: source }, { definition, scope, report: inMain(path, report) });
  const place = `${path}.${kind === 'skill' ? 'file' : 'contentFile'}`;
  const located = await locateInside(source.file, dirname(schemaFile));
  const read = located.ok
    ? readModuleFile(located.file)
    : { ok: located.ok, finding: unusableFile(located, { kind, place }) };
  if (!read.ok) {
    report(read.finding);
    return undefined;
  }
  const { file } = located;
  const opened = openTextModule(read.source, { file, scan, report });
  if (opened === undefined) return undefined;
  const inFile = { definition, scope, scan, report: opened.report };
  return kind === 'skill' ? readSkillModule(opened.reading, inFile) : readPromptModule(opened.reading, inFile);
}

/** The module of a prompt or a skill. */
export interface TextModule {
  file: string;
  reading: ModuleAnalysis;
  /** Adds file and line to findings about the module. Those about `main` get theirs later, from its text. */
  report: Report;
}

/** Parses a module and reports its findings. Undefined where the scan rejects it. */
export function openTextModule(
  source: ModuleText,
  { file, scan = 'enforce', report }: { file: string; scan?: 'enforce' | 'report'; report: Report },
): TextModule | undefined {
  const reading = analyzeModule(source, { file });
  for (const finding of reading.findings) report(scan === 'report' ? asWarning(finding) : finding);
  if (scan === 'enforce' && !hasNoErrors(reading.findings)) return undefined;
  const inFile: Report = (finding) => {
    if (finding.path === 'main' || finding.path.startsWith('main.')) return report(finding);
    return report({ ...reading.locate(finding.path), ...finding, file });
  };
  return { file, reading, report: inFile };
}

interface ModuleContext {
  definition: PromptDefinition;
  scope: PromptScope;
  scan: 'enforce' | 'report';
  /** Name of the agent, for a prompt that says that it has one. */
  agent?: string;
  report: Report;
}

export async function readSkillModule(reading: ModuleAnalysis, context: ModuleContext): Promise<Prompt | undefined> {
  const value = await exportedValue(reading, 'skill', { code: 'SKL001', ...context });
  if (value.status === 'read') return parseSkill(value.value, context);
  if (value.status === 'absent') context.report(noExport(reading, 'SKL001', 'export const skill = { … }'));
  return undefined;
}

export async function readPromptModule(reading: ModuleAnalysis, context: ModuleContext): Promise<Prompt | undefined> {
  const read = { code: 'PRM010', ...context } as const;
  const content = await exportedValue(reading, 'content', read);
  const prompt = await exportedValue(reading, 'prompt', read);
  if (content.status === 'failed' || prompt.status === 'failed') return undefined;
  if (content.status === 'absent' && prompt.status === 'absent') {
    context.report(noExport(reading, 'PRM010', 'export const content = `…`'));
    return undefined;
  }
  return parsePromptContent(
    {
      ...(content.status === 'read' && { content: content.value }),
      ...(prompt.status === 'read' && { prompt: prompt.value }),
    },
    context,
  );
}

/** Reads an exported value; reports why there is none. */
async function exportedValue(
  reading: ModuleAnalysis,
  name: string,
  { code, report, scan }: ModuleContext & { code: RuleCode },
): Promise<DataResult> {
  const wrong = (message: string, detail: FindingDetail) => ruleFinding(code, name, message, detail);
  const data = await readData(reading, name, { scan, deterministic: true, wrong });
  if (data.status === 'failed') data.findings.forEach(report);
  return data;
}

function noExport({ exports }: ModuleAnalysis, code: 'SKL001' | 'PRM010', form: string): Finding {
  const found = exports.length === 0 ? 'nothing' : exports.join(', ');
  return ruleFinding(code, '', `the file exports ${found}`, `Write ${form}.`);
}

function unusableFile(
  { reason, file }: { reason: 'missing' | 'outside'; file: string },
  { kind, place }: { kind: Prompt['kind']; place: string },
): Finding {
  if (reason === 'missing') {
    const hint = 'Paths are relative to the folder of the schema.';
    return ruleFinding(kind === 'skill' ? 'SKL017' : 'PRM017', place, `there is no file ${file}`, hint);
  }
  const message = `${file} is outside of the schema's folder`;
  return ruleFinding(kind === 'skill' ? 'SKL016' : 'PRM011', place, message, 'Put the file next to the schema.');
}

/** For a text in `main`: findings about `prompt.content` get the path of `content` there. */
function inMain(path: string, report: Report): Report {
  return (finding) =>
    report({ ...finding, path: finding.path.startsWith('prompt') ? `${path}.content` : finding.path });
}

export function asWarning(finding: Finding): Finding {
  return finding.severity === 'error' ? { ...finding, severity: 'warning' } : finding;
}
