import { dirname, resolve } from 'node:path';
import { type AgentManifest, readAgentManifest } from '../format/agent-manifest.ts';
import { agentFinding } from '../format/agent-manifest-codes.ts';
import { checkArguments } from '../format/arguments.ts';
import { type CheckResult, checkResult } from '../format/check-result.ts';
import { childPath, type Finding, type Report } from '../format/finding.ts';
import { isObject } from '../format/json.ts';
import { readDataExport } from './load-agent-export.ts';
import { type AgentText, loadAgentText } from './load-agent-text.ts';
import { readModuleFile } from './read-file.ts';
import { type ModuleReading, readModule } from './read-module.ts';

export interface LoadAgentOptions {
  /** The manifest: `agent.mjs`, or an older `.json` file. */
  filePath: string;
}

/** An agent as `loadAgent` gives it. */
export interface LoadedAgent extends CheckResult {
  /** Null where `status` is false. */
  agent: AgentManifest | null;
  /** The agent's own prompts by name, with their text. */
  prompts: Record<string, AgentText>;
  /** The agent's skills by name, with their text. */
  skills: Record<string, AgentText>;
  file: string;
}

/**
 * Loads an agent manifest (specification 2.8): reads and checks it, and the files of its prompts and skills. No file is run
 * in this process. The manifest is the export `agent`; an export `main` whose version is that of a manifest, and JSON files,
 * are read too. The tools that it names are not looked for: what tools there are is not the manifest's to say.
 */
export async function loadAgent(options: LoadAgentOptions): Promise<LoadedAgent> {
  const { filePath } = options ?? {};
  const problems = checkArguments('loadAgent', { filePath }, { filePath: 'text' });
  if (problems.length > 0) return loaded(problems, { file: '' });
  const file = resolve(filePath);
  const findings: Finding[] = [];
  const report: Report = (finding) => void findings.push(finding);
  const found = await readManifest(file, report);
  if (found === undefined) return loaded(findings, { file });
  const { value, path, reading } = found;
  const agent = readAgentManifest(value, report, { path });
  if (agent === undefined) return loaded(findings, { file });
  const folder = dirname(file);
  const prompts = await loadTexts(agent.prompts, { kind: 'prompt', folder, path: `${path}.prompts`, report });
  const skills = await loadTexts(agent.skills, { kind: 'skill', folder, path: `${path}.skills`, report });
  const located = findings.map((finding) =>
    finding.file === undefined ? { ...reading?.locate(finding.path), ...finding } : finding,
  );
  return loaded(located, { file, agent, prompts, skills });
}

interface Manifest {
  value: unknown;
  /** What findings about it begin with. */
  path: 'agent' | 'main';
  /** Absent for JSON. */
  reading?: ModuleReading;
}

async function readManifest(file: string, report: Report): Promise<Manifest | undefined> {
  const read = readModuleFile(file);
  if (!read.ok) {
    report(read.finding);
    return undefined;
  }
  if (/\.json$/i.test(file)) return readJson(read.bytes, report);
  const reading = readModule(read.bytes, { file });
  reading.findings.forEach(report);
  const agent = await readDataExport(reading, 'agent');
  if (agent.status === 'read') return { value: agent.value, path: 'agent', reading };
  const main = agent.status === 'absent' ? await readDataExport(reading, 'main') : agent;
  if (main.status === 'read' && isManifest(main.value)) return { value: main.value, path: 'main', reading };
  if (main.status === 'failed') main.findings.forEach(report);
  else if (reading.exports.length > 0 || reading.findings.length === 0)
    report(noAgent(reading, main.status === 'read'));
  return undefined;
}

function readJson(bytes: Uint8Array, report: Report): Manifest | undefined {
  try {
    return { value: JSON.parse(new TextDecoder().decode(bytes)), path: 'agent' };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    report(agentFinding('AGT029', 'agent', `the file is not JSON: ${reason}`));
    return undefined;
  }
}

function isManifest(value: unknown): boolean {
  return isObject(value) && typeof value.version === 'string' && /^(schemakit|flowmcp)\//.test(value.version);
}

function noAgent({ exports }: ModuleReading, hasSchema: boolean): Finding {
  const found = exports.length === 0 ? 'it exports nothing' : `it exports ${exports.join(', ')}`;
  const hint = hasSchema ? 'It looks like a schema: load it with loadSchema.' : 'Write export const agent = { … }.';
  return agentFinding('AGT028', 'agent', `the file has no export named agent; ${found}`, { hint });
}

async function loadTexts(
  parts: Readonly<Record<string, { file: string } | null>>,
  { path, ...context }: { kind: 'prompt' | 'skill'; folder: string; path: string; report: Report },
): Promise<Record<string, AgentText>> {
  const texts: [string, AgentText][] = [];
  for (const [name, part] of Object.entries(parts)) {
    const text = part && (await loadAgentText(part.file, { ...context, path: childPath(path, name) }));
    if (text) texts.push([name, text]);
  }
  return Object.fromEntries(texts);
}

function loaded(
  findings: readonly Finding[],
  {
    file,
    agent,
    prompts = {},
    skills = {},
  }: Partial<Omit<LoadedAgent, 'agent'>> & { file: string; agent?: AgentManifest },
): LoadedAgent {
  const checked = checkResult(findings.map((finding) => ({ ...finding, file: finding.file ?? file })));
  if (!checked.status || agent === undefined) return { ...checked, agent: null, prompts: {}, skills: {}, file };
  return { ...checked, agent, prompts, skills, file };
}
