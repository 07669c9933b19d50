import { type ExposedTool, exposeSchemas, loadSchemas } from '@schemakit/core';
import { openGroup } from '../../groups/groups.ts';
import { loadGroup } from '../../groups/load-group.ts';
import { loadWithLock } from '../../groups/load-with-lock.ts';
import { schemaRoots, sourcePath } from '../../groups/schema-roots.ts';
import { summarizeParameters } from '../../index/indexed-tool.ts';
import { type CommandResult, failWith, usageError } from '../../output/command-result.ts';
import { printErrors } from '../../output/print-findings.ts';
import { firstLine, textTable } from '../../output/text-table.ts';
import { readSettings } from '../../settings/read-settings.ts';
import type { CallFlags } from './call-flags.ts';

export async function listTools(
  { group, lock }: Pick<CallFlags, 'group' | 'lock'>,
  paths: readonly string[],
): Promise<CommandResult> {
  if (paths.length === 0) return toolsOfGroup(group, lock);
  if (group !== undefined) return usageError('Paths and --group exclude each other.', 'Remove the paths, or --group.');
  const roots = schemaRoots(readSettings());
  const found = paths.map((path) => sourcePath(path, roots));
  const { loaded, refused } = await loadWithLock({ paths: found, named: lock, asks: false }, (options) =>
    loadSchemas({ paths: found, ...options }),
  );
  const { schemas, status, findings } = loaded;
  printErrors(findings);
  const tools = exposeSchemas(schemas.filter((schema) => schema.status)).map(row);
  const shown = { toolCount: tools.length, tools };
  if (refused.length > 0) return failWith(refused, shown);
  return status && tools.length > 0 ? listed(shown) : failWith(findings, shown);
}

async function toolsOfGroup(named: string | undefined, lock: string | undefined): Promise<CommandResult> {
  const chosen = openGroup(named);
  if (!chosen.ok) return chosen.result;
  const loaded = await loadGroup(chosen.group, chosen.settings, { lock, asks: false });
  printErrors(loaded.findings);
  if (loaded.refused.length > 0) return failWith(loaded.refused);
  const tools = loaded.tools.map(({ exposed }) => row(exposed));
  return listed({ group: chosen.name, toolCount: tools.length, tools });
}

function row({ namespace, toolName, listing }: ExposedTool) {
  return {
    toolName: `${namespace}_${toolName}`,
    mcpName: listing.name,
    namespace,
    routeName: toolName,
    description: listing.description,
    parameters: summarizeParameters(listing),
  };
}

function listed(document: {
  group?: string;
  toolCount: number;
  tools: readonly ReturnType<typeof row>[];
}): CommandResult {
  const rows = document.tools.map(({ toolName, description }) => [toolName, firstLine(description)]);
  return {
    document: { status: true, ...document },
    text: () => (rows.length === 0 ? 'No tools.' : textTable(['Tool', 'Description'], rows)),
  };
}
