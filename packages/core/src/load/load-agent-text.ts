import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { type AgentCode, agentFinding } from '../format/agent-manifest-codes.ts';
import type { Finding, Report } from '../format/finding.ts';
import { isObject } from '../format/json.ts';
import { textField } from '../format/rules/fields.ts';
import { readDataExport } from './load-agent-export.ts';
import { readModuleFile } from './read-file.ts';
import { type ModuleReading, readModule } from './read-module.ts';

/** A prompt or a skill of an agent: the text that its model reads. */
export interface AgentText {
  /** Absolute path. */
  file: string;
  content: string;
  description?: string;
}

interface TextContext {
  kind: 'prompt' | 'skill';
  /** Folder of the agent; the file may not lie outside. */
  folder: string;
  /** Place in the manifest. */
  path: string;
  report: Report;
}

/** Reads the file of a prompt or a skill of an agent (specification 2.8), without running it. */
export async function loadAgentText(name: string, context: TextContext): Promise<AgentText | undefined> {
  const opened = await openModule(name, context);
  if (opened === undefined) return undefined;
  const { file, reading } = opened;
  const text = await readText(opened, context);
  if (text !== undefined) return { file, ...text };
  const { kind, path, report } = context;
  if (reading.findings.some(({ severity }) => severity === 'error')) return undefined;
  const [code, wanted] = expected[kind];
  const found = reading.exports.length === 0 ? 'it exports nothing' : `it exports ${reading.exports.join(', ')}`;
  const message = `the file of the ${kind} needs ${wanted}; ${found} (${path})`;
  report({ ...agentFinding(code, path, message), file });
  return undefined;
}

const expected: Readonly<Record<TextContext['kind'], readonly [AgentCode, string]>> = {
  prompt: ['AGT017', 'export const content, or export const prompt = { content }'],
  skill: ['AGT018', 'export const skill = { name, description, content }'],
};

interface OpenedModule {
  file: string;
  reading: ModuleReading;
}

async function openModule(name: string, { folder, path, report }: TextContext): Promise<OpenedModule | undefined> {
  const file = resolve(folder, name);
  if (name.includes('\\') || !name.endsWith('.mjs') || !isInside(folder, file)) {
    const hint = "Write a path from the agent's folder, with forward slashes: './skills/plan.mjs'.";
    const message = `${JSON.stringify(name)} is not a .mjs file in the folder of the agent (${path})`;
    report(agentFinding('AGT016', path, message, { hint }));
    return undefined;
  }
  // A link inside the folder can lead out of it. Reading says what hinders it where there is no file.
  const real = await realpath(file).catch(() => undefined);
  if (real !== undefined && !isInside(await realpath(folder), real)) {
    const message = `${JSON.stringify(name)} is a link that leads out of the folder of the agent (${path})`;
    report(agentFinding('AGT016', path, message));
    return undefined;
  }
  const read = readModuleFile(real ?? file);
  if (!read.ok) {
    report(agentFinding('AGT016', path, `${read.finding.message} (${path})`));
    return undefined;
  }
  const reading = readModule(read.bytes, { file });
  for (const finding of reading.findings) report({ ...finding, file });
  return { file, reading };
}

function isInside(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return path !== '' && !isAbsolute(path) && path.split(/[\\/]/)[0] !== '..';
}

/** The content of an opened module: of `content` itself, or of the object that is named after the kind. */
async function readText(
  { file, reading }: OpenedModule,
  context: TextContext,
): Promise<{ content: string; description?: string } | undefined> {
  const { kind, report } = context;
  const object = await readDataExport(reading, kind);
  if (object.status === 'failed') return reportAll(object.findings, file, report);
  if (object.status === 'read' && isObject(object.value)) {
    const description = textField(object.value, 'description');
    const content = textField(object.value, 'content') ?? (await readContentFile(object.value, file, context));
    if (content !== undefined) return { content, ...(description !== undefined && { description }) };
  }
  if (kind === 'skill') return undefined;
  const plain = await readDataExport(reading, 'content');
  if (plain.status === 'failed') return reportAll(plain.findings, file, report);
  return plain.status === 'read' && typeof plain.value === 'string' && plain.value.trim() !== ''
    ? { content: plain.value }
    : undefined;
}

/** A prompt may leave its text to another file, which it names from its own folder. */
async function readContentFile(
  prompt: Record<string, unknown>,
  file: string,
  context: TextContext,
): Promise<string | undefined> {
  const name = textField(prompt, 'contentFile');
  if (context.kind === 'skill' || name === undefined) return undefined;
  const fromFolder = relative(context.folder, resolve(dirname(file), name));
  const opened = await openModule(fromFolder.replaceAll('\\', '/'), context);
  const content = opened && (await readDataExport(opened.reading, 'content'));
  return content?.status === 'read' && typeof content.value === 'string' ? content.value : undefined;
}

function reportAll(findings: readonly Finding[], file: string, report: Report): undefined {
  for (const finding of findings) report({ ...finding, file });
}
