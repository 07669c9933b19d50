import { isBuiltin } from '../groups/schema-roots.ts';
import type { Index, KnownFile } from './index-file.ts';
import { type FileDetails, type IndexedTool, summarizeParameters, type ToolNames } from './indexed-tool.ts';

/** A tool in the index, without its details. */
export interface IndexedEntry extends ToolNames {
  file: KnownFile;
  position: number;
  /** As lists and searches show it. */
  name: string;
  reference: string;
  namespace: string;
}

/** The entries of an index. One whose name is ambiguous goes by its reference. */
export function entriesOf({ files, ambiguous }: Index): IndexedEntry[] {
  return files.flatMap((file) =>
    file.names.map((own, position) => {
      const reference = `${file.place}::${own.type}::${own.toolName}`;
      const namespace = own.cli.slice(0, -own.toolName.length - 1);
      const name = ambiguous.includes(reference) ? reference : own.cli;
      return { ...own, file, position, name, reference, namespace };
    }),
  );
}

/** References of entries that share their name with another one. A tool keeps its name beside skills and prompts, and beside the built-in catalog. */
export function ambiguousReferences(files: readonly KnownFile[]): string[] {
  const entries = entriesOf({ files, ambiguous: [], prompts: [], findings: [] });
  return [...Map.groupBy(entries, ({ cli }) => cli).values()].flatMap((same) => {
    if (same.length < 2) return [];
    const own = same.filter(({ file }) => !isBuiltin(file.path));
    const preferred = own.length > 0 ? own : same;
    const rivals = preferred.some(isCallable) ? preferred.filter(isCallable) : preferred;
    return same.filter((entry) => rivals.length > 1 || rivals[0] !== entry).map(({ reference }) => reference);
  });
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
