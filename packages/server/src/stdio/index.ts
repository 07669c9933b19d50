// The door for servers over stdio: what they need, without HTTP and without the library that loads schemas.
export { createLiveOffer, type LiveOffer, type OfferChange } from '../offer/live-offer.ts';
export { createOffer, type Offer } from '../offer/offer.ts';
export { type Groups, type Selection, selectOffer } from '../offer/select-offer.ts';
export { ServerOptionsError } from '../options/check-options.ts';
export { type ServeStdioOptions, type StdioServer, serveStdio } from './serve-stdio.ts';
