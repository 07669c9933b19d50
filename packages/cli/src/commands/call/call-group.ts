import { createToolResolver, type Finding } from '@schemakit/core';
import { groupOf } from '../../groups/groups.ts';
import { namesTool } from '../../groups/list-group.ts';
import {
  type FoundTool,
  loadGroup,
  loadReferencedWithLock,
  type ReferencedOptions,
  toolNameOf,
  toolsOf,
} from '../../groups/load-group.ts';
import { readGroupReference, resolveReferences } from '../../groups/references.ts';
import { type ReferencedFile, schemaRoots } from '../../groups/schema-roots.ts';
import type { IndexedTool } from '../../index/indexed-tool.ts';
import { withIndex } from '../../index/open-index.ts';
import { isCallable } from '../../index/update-index.ts';
import { openSecrets, openSettings } from '../../open-settings.ts';
import { type CommandResult, failed, failedOver } from '../../output/command-result.ts';
import type { Group } from '../../settings/config.ts';
import type { Settings } from '../../settings/read-settings.ts';
import type { CallFlags } from './call.ts';
import { callTool } from './call-tool.ts';
import type { Input } from './read-input.ts';

/** Calls an active tool by any of its names. */
export async function callGroup(flags: CallFlags, name: string, input: Input): Promise<CommandResult> {
  const { group: named, lock, isolation } = flags;
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const { settings } = opened;
  const chosen = groupOf(settings, named);
  if (!chosen.ok) return failedOver([chosen.finding]);
  const serverParams = openSecrets(settings);
  const active = await findActive(name, { settings, group: chosen.group, lock, isolation, serverParams });
  if (active !== undefined && active.refused.length > 0) return failedOver(active.refused);
  if (active !== undefined) return callFound(active.tool, { input, serverParams, flags });
  const { tools, findings, refused } = await loadGroup(chosen.group, settings, { lock, isolation, serverParams });
  if (refused.length > 0) return failedOver(refused);
  const resolution = createToolResolver(tools)(name);
  const [tool] = resolution.tools;
  if (resolution.outcome === 'none') {
    return notActive(name, { settings, group: chosen.name, hint: resolution.findings[0]?.hint, findings });
  }
  if (!resolution.status) return failedOver(resolution.findings);
  if (tool === undefined || resolution.tools.length > 1) {
    const all = resolution.tools.map(toolNameOf).join(', ');
    return failed('usage', { error: `"${name}" names ${resolution.tools.length} tools.`, fix: `Write one of ${all}.` });
  }
  return callFound(tool, { input, serverParams, flags });
}

interface Call {
  input: Input;
  serverParams: Readonly<Record<string, string>>;
  flags: CallFlags;
}

function callFound(tool: FoundTool, call: Call): Promise<CommandResult> {
  const { schema, toolName, exposed } = tool;
  return callTool({ ...call, name: toolNameOf(tool), schema, routeName: toolName, inputs: () => exposed.inputs });
}

interface NotActive {
  settings: Settings;
  group: string;
  hint: string | undefined;
  findings: readonly Finding[];
}

/** Says whether the tool is known at all: then it can be activated. */
async function notActive(name: string, { settings, group, hint, findings }: NotActive): Promise<CommandResult> {
  const error = `Tool "${name}" not found in the group ${group}.`;
  const { references, findings: unresolved } = await resolveReferences([name], settings);
  const broken = findings.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  const several = unresolved.find(({ code }) => code === 'REF007');
  if (several !== undefined) return failedOver([several], { messages: [error, several.message] });
  const near = hint?.startsWith('Did you mean') ? hint : 'Run: schemakit call list-tools';
  const fix = references.length > 0 ? `Activate it: schemakit add ${name}` : near;
  return failed('notFound', { error, messages: [error, ...broken], fix });
}

interface Place extends ReferencedOptions {
  settings: Settings;
  group: Pick<Group, 'tools'>;
  serverParams: Readonly<Record<string, string>>;
}

/**
 * The active tool of a name, from the index: only its own file is opened, however many tools there are. Undefined where the index
 * alone cannot tell, as for a name that several tools have.
 */
async function findActive(
  name: string,
  { settings, group, lock, isolation, serverParams }: Place,
): Promise<{ tool: FoundTool; refused: readonly Finding[] } | undefined> {
  const references = group.tools.flatMap((text) => readGroupReference(text) ?? []);
  const found = await findTool(settings, name);
  if (!found.ok) return undefined;
  const { tool: indexed, file } = found;
  if (!references.some((reference) => namesTool(reference, indexed))) return undefined;
  const { schemas, refused } = await loadReferencedWithLock([file], { lock, isolation });
  const tool = toolsOf(schemas, [file], { serverParams }).find(({ toolName }) => toolName === indexed.toolName);
  return tool === undefined ? undefined : { tool, refused };
}

export type NamedTool =
  | {
      ok: true;
      tool: IndexedTool;
      /** What to load to call it. */
      file: ReferencedFile;
    }
  | { ok: false; findings: readonly Finding[] };

/**
 * Finds the one tool, query or document that a name or a reference means, from the index: no schema is opened. Findings are
 * those of the library's references, `REF006` for nothing and `REF007` for several.
 */
function findTool(settings: Settings, name: string): Promise<NamedTool> {
  return withIndex(settings, async (index) => {
    const { outcome, tools, findings } = await index.find(name);
    const callable = tools.filter(isCallable);
    const [tool] = callable;
    if (outcome !== 'match') return { ok: false, findings };
    if (tool === undefined || callable.length > 1) return { ok: false, findings: [notOne(name, callable)] };
    return { ok: true, tool, file: fileOf(tool, settings) };
  });
}

function fileOf({ file, path, source }: IndexedTool, settings: Settings): ReferencedFile {
  const root = schemaRoots(settings).find((candidate) => candidate.source === source);
  return { reference: file, file: path, approved: root?.approved === true };
}

function notOne(text: string, tools: readonly IndexedTool[]): Finding {
  const isNone = tools.length === 0;
  return {
    code: isNone ? 'REF006' : 'REF007',
    severity: 'error',
    path: '',
    message: isNone ? `${JSON.stringify(text)} is no tool` : `${JSON.stringify(text)} can be any of ${tools.length}`,
    hint: isNone ? 'Run: schemakit search' : `Write one of ${tools.map((tool) => tool.name).join(', ')}.`,
  };
}
