import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { exposeSchemas, type LoadedSchema } from '@schemakit/core';
import { moduleKind } from '@schemakit/core/internal';
import { checkLock, readLock } from '@schemakit/core/lock';
import { loadFile } from '../../groups/load-file.ts';
import { loadReferencedWithLock } from '../../groups/load-group.ts';
import { resolveInSources } from '../../groups/references.ts';
import { isApproved, type SchemaRoot, schemaRoots } from '../../groups/schema-roots.ts';
import { type FilePart, readFilePart } from '../../index/file-part.ts';
import { withIndex } from '../../index/open-index.ts';
import { scanFolders } from '../../index/scan-folders.ts';
import type { FoundTools } from '../../index/tool-index.ts';
import { type CommandResult, failed, failWith, usageError } from '../../output/command-result.ts';
import { printErrors } from '../../output/print-findings.ts';
import { shellWord } from '../../output/terminal-text.ts';
import { openSettings } from '../../settings/open-settings.ts';
import { importedFrom } from '../../sources/lock-files.ts';
import { describeModule } from './describe-module.ts';
import { describePrompt, describeSchema } from './describe-schema.ts';
import { describeTool, type ShownTool } from './describe-tool.ts';

interface DescribeFlags {
  lock?: string;
}

/** `schemakit describe <name>`: what a model sees of a tool, a schema, a list, a prompt, a skill or an agent. */
export async function describe({ lock }: DescribeFlags, text: string): Promise<CommandResult> {
  const part = readFilePart(text);
  if (part !== undefined) return describeFile(part, { lock, text });
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const { settings } = opened;
  const roots = schemaRoots(settings);
  const found = await withIndex(settings, async (index) => {
    const resolved = await resolveInSources(text, { index, settings });
    const isFile = text.trim().endsWith('.mjs');
    const schemas = index.schemas().filter(({ namespace, file }) => file === text.trim() || namespace === text.trim());
    return { resolved, isFile, schemas };
  });
  const { resolved, isFile, schemas } = found;
  const [first, ...others] = resolved.tools;
  if (resolved.outcome === 'match' && first !== undefined && !isFile) {
    if (others.length > 0) return several(text, resolved);
    const { type, toolName, path } = first;
    return describeReferenced({ ...first, type, name: toolName, file: path, reference: first.file }, { lock, roots });
  }
  if (resolved.outcome === 'ambiguous') return failWith(resolved.findings);
  const [schema, ...more] = schemas;
  if (more.length > 0 && schema !== undefined) {
    const all = schemas.map(({ file }) => file).join(', ');
    return usageError(`${text} has ${schemas.length} schemas.`, `Describe one of ${all}.`);
  }
  if (schema !== undefined) {
    const { path, file, source } = schema;
    return describeReferenced({ type: '', name: '', file: path, reference: file, source }, { lock, roots });
  }
  return (await describeOther(text, roots)) ?? unknown(text, resolved);
}

/** A list or an agent of a source, by its name. */
async function describeOther(text: string, roots: readonly SchemaRoot[]): Promise<CommandResult | undefined> {
  const name = text.trim().replace(/^shared\/list\//, '');
  const kebab = name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
  for (const { path, place } of scanFolders(roots).files) {
    const isList = basename(dirname(path)) === '_lists' && [`${name}.mjs`, `${kebab}.mjs`].includes(basename(path));
    const isAgent = basename(path) === 'agent.mjs' && basename(dirname(path)) === name;
    if (!isList && !isAgent && place !== name) continue;
    const result = await describeModule(path, moduleKind(path));
    if (result !== undefined) return result;
  }
  return undefined;
}

/** A resource with several queries. */
function several(text: string, { tools }: FoundTools): CommandResult {
  const names = tools.map(({ name, description }) => ({ name, kind: 'resource', description }));
  const fix = `Describe one of ${names.map(({ name }) => name).join(', ')}.`;
  return failed('usage', { error: `"${text}" has ${names.length} queries.`, fix, tools: names });
}

function unknown(text: string, { findings }: FoundTools): CommandResult {
  const hint = findings.find(({ severity }) => severity === 'error')?.hint;
  const fix = hint?.startsWith('Did you mean') ? hint : `Find names: schemakit search ${shellWord(text)}`;
  return failed('notFound', {
    error: `There is no tool, schema, list, prompt, skill or agent ${JSON.stringify(text)}.`,
    fix,
  });
}

interface Wanted extends FilePart {
  /** `<source>/<file>.mjs`. */
  reference: string;
  source: string;
}

async function describeReferenced(
  wanted: Wanted,
  { lock, roots }: { lock: string | undefined; roots: readonly SchemaRoot[] },
): Promise<CommandResult> {
  const approved = isApproved(roots, { source: wanted.source, path: wanted.file });
  const file = { reference: wanted.reference, file: wanted.file, approved };
  const { schemas, refused, findings } = await loadReferencedWithLock([file], { lock, asks: false });
  const [schema] = schemas;
  // Do not show texts of schemas that changed since they were trusted.
  if (refused.length > 0 || schema?.status !== true) return failWith(refused.length > 0 ? refused : findings);
  return describePart({ schema, send: sendGrants(schema, { approved, lock }), from: wanted.reference }, wanted);
}

async function describeFile(
  part: FilePart,
  { lock, text }: { lock: string | undefined; text: string },
): Promise<CommandResult> {
  const { file } = part;
  if (statSync(file, { throwIfNoEntry: false }) === undefined) {
    return failed('notFound', { error: `There is no file ${file}.`, fix: 'Check the path.' });
  }
  const kind = moduleKind(file);
  const other = kind === 'schema' ? undefined : await describeModule(file, kind);
  if (other !== undefined) return other;
  const { schema, refused, approved } = await loadFile(file, { lock, asks: false });
  if (refused.length > 0 || !schema.status) {
    printErrors(schema.findings);
    return failWith(refused.length > 0 ? refused : schema.findings, { file });
  }
  return describePart({ schema, send: sendGrants(schema, { approved, lock }), from: file, reference: text }, part);
}

/** The grants to send secrets that the lock file has for a schema. */
function sendGrants(
  schema: LoadedSchema,
  { approved, lock: named }: { approved: boolean; lock: string | undefined },
): ShownTool['send'] {
  if (approved) return 'root';
  const lockFile = named ?? importedFrom(schema.file)?.lockFile;
  const { lock } = lockFile === undefined ? {} : readLock({ lockFile });
  return (lock && checkLock({ lock, schema })?.entry?.grants.send) ?? {};
}

async function describePart(
  { reference, ...shown }: Omit<ShownTool, 'exposed'>,
  { type, name, file }: FilePart,
): Promise<CommandResult> {
  const { schema } = shown;
  if (name === '') return describeSchema(shown);
  const isPrompt = type === 'skill' || type === 'prompt';
  const prompt = isPrompt ? describePrompt(shown, { kind: type, name }) : undefined;
  if (prompt !== undefined) return prompt;
  const tools = exposeSchemas([schema]);
  const own = tools.filter(({ toolName, resource }) => toolName === name || resource?.resourceName === name);
  const exposed = own.find(({ toolName }) => toolName === name) ?? (own.length === 1 ? own[0] : undefined);
  if (!isPrompt && exposed !== undefined) return describeTool({ ...shown, exposed, reference });
  const known = isPrompt
    ? schema.prompts.map((prompt) => prompt.name)
    : (own.length > 1 ? own : tools).map(({ toolName }) => toolName);
  const fix = known.length === 0 ? `It has no ${type}.` : `It has: ${known.join(', ')}.`;
  return failed('notFound', { error: `${file} has no ${type} ${name}.`, fix });
}
