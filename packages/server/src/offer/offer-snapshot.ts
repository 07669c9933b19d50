import { type JsonEntries, writeEntries } from './json-entries.ts';
import type { Offer, ServedPrompt, ServedResource, ServedTool } from './offer.ts';
import { defaultPageSize, page } from './page.ts';

type Listing = ServedTool['listing'];
export type ResourceShape = Pick<ServedResource, 'resourceName' | 'uri' | 'listing' | 'template'>;
export type PromptShape = Pick<ServedPrompt, 'listing' | 'namespace'>;

/** A tool without its place in the list. */
export type ToolRow = Pick<
  ServedTool,
  'aliases' | 'namespace' | 'tags' | 'toolName' | 'file' | 'requiredServerParams' | 'isBinary'
> & {
  resource?: ResourceShape;
};

/**
 * What clients see of the schemas in an offer, as JSON texts without line ends. Functions are left out: they come back with the
 * schemas. So are resources that belong to no tool.
 */
export interface OfferSnapshot {
  /** What has to be known at once; it is small. */
  outline: OfferOutline;
  /** The list of tools, page by page. */
  pages: readonly Uint8Array[];
  /** What else is known of each tool. */
  rows: Uint8Array;
  /** What finds one tool in the texts: a {@link ToolIndex}. */
  index: Uint8Array;
}

export interface OfferOutline {
  toolCount: number;
  pageSize: number;
  /** What asks for each page but the first. */
  cursors: readonly string[];
  /** Whether clients of every revision of MCP are told the same of each tool. */
  isForEveryRevision: boolean;
  hasResources: boolean;
  prompts: readonly PromptShape[];
}

export interface ToolIndex {
  /** The name of each tool, and its aliases after it. */
  names: [name: string, ...aliases: string[]][];
  /** Bytes of the entries in each page. */
  pages: JsonEntries['sizes'][];
  /** Bytes of the entries in the rows. */
  rows: JsonEntries['sizes'];
}

/** @param options.pageSize How many tools a server of it will list at once, so that its pages can be sent as they were kept. */
export function snapshotOffer(
  { tools, prompts }: Offer,
  { pageSize = defaultPageSize }: { pageSize?: number } = {},
): OfferSnapshot {
  const found = pagesOf(tools.list, pageSize);
  const pages = found.map(({ entries }) => writeEntries(entries));
  const rows = writeEntries(tools.all.map(rowOf));
  const index: ToolIndex = {
    names: tools.all.map(({ listing, aliases }) => [listing.name, ...aliases]),
    pages: pages.map(({ sizes }) => sizes),
    rows: rows.sizes,
  };
  return {
    outline: {
      toolCount: tools.count,
      pageSize,
      cursors: found.flatMap(({ nextCursor }) => nextCursor ?? []),
      // Older clients know objects alone as answers: they are told of an object around any other.
      isForEveryRevision: tools.list.every(
        ({ outputSchema }) => outputSchema === undefined || outputSchema.type === 'object',
      ),
      hasResources: tools.all.some(({ resource }) => resource !== undefined),
      prompts: prompts.all.map(({ listing, namespace }) => ({ listing, namespace })),
    },
    pages: pages.map(({ json }) => json),
    rows: rows.json,
    index: Buffer.from(JSON.stringify(index)),
  };
}

function pagesOf(list: readonly Listing[], pageSize: number) {
  const pages: { entries: readonly Listing[]; nextCursor?: string }[] = [];
  let cursor: string | undefined;
  do {
    const next = page(list, ({ name }) => name, { cursor, pageSize }) ?? { entries: [] };
    pages.push(next);
    cursor = next.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

function rowOf(tool: ServedTool): ToolRow {
  const { aliases, namespace, tags, toolName, file, requiredServerParams, isBinary, resource } = tool;
  return {
    aliases,
    namespace,
    tags,
    toolName,
    ...(file !== undefined && { file }),
    requiredServerParams,
    ...(isBinary && { isBinary }),
    ...(resource && { resource: shapeOf(resource) }),
  };
}

function shapeOf({ resourceName, uri, listing, template }: ServedResource): ResourceShape {
  return { resourceName, uri, ...(listing && { listing }), ...(template && { template }) };
}
