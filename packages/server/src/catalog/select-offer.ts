import type { LiveOffer } from './live-offer.ts';
import { createOffer, type Offer } from './offer.ts';

/** Which part of an offer is meant. A tool must pass every condition that is given; the entries of one are alternatives. */
export interface Selection {
  /** Names of groups. */
  groups?: readonly string[];
  namespaces?: readonly string[];
  /** Tags of schemas, in any case. */
  tags?: readonly string[];
  /** MCP names, or tool names as a schema has them. */
  tools?: readonly string[];
}

/** The tools of each group by their MCP names. */
export type Groups = ReadonlyMap<string, Iterable<string>>;

/**
 * The part of an offer that a selection means, in the order of the offer. Prompts go with the namespaces of the tools that are
 * left; resources that belong to no tool stay. Unknown names select nothing.
 */
export function selectOffer(offer: Offer, selection: Selection, groups: Groups = new Map()): Offer {
  // What was kept of an offer is not read to leave nothing out.
  if (selectionKey(selection) === '') return offer;
  const named = selection.groups?.map((group) => new Set(groups.get(group)));
  const { namespaces, tags, tools: toolNames } = selection;
  const tools = offer.tools.all.filter(
    ({ listing: { name }, toolName, namespace, tags: toolTags }) =>
      (named === undefined || named.some((names) => names.has(name))) &&
      (namespaces === undefined || namespaces.includes(namespace)) &&
      (tags === undefined ||
        toolTags.some((tag) => tags.some((wanted) => wanted.toLowerCase() === tag.toLowerCase()))) &&
      (toolNames === undefined || toolNames.includes(name) || toolNames.includes(toolName)),
  );
  if (tools.length === offer.tools.all.length) return offer;
  const left = new Set(tools.map(({ namespace }) => namespace));
  return createOffer(
    tools,
    offer.prompts.all.filter(({ namespace }) => left.has(namespace)),
    offer.resources.standalone,
  );
}

/** A text that is the same for the same selection; empty where everything is meant. */
function selectionKey({ groups, namespaces, tags, tools }: Selection): string {
  const parts = [groups, namespaces, tags, tools];
  return parts.every((part) => part === undefined) ? '' : JSON.stringify(parts.map((part) => part && [...part].sort()));
}

// Each asks for other tools; more at a time than this are made anew for each request.
const maxKept = 100;

/**
 * Parts of an offer, made when they are first asked for and kept while the offer is the same.
 *
 * @param options.shape What is done with each part, such as putting a search in place of a long list.
 */
export function createOfferViews(
  live: LiveOffer,
  { groups = new Map(), shape = (offer) => offer }: { groups?: Groups; shape?: (offer: Offer) => Offer } = {},
): (selection?: Selection) => LiveOffer {
  let base: Offer = live.current;
  let kept = new Map<string, Offer>();
  function part(selection: Selection, key: string): Offer {
    if (live.current !== base) {
      base = live.current;
      kept = new Map();
    }
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = shape(selectOffer(base, selection, groups));
    // What everyone asks for is always kept.
    if (kept.size < maxKept || key === '') kept.set(key, made);
    return made;
  }
  return (selection = {}) => {
    const key = selectionKey(selection);
    return {
      get current() {
        return part(selection, key);
      },
      replace: live.replace,
      subscribe: live.subscribe,
    };
  };
}
