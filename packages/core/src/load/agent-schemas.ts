import type { AgentManifest } from '../format/agent/agent-manifest.ts';
import { ownResources } from '../format/agent/agent-parts.ts';
import { hasOwnRoot, type OwnSchema, ownResourceSchema, ownToolSchema } from '../format/agent/agent-tools.ts';
import type { Finding, Report } from '../format/finding.ts';
import { readSchema } from '../format/read-schema.ts';
import type { Schema } from '../format/schema.ts';
import { withListValues } from './list-values.ts';
import { keepRecord } from './schema-record.ts';
import { findListsDir, readSharedLists } from './shared-lists.ts';

export interface AgentSchemaOptions {
  /** The manifest's file: resources are beside it, lists in `_lists` beside or above it. */
  file: string;
  /** Name of the manifest in findings. */
  path: string;
  listsDir?: string;
  approveRoot: boolean;
  report: Report;
}

/**
 * Makes schemas from what an agent defines itself: one for each inline tool that has a root, and one for its resources. They
 * are kept as loaded schemas are, so their `main` is taken wherever a schema is.
 */
export async function loadAgentSchemas(
  agent: AgentManifest,
  options: AgentSchemaOptions,
): Promise<Record<string, unknown>[]> {
  const mains: Record<string, unknown>[] = [];
  for (const own of ownSchemas(agent, options.path)) {
    // The manifest was checked before; only what other files say is news.
    const schema = readSchema(own.main, () => {});
    if (schema === undefined) continue;
    const resolved = await withLists(schema, own, options);
    const { file, approveRoot } = options;
    keepRecord(own.main, {
      schema: resolved,
      file,
      handlerMap: {},
      rowsHooks: {},
      prompts: [],
      grants: {},
      approveRoot,
    });
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

async function withLists(schema: Schema, { asOfAgent }: OwnSchema, options: AgentSchemaOptions): Promise<Schema> {
  const inputs = [...schema.tools.values()].flatMap((tool) => tool.inputs);
  if (!inputs.some(({ z }) => z.members?.some((member) => typeof member === 'object'))) return schema;
  const add = (finding: Finding) => options.report(asOfAgent(finding));
  const listsDir = options.listsDir ?? findListsDir(options.file);
  const { sharedLists, findings } = await readSharedLists(schema.sharedLists, listsDir);
  findings.forEach(add);
  return withListValues(schema, sharedLists, add);
}
