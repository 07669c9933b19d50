import type { ExposedPrompt, ExposedTool } from '@schemakit/core';
import type { ServedPrompt, ServedResource, ServedTool, ToolCatalog } from '@schemakit/server';
import { createToolCatalog } from '@schemakit/server/catalog';
import { detailsOf, type KnownFile } from '../../index/index-file.ts';
import type { IndexedEntry } from '../../index/indexed-entry.ts';
import type { FileDetails, IndexedPrompt } from '../../index/indexed-tool.ts';

export interface SchemaOpener {
  /** The tools of a file, named as if it were alone. */
  open(file: KnownFile): Promise<readonly ExposedTool[]>;
  /** The tools and prompts of all served files, with their final names. */
  openAll(): Promise<{ tools: readonly ExposedTool[]; prompts: readonly ExposedPrompt[] }>;
}

/** The catalog of a server, from the index: details are parsed when listed, and schemas loaded when called. */
export async function indexedCatalog(
  { entries, prompts }: { entries: readonly IndexedEntry[]; prompts: readonly IndexedPrompt[] },
  opener: SchemaOpener,
): Promise<ToolCatalog> {
  const hasResources = entries.some(({ type }) => type === 'resource');
  const { isResourceAt } = hasResources ? await import('@schemakit/core/internal') : { isResourceAt: () => false };
  const details = new Map<KnownFile, FileDetails>();
  const detailed = ({ file }: IndexedEntry): FileDetails => {
    const found = details.get(file) ?? detailsOf(file);
    details.set(file, found);
    return found;
  };
  const made = new Map<IndexedEntry, ServedTool>();
  const toolOf = (entry: IndexedEntry): ServedTool => {
    const known = made.get(entry);
    if (known !== undefined) return known;
    const tool = servedTool(entry, detailed(entry), { opener, isResourceAt });
    made.set(entry, tool);
    return tool;
  };
  // Names come last: they win over aliases.
  const names = once(() => {
    const aliases = entries.flatMap((entry) => (entry.aliases ?? []).map((alias) => [alias, entry] as const));
    return new Map([...aliases, ...entries.map((entry) => [entry.mcp, entry] as const)]);
  });
  const all = once(() => entries.map(toolOf));
  const list = once(() => entries.map((entry) => listed(entry, detailed(entry))));
  const resources = once(() => createToolCatalog(hasResources ? all() : []).resources);
  return {
    tools: {
      count: entries.length,
      get list() {
        return list();
      },
      get all() {
        return all();
      },
      byName: {
        get(name) {
          const entry = names().get(name);
          return entry && toolOf(entry);
        },
      },
    },
    prompts: createToolCatalog(
      [],
      prompts.map((prompt) => servedPrompt(prompt, opener)),
    ).prompts,
    get resources() {
      return resources();
    },
  };
}

function listed({ mcp, position }: IndexedEntry, { tools }: FileDetails): ServedTool['listing'] {
  const listing = tools[position]?.listing;
  if (listing === undefined) throw new Error(`The index has no tool ${mcp}`);
  return listing;
}

function servedTool(
  entry: IndexedEntry,
  found: FileDetails,
  { opener, isResourceAt }: { opener: SchemaOpener; isResourceAt: (uri: string, address: string) => boolean },
): ServedTool {
  const { toolName, aliases = [], file, mcp } = entry;
  const { namespace, tags } = found.schema;
  const listing = listed(entry, found);
  const { requiredServerParams = [], isBinary, resource } = found.tools[entry.position] ?? {};
  const isThis = (tool: ExposedTool) => tool.toolName === toolName && tool.file === file.path;
  async function openTool(): Promise<ExposedTool | undefined> {
    const found = (await opener.open(file)).find(isThis);
    // A resource may have another URI among other schemas than alone.
    if (found === undefined || found.resource?.uri === resource?.uri) return found;
    return (await opener.openAll()).tools.find(isThis);
  }
  const served = resource && {
    ...resource,
    matches: (address: string) => isResourceAt(resource.uri, address),
    async read(address: string, options?: Parameters<ServedResource['read']>[1]) {
      const message = `Resource ${address} is gone: its schema has changed`;
      const gone = { ok: false, fault: { code: -32602, message } } as const;
      return (await openTool())?.resource?.read(address, options) ?? gone;
    },
    complete: async (argument: string, typed: string) => (await openTool())?.resource?.complete(argument, typed) ?? [],
  };
  return {
    ...{ listing, aliases, namespace, tags, toolName, file: file.path },
    requiredServerParams,
    ...(isBinary && { isBinary }),
    ...(served && { resource: served }),
    async call(args, options) {
      const found = await openTool();
      if (found !== undefined) return found.call(args, options);
      const text = `The tool ${mcp} is gone: its schema has changed. Ask for the list of tools again.`;
      return { content: [{ type: 'text', text }], isError: true };
    },
  };
}

function servedPrompt({ listing, namespace, skill }: IndexedPrompt, { openAll }: SchemaOpener): ServedPrompt {
  const { name } = listing;
  const open = async () => (await openAll()).prompts.find((prompt) => prompt.listing.name === name);
  const gone = { code: 'PROMPT_GONE', severity: 'error', path: name, message: `The prompt ${name} is gone` } as const;
  return {
    listing,
    namespace,
    ...(skill && { skill: { ...skill, files: async () => (await open())?.skill?.files() ?? {} } }),
    get: async (args) => (await open())?.get(args) ?? { ok: false, findings: [gone] },
    complete: async (argument, value) => (await open())?.complete(argument, value) ?? [],
  };
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
