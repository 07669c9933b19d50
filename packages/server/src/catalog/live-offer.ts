import type { Offer } from './offer.ts';

/** Which lists of an offer are others than before. */
export interface OfferChange {
  tools: boolean;
  prompts: boolean;
  resources: boolean;
}

/** An offer that can be replaced while it is served: connections that are open see the new one, and are told. */
export interface LiveOffer {
  readonly current: Offer;
  /** Puts another offer in its place, and tells the listeners which lists are others, if any is. */
  replace(offer: Offer): void;
  /** Calls `listener` after each change. Returns what ends that. */
  subscribe(listener: (change: OfferChange) => void): () => void;
}

export function createLiveOffer(first: Offer): LiveOffer {
  const listeners = new Set<(change: OfferChange) => void>();
  let current = first;
  return {
    get current() {
      return current;
    },
    replace(offer) {
      const change = changeBetween(current, offer);
      current = offer;
      if (Object.values(change).some(Boolean)) for (const listener of [...listeners]) listener(change);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Compares what clients see; which function answers a call makes no difference to them. */
function changeBetween(before: Offer, after: Offer): OfferChange {
  const differ = (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b);
  const listed = ({ resources: { list, templates } }: Offer) => [list, templates];
  return {
    tools: differ(before.tools.list, after.tools.list),
    prompts: differ(before.prompts.list, after.prompts.list),
    resources: differ(listed(before), listed(after)),
  };
}
