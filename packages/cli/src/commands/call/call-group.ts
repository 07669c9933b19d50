import { createToolResolver, type Finding } from '@schemakit/core';
import { groupOf } from '../../groups/groups.ts';
import { type FoundTool, loadGroup, toolNameOf } from '../../groups/load-group.ts';
import { resolveReferences } from '../../groups/references.ts';
import { openSecrets, openSettings } from '../../open-settings.ts';
import { type CommandResult, failed, failedOver } from '../../output/command-result.ts';
import type { Settings } from '../../settings/read-settings.ts';
import type { CallFlags } from './call-flags.ts';
import { callTool } from './call-tool.ts';
import { findActive } from './find-active.ts';
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
