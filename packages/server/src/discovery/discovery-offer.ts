import { createOffer, type Offer } from '../catalog/offer.ts';
import { discoveryTools } from './discovery-tools.ts';

/**
 * An offer that lists three tools, which find, describe and call the others, in place of thousands that no model can read
 * through. All tools can still be called by their names.
 *
 * @param pinned MCP names of tools to list beside the three.
 */
export function discoveryOffer(offer: Offer, { pinned = [] }: { pinned?: readonly string[] } = {}): Offer {
  const { tools: hidden } = offer;
  const { tools, redirects } = discoveryTools(hidden);
  const listed = pinned.length === 0 ? [] : hidden.all.filter(({ listing }) => pinned.includes(listing.name));
  const { list, byName } = createOffer(tools).tools;
  return {
    ...offer,
    tools: {
      count: hidden.count,
      // Thousands of tools are not read before somebody asks for them.
      get all() {
        return hidden.all;
      },
      list: [...list, ...listed.map(({ listing }) => listing)],
      byName: {
        get: (name) => byName.get(name) ?? hidden.byName.get(name),
        *[Symbol.iterator]() {
          yield* hidden.byName;
          yield* byName;
        },
      },
      redirects,
    },
  };
}
