import { once } from '../once.ts';
import { entryReader } from './json-entries.ts';
import { KeptPage } from './kept-pages.ts';
import {
  byNames,
  type Offer,
  promptTable,
  resourceTable,
  type ServedPrompt,
  type ServedResource,
  type ServedTool,
  type ToolsByName,
} from './offer.ts';
import type { OfferSnapshot, PromptShape, ResourceShape, ToolIndex, ToolRow } from './offer-snapshot.ts';

type Listing = ServedTool['listing'];

/**
 * An offer that shows what a snapshot says, and loads schemas when they are first called: thousands of tools start as fast as
 * one. Of the texts, too, only what is needed is read, and nothing to send a page as it stands.
 *
 * @param open Loads the schema of a file, or all of them where none is named. What it no longer has is answered as an error.
 */
export async function restoreOffer(
  { outline, pages, rows, index }: OfferSnapshot,
  open: (file?: string) => Promise<Offer>,
): Promise<Offer> {
  const { toolCount, pageSize, cursors, prompts, hasResources, isForEveryRevision } = outline;
  // The library takes as long to load as the rest of a start.
  const isResourceAt = hasResources ? (await import('@schemakit/core')).isResourceAt : () => false;

  /** The tool itself. Alone, a schema may have got other names than among others: then all of them are loaded. */
  async function openTool(name: string, { file, resource }: ToolRow): Promise<ServedTool | undefined> {
    const found = (await open(file)).tools.byName.get(name);
    if (found?.file === file && found?.resource?.uri === resource?.uri) return found;
    return (await open()).tools.byName.get(name);
  }

  function restoreResource(name: string, row: ToolRow, resource: ResourceShape): ServedResource {
    return {
      ...resource,
      matches: (address) => isResourceAt(resource.uri, address),
      async read(address, options) {
        const found = await openTool(name, row);
        const message = `Resource ${address} is gone: its schema has changed`;
        return found?.resource?.read(address, options) ?? { ok: false, fault: { code: -32602, message } };
      },
      complete: async (argument, typed) => (await openTool(name, row))?.resource?.complete(argument, typed) ?? [],
    };
  }

  function restoreTool(name: string, row: ToolRow, listing: () => Listing): ServedTool {
    const { resource, ...tool } = row;
    return {
      ...tool,
      get listing() {
        return listing();
      },
      ...(resource && { resource: restoreResource(name, row, resource) }),
      async call(args, options) {
        const found = await openTool(name, row);
        if (found !== undefined) return found.call(args, options);
        const text = `The tool ${name} is gone: its schema has changed. Ask for the list of tools again.`;
        return { content: [{ type: 'text', text }], isError: true };
      },
    };
  }

  const openPrompt = async (name: string) => (await open()).prompts.byName.get(name);
  function restorePrompt(shape: PromptShape): ServedPrompt {
    const { name } = shape.listing;
    const gone = {
      code: 'PROMPT_GONE',
      severity: 'error',
      path: name,
      message: `The prompt ${name} is gone`,
    } as const;
    return {
      ...shape,
      get: async (args) => (await openPrompt(name))?.get(args) ?? { ok: false, findings: [gone] },
      complete: async (argument, value) => (await openPrompt(name))?.complete(argument, value) ?? [],
    };
  }

  const keptPages = pages.map((json, place) => new KeptPage<Listing>(json, cursors[place]));
  const tools = once(() => {
    const sizes: ToolIndex = JSON.parse(new TextDecoder().decode(index));
    const readRow = entryReader<ToolRow>({ json: rows, sizes: sizes.rows });
    const readListings = pages.map((json, place) => entryReader<Listing>({ json, sizes: sizes.pages[place] ?? [] }));
    const readListing = (place: number) => readListings[Math.floor(place / pageSize)]?.(place % pageSize) as Listing;
    return sizes.names.map((names, place) => ({
      names,
      open: once(() =>
        restoreTool(
          names[0],
          readRow(place),
          once(() => readListing(place)),
        ),
      ),
    }));
  });
  const list = once(() => keptPages.flatMap((page) => page.toJSON()));
  const all = once(() => tools().map((tool) => tool.open()));
  const byName = once((): ToolsByName => {
    const found = byNames(tools(), ({ names }) => names);
    return {
      get: (name) => found.get(name)?.open(),
      [Symbol.iterator]: () => found.entries().map(([name, tool]) => [name, tool.open()] as const),
    };
  });
  const resources = once(() => resourceTable(hasResources ? all() : []));
  return {
    tools: {
      count: toolCount,
      kept: isForEveryRevision ? { pageSize, pages: keptPages } : undefined,
      get list() {
        return list();
      },
      get byName() {
        return byName();
      },
      get all() {
        return all();
      },
    },
    prompts: promptTable(prompts.map(restorePrompt)),
    get resources() {
      return resources();
    },
  };
}
