import { createToolResolver, type Finding } from '@schemakit/core';
import { openGroup } from '../../groups/groups.ts';
import { listGroup } from '../../groups/list-group.ts';
import { loadReferencedWithLock, toolNameOf, toolsOf } from '../../groups/load-group.ts';
import { resolveReferences } from '../../groups/references.ts';
import { schemaRoots } from '../../groups/schema-roots.ts';
import { withIndex } from '../../index/open-index.ts';
import { type CommandResult, failed, failWith } from '../../output/command-result.ts';
import type { Group } from '../../settings/config.ts';
import { environmentProblem, namespacesOf, openEnvironment } from '../../settings/environment.ts';
import { openSecrets } from '../../settings/open-settings.ts';
import type { Settings } from '../../settings/read-settings.ts';
import { askToSend } from '../../sources/send-grants.ts';
import { type CallFlags, isPreview } from './call-flags.ts';
import { performCall } from './perform-call.ts';
import type { Input } from './read-input.ts';

/** Calls an active tool by any of its names. Only its own file is loaded. */
export async function callGroup(flags: CallFlags, name: string, input: Input): Promise<CommandResult> {
  const { group: named, lock, isolation } = flags;
  const chosen = openGroup(named);
  if (!chosen.ok) return chosen.result;
  const { settings } = chosen;
  const opened = await openEnvironment(flags, settings);
  if (!opened.ok) return opened.result;
  const { environment } = opened;
  const serverParams = openSecrets(settings, flags);
  const { tools, findings, hint, broken } = await findActive(name, chosen.group, settings);
  if (findings.length > 0) return failWith(findings);
  const [tool] = tools;
  if (tool === undefined) return notActive(name, { settings, group: chosen.name, hint, broken });
  if (tools.length > 1) {
    const all = tools.map(toolNameOf).join(', ');
    return failed('usage', { error: `"${name}" matches ${tools.length} tools.`, fix: `Use one of ${all}.` });
  }
  const root = schemaRoots(settings).find(({ source }) => source === tool.source);
  const file = { reference: tool.file, file: tool.path, approved: root?.approved === true };
  const asks = !file.approved && !isPreview(flags) && environment === undefined;
  if (asks) await askToSend([file.file], { lock });
  const loaded = await loadReferencedWithLock([file], { lock, isolation, environment });
  if (loaded.refused.length > 0) return failWith(loaded.refused);
  const elsewhere = environmentProblem(environment, namespacesOf(loaded.schemas));
  if (elsewhere !== undefined) return elsewhere;
  const found = toolsOf(loaded.schemas, [file], { serverParams }).find(({ toolName }) => toolName === tool.toolName);
  if (found === undefined) return failWith(loaded.findings);
  const { schema, toolName: routeName, exposed } = found;
  const inputs = () => exposed.inputs;
  return performCall({ name: toolNameOf(tool), schema, routeName, inputs, input, serverParams, flags });
}

/** Finds active tools by name. A name that is ambiguous in the index may be unique in the group. */
function findActive(name: string, group: Group, settings: Settings) {
  return withIndex(settings, async (index) => {
    const { tools: active, findings: broken } = listGroup(group, { index, settings });
    const references = new Set(active.map(({ reference }) => reference));
    const tools = (await index.find(name)).tools.filter(({ reference }) => references.has(reference));
    if (tools.length === 1) return { tools, findings: [], broken };
    const { outcome, findings, ...resolution } = createToolResolver(active)(name);
    if (outcome === 'none') return { tools: [], findings: [], hint: findings[0]?.hint, broken };
    return { tools: resolution.tools, findings: resolution.status ? [] : findings, broken };
  });
}

async function notActive(
  name: string,
  found: { settings: Settings; group: string; hint: string | undefined; broken: readonly Finding[] },
): Promise<CommandResult> {
  const { settings, group, hint, broken } = found;
  const error = `Tool "${name}" not found in the group ${group}.`;
  const { references, findings } = await resolveReferences([name], settings);
  const several = findings.find(({ code }) => code === 'REF007');
  if (several !== undefined) return failWith([several], { messages: [error, several.message] });
  const messages = [error, ...broken.filter(({ severity }) => severity === 'error').map(({ message }) => message)];
  const near = hint?.startsWith('Did you mean') ? hint : 'Run: schemakit call list-tools';
  const fix = references.length > 0 ? `Activate it: schemakit add ${name}` : near;
  return failed('notFound', { error, messages, fix });
}
