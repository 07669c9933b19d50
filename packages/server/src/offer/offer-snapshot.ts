import { createOffer, type Offer, type ServedPrompt, type ServedResource, type ServedTool } from './offer.ts';

type ResourceShape = Pick<ServedResource, 'resourceName' | 'uri' | 'listing' | 'template'>;
type ToolShape = Pick<
  ServedTool,
  'listing' | 'aliases' | 'namespace' | 'tags' | 'toolName' | 'file' | 'requiredServerParams'
> & { resource?: ResourceShape };
type PromptShape = Pick<ServedPrompt, 'listing' | 'namespace'>;

/**
 * What clients see of the schemas in an offer, as JSON. Functions are left out: they come back with the schemas. So are
 * resources that belong to no tool.
 */
export interface OfferSnapshot {
  tools: readonly ToolShape[];
  prompts: readonly PromptShape[];
}

export function snapshotOffer({ tools, prompts }: Offer): OfferSnapshot {
  return {
    tools: tools.all.map(({ listing, aliases, namespace, tags, toolName, file, requiredServerParams, resource }) => ({
      listing,
      aliases,
      namespace,
      tags,
      toolName,
      ...(file !== undefined && { file }),
      requiredServerParams,
      ...(resource && { resource: shapeOf(resource) }),
    })),
    prompts: prompts.all.map(({ listing, namespace }) => ({ listing, namespace })),
  };
}

function shapeOf({ resourceName, uri, listing, template }: ServedResource): ResourceShape {
  return { resourceName, uri, ...(listing && { listing }), ...(template && { template }) };
}

/**
 * An offer that shows what a snapshot says, and loads schemas when they are first called: thousands of tools start as fast as
 * one.
 *
 * @param open Loads the schema of a file, or all of them where none is named. What it no longer has is answered as an error.
 */
export async function restoreOffer(
  { tools, prompts }: OfferSnapshot,
  open: (file?: string) => Promise<Offer>,
): Promise<Offer> {
  // The library takes as long to load as the rest of a start.
  const isResourceAt = tools.some(({ resource }) => resource !== undefined)
    ? (await import('@schemakit/core')).isResourceAt
    : () => false;

  /** The tool itself. Alone, a schema may have got other names than among others: then all of them are loaded. */
  async function openTool({ file, listing, resource }: ToolShape): Promise<ServedTool | undefined> {
    const found = (await open(file)).tools.byName.get(listing.name);
    if (found?.file === file && found?.resource?.uri === resource?.uri) return found;
    return (await open()).tools.byName.get(listing.name);
  }

  function restoreResource(shape: ToolShape, resource: ResourceShape): ServedResource {
    return {
      ...resource,
      matches: (address) => isResourceAt(resource.uri, address),
      async read(address, options) {
        const found = await openTool(shape);
        const message = `Resource ${address} is gone: its schema has changed`;
        return found?.resource?.read(address, options) ?? { ok: false, fault: { code: -32602, message } };
      },
      complete: async (argument, typed) => (await openTool(shape))?.resource?.complete(argument, typed) ?? [],
    };
  }

  const restored = tools.map((shape): ServedTool => {
    const { resource, ...tool } = shape;
    return {
      ...tool,
      ...(resource && { resource: restoreResource(shape, resource) }),
      async call(args, options) {
        const found = await openTool(shape);
        if (found !== undefined) return found.call(args, options);
        const text = `The tool ${tool.listing.name} is gone: its schema has changed. Ask for the list of tools again.`;
        return { content: [{ type: 'text', text }], isError: true };
      },
    };
  });
  const openPrompt = async (name: string) => (await open()).prompts.byName.get(name);
  return createOffer(
    restored,
    prompts.map((shape): ServedPrompt => {
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
    }),
  );
}
