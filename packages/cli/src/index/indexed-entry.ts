import type { Index, KnownFile } from './index-file.ts';
import { type FileDetails, type IndexedTool, summarizeParameters, type ToolNames } from './indexed-tool.ts';

/** A tool in the index, before its details are read. */
export interface IndexedEntry extends ToolNames {
  file: KnownFile;
  /** Its place among those of the file. */
  position: number;
  /** As lists and searches show it. */
  name: string;
  reference: string;
  namespace: string;
}

/** All that files offer. A name that several tools would have is none; but no skill or prompt takes its name from a tool. */
export function entriesOf({ files }: Pick<Index, 'files'>): IndexedEntry[] {
  const entries = files.flatMap((file) =>
    (file.names ?? []).map((names, position) => {
      const reference = `${file.place}::${names.type}::${names.toolName}`;
      const namespace = names.cli.slice(0, -names.toolName.length - 1);
      return { ...names, file, position, name: names.cli, reference, namespace };
    }),
  );
  for (const same of Map.groupBy(entries, ({ cli }) => cli).values()) {
    if (same.length < 2) continue;
    const rivals = same.some(isCallable) ? same.filter(isCallable) : same;
    for (const entry of same) if (rivals.length > 1 || rivals[0] !== entry) entry.name = entry.reference;
  }
  return entries;
}

export function indexedTool(entry: IndexedEntry, { schema, tools }: FileDetails): IndexedTool {
  const { type, name, mcp: mcpName, reference, toolName, part, position, file } = entry;
  const { namespace, tags, name: schemaName } = schema;
  const {
    requiredServerParams = [],
    listing,
    parameters = {},
    description = listing?.description ?? '',
  } = tools[position] ?? {};
  return {
    ...{ type, name, mcpName, reference, namespace, toolName, part, description, tags },
    parameters: listing ? summarizeParameters(listing) : parameters,
    requiredServerParams,
    schemaName,
    ...{ source: file.source, file: file.place, path: file.path },
  };
}

/** Skills and prompts are texts. */
export function isCallable({ type }: { type: string }): boolean {
  return type === 'tool' || type === 'resource';
}
