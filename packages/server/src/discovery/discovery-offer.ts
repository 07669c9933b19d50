import { createOffer, type Offer } from '../offer/offer.ts';
import { discoveryTools } from './discovery-tools.ts';

/**
 * An offer that lists three tools, which find, describe and call the others, in place of thousands that no model can read
 * through. All tools can still be called by their names.
 *
 * @param pinned MCP names of tools to list beside the three.
 */
export function discoveryOffer(offer: Offer, { pinned = [] }: { pinned?: readonly string[] } = {}): Offer {
  const { all, byName } = offer.tools;
  const { tools, redirects } = discoveryTools(all);
  const { list } = createOffer([...tools, ...all.filter(({ listing }) => pinned.includes(listing.name))]).tools;
  const names = new Map([...byName, ...tools.map((tool) => [tool.listing.name, tool] as const)]);
  return { ...offer, tools: { all, list, byName: names, redirects } };
}
