import type { LiveOffer } from './live-offer.ts';
import type { Offer } from './offer.ts';
import { type Groups, type Selection, selectionKey, selectOffer } from './select-offer.ts';

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
