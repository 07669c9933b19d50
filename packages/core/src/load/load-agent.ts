import { dirname, resolve } from 'node:path';
import { analyzeModule, type ModuleAnalysis } from '../module/analyze-module.ts';
import { type AgentManifest, parseAgentManifest } from '../schema/agent/agent-manifest.ts';
import { ownResources } from '../schema/agent/agent-parts.ts';
import { hasOwnRoot, type OwnSchema, ownResourceSchema, ownToolSchema } from '../schema/agent/agent-tools.ts';
import { checkArguments } from '../schema/arguments.ts';
import {
  checkResult,
  childPath,
  type Finding,
  hasNoErrors,
  messageOf,
  type Report,
  type Result,
} from '../schema/finding.ts';
import { ruleFinding } from '../schema/finding-codes.ts';
import { collectFindings, createFindingList } from '../schema/finding-list.ts';
import { isObject } from '../schema/json.ts';
import { describeExports, isAgentManifest } from '../schema/main-of.ts';
import { parseSchema } from '../schema/parse-schema.ts';
import { agentScope, reportPromptDepth } from '../schema/prompts/prompt-targets.ts';
import type { Schema } from '../schema/schema.ts';
import { readData } from './exported-data.ts';
import { takesListValues, withListValues } from './lists/list-values.ts';
import { findListsDir, readSharedLists } from './lists/shared-lists.ts';
import { type AgentText, loadAgentText } from './load-agent-text.ts';
import { readModuleFile } from './read-file.ts';
import { storeRecord } from './schema-record.ts';

export interface LoadAgentOptions {
  /** The file of the manifest: `agent.mjs`, or an older `.json` file. */
  filePath?: string;
  /** The manifest in place of a file. Its prompts and skills are found from the working directory. */
  manifest?: unknown;
  /** Folder of the shared lists of inline tools. Default: the nearest `_lists` beside the file or in a parent folder. */
  listsDir?: string;
  /** Whether roots of inline tools may be private or loopback addresses. Default true; use false for files from elsewhere. */
  approveRoot?: boolean;
}

export type LoadedAgent = Result<AgentParts & { agent: AgentManifest }, AgentParts & { agent: null }>;

interface AgentParts {
  /** The agent's own prompts by name, with their text. */
  prompts: Record<string, AgentText>;
  /** The agent's skills by name, with their text. */
  skills: Record<string, AgentText>;
  /** The agent's own tools and resources as schemas; each `main` can be used like a loaded schema. */
  schemas: Record<string, unknown>[];
  file: string;
}

/**
 * Loads an agent manifest (docs/agents.md) with the files of its prompts and skills. No file is run in this process. The manifest
 * is the export `agent`, an export `main` with the version of a manifest, or a JSON file. References to tools of other schemas are
 * not resolved.
 *
 * @example
 * const { status, messages } = await loadAgent({ filePath: 'agent.mjs' });
 * console.log(status, messages.length); // false 1
 */
export async function loadAgent(options: LoadAgentOptions): Promise<LoadedAgent> {
  const { filePath, manifest, listsDir, approveRoot = true } = options ?? {};
  const problems = manifest === undefined ? checkArguments('loadAgent', { filePath }, { filePath: 'text' }) : [];
  if (listsDir !== undefined) problems.push(...checkArguments('loadAgent', { listsDir }, { listsDir: 'text' }));
  problems.push(...checkArguments('loadAgent', { approveRoot }, { approveRoot: 'true or false' }));
  if (problems.length > 0) return loaded(problems, { file: '' });
  const file = resolve(filePath ?? 'agent.mjs');
  const list = createFindingList();
  const report: Report = list.add;
  const found: Manifest | undefined =
    manifest === undefined ? await readManifest(file, report) : { value: manifest, path: 'agent' };
  if (found === undefined) return loaded(list.toArray(), { file });
  const { value, path, reading } = found;
  const agent = collectFindings(list, (add) => parseAgentManifest(value, add, { path }));
  if (agent === undefined) return loaded(list.toArray(), { file });
  const folder = dirname(file);
  const { prompts, skills } = await loadTexts(agent, { folder, path, report });
  const own = { file, path, approveRoot, report, ...(listsDir !== undefined && { listsDir }) };
  const schemas = hasNoErrors(list.toArray()) ? await loadAgentSchemas(agent, own) : [];
  const known = new Set(list.toArray().map(({ message }) => message));
  for (const finding of await unknownLists(agent, own)) if (!known.has(finding.message)) report(finding);
  const located = list
    .toArray()
    .map((finding) => (finding.file === undefined ? { ...reading?.locate(finding.path), ...finding } : finding));
  return loaded(located, { file, agent, prompts, skills, schemas });
}

/** The manifest as it is in the file, valid or not; null if it cannot be read. */
export async function readAgentManifest(file: string): Promise<Record<string, unknown> | null> {
  const value = (await readManifest(file, () => {}))?.value;
  return isObject(value) ? value : null;
}

interface Manifest {
  value: unknown;
  /** The first part of paths in its findings. */
  path: 'agent' | 'main';
  /** Absent for JSON. */
  reading?: ModuleAnalysis;
}

async function readManifest(file: string, report: Report): Promise<Manifest | undefined> {
  const read = readModuleFile(file);
  if (!read.ok) {
    report(read.finding);
    return undefined;
  }
  if (/\.json$/i.test(file)) return readJson(read.source.text, report);
  const reading = analyzeModule(read.source, { file });
  reading.findings.forEach(report);
  const agent = await readData(reading, 'agent');
  if (agent.status === 'read') return { value: agent.value, path: 'agent', reading };
  const main = agent.status === 'absent' ? await readData(reading, 'main') : agent;
  if (main.status === 'read' && isAgentManifest(main.value)) return { value: main.value, path: 'main', reading };
  if (main.status === 'failed') main.findings.forEach(report);
  else if (reading.exports.length > 0 || reading.findings.length === 0)
    report(noAgent(reading, main.status === 'read'));
  return undefined;
}

function readJson(text: string, report: Report): Manifest | undefined {
  try {
    return { value: JSON.parse(text), path: 'agent' };
  } catch (error) {
    report(ruleFinding('AGT029', 'agent', `the file is not JSON: ${messageOf(error)}`));
    return undefined;
  }
}

function noAgent({ exports }: ModuleAnalysis, hasSchema: boolean): Finding {
  const hint = hasSchema ? 'It looks like a schema: load it with loadSchema.' : 'Write export const agent = { … }.';
  return ruleFinding('AGT028', 'agent', `the file has no export named agent; ${describeExports(exports)}`, hint);
}

async function loadTexts(
  agent: AgentManifest,
  { folder, path, report }: { folder: string; path: string; report: Report },
): Promise<Pick<LoadedAgent, 'prompts' | 'skills'>> {
  const scope = agentScope(agent);
  const read = { prompt: [] as AgentText[], skill: [] as AgentText[] };
  const paths = new Map<AgentText, string>();
  for (const kind of ['prompt', 'skill'] as const) {
    for (const [name, part] of Object.entries<{ file: string } | null>(agent[`${kind}s`])) {
      if (part === null) continue;
      const place = childPath(`${path}.${kind}s`, name);
      const context = { kind, name, agent: agent.name, folder, path: place, scope, report };
      const text = await loadAgentText(part.file, context);
      if (text === undefined) continue;
      read[kind].push(text);
      paths.set(text, place);
    }
  }
  const prompts = [...read.prompt, ...read.skill];
  for (const [text, place] of paths) reportPromptDepth(text, { path: place, prompts, scope, report });
  return { prompts: byName(read.prompt), skills: byName(read.skill) };
}

function byName(texts: readonly AgentText[]): Record<string, AgentText> {
  return Object.fromEntries(texts.map((text) => [text.name, text]));
}

function loaded(
  findings: readonly Finding[],
  { file, agent, ...parts }: Partial<AgentParts> & { file: string; agent?: AgentManifest },
): LoadedAgent {
  const { status, ...checked } = checkResult(findings.map((finding) => ({ ...finding, file: finding.file ?? file })));
  const none = { ...checked, prompts: {}, skills: {}, schemas: [], file };
  if (!status || agent === undefined) return { ...none, status: false, agent: null };
  return { ...none, ...parts, status, agent };
}

interface AgentSchemaOptions {
  file: string;
  /** Path of the manifest in findings. */
  path: string;
  listsDir?: string;
  approveRoot: boolean;
  report: Report;
}

/** Creates schemas from an agent's own parts: one for each inline tool that has a root, and one for its resources. */
async function loadAgentSchemas(agent: AgentManifest, options: AgentSchemaOptions): Promise<Record<string, unknown>[]> {
  const mains: Record<string, unknown>[] = [];
  for (const own of ownSchemas(agent, options.path)) {
    // The manifest was already checked.
    const schema = parseSchema(own.main, () => {});
    if (schema === undefined) continue;
    const resolved = await withLists(schema, own, options);
    const { file, approveRoot } = options;
    const none = { handlerMap: {}, rowsHooks: {}, prompts: [], grants: {} };
    storeRecord(own.main, { ...none, schema: resolved, file, approveRoot });
    mains.push(own.main);
  }
  return mains;
}

function ownSchemas(agent: AgentManifest, path: string): OwnSchema[] {
  const place = { owner: agent, path };
  const tools = Object.entries(agent.tools).flatMap(([name, definition]) =>
    definition !== null && hasOwnRoot(definition) ? ownToolSchema(name, definition, place) : [],
  );
  const resources = ownResources(agent.resources);
  return Object.keys(resources).length === 0 ? tools : [...tools, ownResourceSchema(resources, place)];
}

/** An inline tool that needs a missing list has the same message, as an error. */
async function unknownLists(
  { sharedLists }: AgentManifest,
  { file, path, listsDir = findListsDir(file) }: AgentSchemaOptions,
): Promise<Finding[]> {
  const { findings } = await readSharedLists(
    sharedLists.map((ref) => ({ ref })),
    listsDir,
  );
  const missing = findings.filter(({ code }) => code === 'VAL072');
  return missing.map(({ path: place, message, hint = '' }) =>
    ruleFinding('AGT033', place.replace('main', path), message, hint.replace('the schema', 'the agent')),
  );
}

async function withLists(schema: Schema, { toAgentFinding }: OwnSchema, options: AgentSchemaOptions): Promise<Schema> {
  const inputs = [...schema.tools.values()].flatMap((tool) => tool.inputs);
  if (!inputs.some(takesListValues)) return schema;
  const add = (finding: Finding) => options.report(toAgentFinding(finding));
  const listsDir = options.listsDir ?? findListsDir(options.file);
  const { sharedLists, findings } = await readSharedLists(schema.sharedLists, listsDir);
  findings.forEach(add);
  return withListValues(schema, sharedLists, add);
}
