import { createOffer, type Offer, type ServedTool } from '../catalog/offer.ts';

const property = {
  type: 'string',
  description:
    'The part of the answer that is wanted, as a JMESPath expression such as items[].name. Default: all of it.',
};

/**
 * Gives tools one more argument, with which a model asks for a part of an answer. Tools that have one of that name keep theirs, and
 * those that answer bytes get none.
 */
export function withSelectArgument(offer: Offer): Offer {
  return createOffer(offer.tools.all.map(selectable), offer.prompts.all, offer.resources.standalone);
}

function selectable(tool: ServedTool): ServedTool {
  const { inputSchema } = tool.listing;
  const properties = Object(inputSchema.properties) as Record<string, unknown>;
  if (tool.isBinary || Object.hasOwn(properties, 'select')) return tool;
  return {
    ...tool,
    listing: {
      ...tool.listing,
      inputSchema: { ...inputSchema, properties: { ...properties, select: property } as never },
    },
    async call(args, options) {
      const { select, ...others } = Object(args) as Record<string, unknown>;
      if (select === undefined) return tool.call(args, options);
      if (typeof select === 'string') return tool.call(others, { ...options, select });
      return { content: [{ type: 'text', text: 'select: expected a JMESPath expression, as text.' }], isError: true };
    },
  };
}
