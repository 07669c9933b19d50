import { createToolResolver, type Finding } from '@schemakit/core';
import { groupOf } from '../../groups/groups.ts';
import { listGroup } from '../../groups/list-group.ts';
import { loadReferencedWithLock, toolsOf } from '../../groups/load-group.ts';
import { resolveInIndex, resolveInSources } from '../../groups/references.ts';
import { isApproved, schemaRoots } from '../../groups/schema-roots.ts';
import { isCallable } from '../../index/indexed-entry.ts';
import type { IndexedTool } from '../../index/indexed-tool.ts';
import { withIndex } from '../../index/open-index.ts';
import { type CommandResult, failed, failWith, usageError } from '../../output/command-result.ts';
import type { Group } from '../../settings/config.ts';
import { environmentProblem, namespacesOf, openEnvironment } from '../../settings/environment.ts';
import { openSecrets, openSettings } from '../../settings/open-settings.ts';
import type { Settings } from '../../settings/read-settings.ts';
import { askForGrants } from '../../sources/send-grants.ts';
import { type CallFlags, isPreview } from './call-flags.ts';
import { performCall } from './perform-call.ts';
import type { Input } from './read-input.ts';

/** Calls an active tool by any of its names; in a folder without groups, any known tool. Only its own file is loaded. */
export async function callGroup(flags: CallFlags, name: string, input: Input): Promise<CommandResult> {
  const { group: named, lock, isolation } = flags;
  const read = openSettings();
  if (!read.ok) return read.result;
  const { settings } = read;
  const hasGroups = named !== undefined || settings.defaultGroup !== undefined || settings.groups.size > 0;
  const chosen = hasGroups ? groupOf(settings, named) : undefined;
  if (chosen?.ok === false) return failWith([chosen.finding]);
  const opened = await openEnvironment(flags, settings);
  if (!opened.ok) return opened.result;
  const { environment } = opened;
  const serverParams = openSecrets(settings, flags);
  const found = await findTool(name, settings, chosen?.group);
  if (found.findings.length > 0) return failWith(found.findings);
  const [tool] = found.tools;
  if (tool === undefined) return notFound(name, { settings, group: chosen?.name, ...found });
  if (!isCallable(tool)) {
    const error = `${tool.name} is a ${tool.type}, a text for models: it cannot be called.`;
    return usageError(error, `Show it: schemakit describe ${tool.name}`);
  }
  if (found.tools.length > 1) {
    const all = found.tools.map(({ name }) => name).join(', ');
    return failed('usage', { error: `"${name}" matches ${found.tools.length} tools.`, fix: `Use one of ${all}.` });
  }
  const file = { reference: tool.file, file: tool.path, approved: isApproved(schemaRoots(settings), tool) };
  const asks = !file.approved && !isPreview(flags) && environment === undefined;
  if (asks) await askForGrants([file.file], { lock });
  const loaded = await loadReferencedWithLock([file], { lock, isolation, environment });
  if (loaded.refused.length > 0) return failWith(loaded.refused);
  const elsewhere = environmentProblem(environment, namespacesOf(loaded.schemas));
  if (elsewhere !== undefined) return elsewhere;
  const own = toolsOf(loaded.schemas, [file], { serverParams }).find(({ toolName }) => toolName === tool.toolName);
  if (own === undefined) return failWith(loaded.findings);
  return performCall({ ...own, routeName: own.toolName, input, serverParams, flags });
}

interface Found {
  tools: readonly IndexedTool[];
  findings: readonly Finding[];
  hint?: string | undefined;
  broken: readonly Finding[];
}

/** Finds a tool by name, among the active ones if there is a group. A name that is ambiguous in the index may be unique in the group. */
function findTool(name: string, settings: Settings, group: Group | undefined): Promise<Found> {
  return withIndex(settings, async (index) => {
    const found = await resolveInSources(name, { index, settings });
    if (group === undefined) {
      const { outcome, tools, findings } = found;
      return {
        tools: [...tools],
        findings: outcome === 'ambiguous' ? findings : [],
        hint: findings[0]?.hint,
        broken: [],
      };
    }
    const { tools: active, findings: broken } = listGroup(group, { index, settings });
    const references = new Set(active.map(({ reference }) => reference));
    const tools = found.tools.filter((tool) => references.has(tool.reference) || !isCallable(tool));
    if (tools.length === 1) return { tools, findings: [], broken };
    const { outcome, findings, ...resolution } = createToolResolver(active)(name);
    if (outcome === 'none') return { tools: [], findings: [], hint: findings[0]?.hint, broken };
    return { tools: resolution.tools, findings: resolution.status ? [] : findings, broken };
  });
}

async function notFound(
  name: string,
  { settings, group, hint, broken }: Omit<Found, 'tools'> & { settings: Settings; group: string | undefined },
): Promise<CommandResult> {
  if (group === undefined) {
    const near = hint?.startsWith('Did you mean') ? hint : 'Find one: schemakit search <words>';
    return failed('notFound', { error: `Tool "${name}" not found.`, fix: near });
  }
  const error = `Tool "${name}" not found in the group ${group}.`;
  const { references, findings } = await withIndex(settings, (index) => resolveInIndex([name], { index, settings }));
  const several = findings.find(({ code }) => code === 'REF007');
  if (several !== undefined) return failWith([several], { messages: [error, several.message] });
  const messages = [error, ...broken.filter(({ severity }) => severity === 'error').map(({ message }) => message)];
  const near = hint?.startsWith('Did you mean') ? hint : 'Run: schemakit call list-tools';
  const fix = references.length > 0 ? `Activate it: schemakit add ${name}` : near;
  return failed('notFound', { error, messages, fix });
}
